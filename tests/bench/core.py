"""The cost of a briefing and of a restart in a long meeting."""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from context.answering.evidence_lines import briefing
from context.budgets.tokens import ExactTokenizer
from context.config import ContextConfig
from context.fold.meeting import Meeting
from context.fold.snapshot import changed_topics
from context.models import Utterance
from context.ports import RecordedEvent, Snapshot
from context.retrieval.lexical import LexicalIndex
from tests.bench.figures import Figure, percentile, timed
from tests.bench.fold import LONG, fold
from tests.bench.lives import grown, life
from worker.adapters.migrations import migrate
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.embedded.postgres import EmbeddedPostgres
from worker.garbage_collection import at_rest
from worker.ports import Holder
from worker.record.restoring import rebuild

_CPU: Final = "CPU time"
_MS: Final = 1000.0
_QUESTIONS: Final = (
    "출시일이 언제로 결정됐지?",
    "서버 비용은 얼마나 늘었어?",
    "How much would the server cost?",
    "결제 기능 테스트는 누가 해?",
)


def brief() -> list[Figure]:
    """A briefing of 3,000 tokens at 20,000 utterances, p99 of 200, beside a plain scan of all lines."""
    tokenizer = ExactTokenizer()
    meeting = grown(LONG, tokenizer)
    index = LexicalIndex(meeting.utterances)
    for question in _QUESTIONS:  # the first use of a part of the index is not what a meeting meets
        briefing(question, meeting.utterances, meeting.segments, 3000, tokenizer, index)
    times, scans = [], []
    for number in range(200):
        question = f"{_QUESTIONS[number % len(_QUESTIONS)]} {number}"
        _, took_s = timed(briefing, question, meeting.utterances, meeting.segments, 3000, tokenizer, index)
        times.append(took_s * _MS)
        if number < 20:
            scans.append(timed(_scan, question, meeting.utterances)[1] * _MS)
    scan = "scoring every line by the words it shares, p99"
    return [
        Figure(
            "build a briefing at 20,000, p99",
            percentile(times, 0.99),
            "ms",
            10,
            scan,
            percentile(scans, 0.99),
            _CPU,
        )
    ]


def _scan(question: str, utterances: Sequence[Utterance]) -> list[Utterance]:
    """The forty utterances that share the most words with a question."""
    asked = set(question.split())
    return sorted(utterances, key=lambda u: -len(asked & set(u.text.split())))[:40]


def restore() -> list[Figure]:
    """Loading a meeting of 20,000 utterances: snapshot, beside folding all its events again."""
    return asyncio.run(_restore())


async def _restore() -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="moim-bench-") as name:
        directory = Path(name)
        await asyncio.to_thread(directory.chmod, 0o755)  # the user that Postgres runs as has to get in
        server = EmbeddedPostgres(directory / "postgres", durable=False)
        await server.start()
        try:
            await migrate(server.admin_url, server.url)
            pool = PostgresPool(server.url)
            try:
                return await _measure_restore(pool)
            finally:
                await pool.aclose()
        finally:
            await server.stop()


async def _measure_restore(pool: PostgresPool) -> list[Figure]:
    row = await PostgresRegistry(pool).want(None, meeting_id="bench")
    holder = Holder(host="bench", worker_pid=1, job_pid=1)
    epoch = await PostgresLeases(pool).acquire(row.id, holder, 3600)
    assert epoch is not None
    store, tokenizer = PostgresStore(pool), ExactTokenizer()
    meeting = Meeting(row.id, ContextConfig(), tokenizer=tokenizer)
    recorded: list[RecordedEvent] = []
    for event in life(meeting, LONG):
        recorded.append(RecordedEvent(seq=len(recorded) + 1, event=event))
    for at in range(0, len(recorded), 500):
        await store.append(row.id, epoch, recorded[at : at + 500])
    await store.save_snapshot(row.id, epoch, _snapshot(meeting, len(recorded)))

    async def once(*, snapshot: bool) -> tuple[float, float]:
        gc.collect()
        began_s, began_cpu_s = time.perf_counter(), time.thread_time()
        with at_rest():  # as `worker.record.restoring.restore` does it
            stored = await store.load(row.id, use_snapshot=snapshot)
            restored, _ = rebuild(stored, row.id, ContextConfig(), tokenizer=tokenizer)
        took = ((time.perf_counter() - began_s) * _MS, (time.thread_time() - began_cpu_s) * _MS)
        assert len(restored.utterances) == LONG
        return took

    await once(snapshot=True)
    with_snapshot = [await once(snapshot=True) for _ in range(5)]
    without, _ = await once(snapshot=False)
    computed_ms = percentile([cpu_ms for _, cpu_ms in with_snapshot], 0.5)
    return [
        Figure(
            "restore 20,000 utterances, median of 5",
            percentile([wall_ms for wall_ms, _ in with_snapshot], 0.5),
            "ms",
            300,
            "folding all events again",
            without,
            f"by the wall clock, with the load from Postgres; {computed_ms:.0f} ms of it CPU time here",
        )
    ]


def _snapshot(meeting: Meeting, seq: int) -> Snapshot:
    """A snapshot as `worker.record.restoring` saves a holder's first one."""
    return Snapshot(seq=seq, state=meeting.snapshot(topics=False), topics=changed_topics(meeting.segments))


Measure = Callable[[], list[Figure]]
MEASURES: Final[dict[str, Measure]] = {"fold": fold, "briefing": brief, "restore": restore}
