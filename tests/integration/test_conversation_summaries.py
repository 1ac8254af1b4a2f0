"""Summaries of the agent's thread as rows (seed 003): written with the events, made again from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import asyncpg
import pytest

from context.events.effects import SummariseThread
from context.events.events import (
    AnswerGiven,
    Event,
    MeetingStarted,
    QuestionAsked,
    ThreadSummaryFailed,
    ThreadSummaryReady,
    ThreadSummaryStarted,
)
from context.fold.meeting import Meeting
from context.models import Reply, ToolUse
from context.ports import RecordedEvent
from context.question import Question
from tests.conftest import Database
from tests.contracts.events import NINE
from tests.contracts.world import OTHER, World

pytestmark = pytest.mark.postgres

_ROWS = "SELECT * FROM moim.conversation_summaries WHERE conversation_id = 'm-1' ORDER BY summary_version, id"
_AS_THE_FOLD = (
    "id", "conversation_id", "summary_text", "covered_until_message_id", "covered_message_count",
    "covered_token_count", "summary_version", "status", "error",
)  # fmt: skip


class Record:
    """A meeting whose events are folded and appended one by one, and its rows."""

    def __init__(self, world: World, owner: asyncpg.Connection) -> None:
        self._world, self.owner = world, owner
        self._seq = 0
        self.epoch = 0
        self.meeting = Meeting("m-1")
        self.jobs: list[SummariseThread] = []

    async def add(self, *events: Event) -> None:
        for event in events:
            self._seq += 1
            self.jobs += [e for e in self.meeting.receive(event) if isinstance(e, SummariseThread)]
            await self._world.store.append("m-1", self.epoch, [RecordedEvent(seq=self._seq, event=event)])

    async def turns(self, first: int, last: int, question: str = "출시일이 언제예요?") -> None:
        for number in range(first, last + 1):
            await self.add(*turn(number, question))

    async def begin(self) -> SummariseThread:
        """The work on the job under way begins, as a holder records it."""
        (job,) = self.meeting.thread.in_progress()
        begun = self.meeting.thread.summaries.attempt(job.version, at_ms=1)
        assert begun is not None
        await self.add(begun)
        return job

    async def rows(self) -> list[dict[str, Any]]:
        return [dict(row) for row in await self.owner.fetch(_ROWS)]

    async def taken_over(self) -> None:
        """Its holder is dead; another one has the lease."""
        await self._world.pass_time(10)
        epoch = await self._world.leases.acquire("m-1", OTHER, 5)
        assert epoch is not None
        self.epoch = epoch
        self.meeting = Meeting.restore("m-1", None, self.meeting.snapshot(), self.meeting.utterances)


def turn(number: int, question: str, answer: str = "12월 22일입니다.") -> Sequence[Event]:
    asked = Question(id=f"q{number}", by="minji", via="chat", text=question, at_ms=1)
    reply = Reply(
        id=f"r{number}", invocation_id=asked.id, by="minji", via="chat", question=question, text=answer,
        call_type="IMMEDIATE_RESPONSE", asked_at_ms=1, answered_at_ms=2,
        tools=(ToolUse(name="search", arguments="{}", result="none"),) if number == 1 else (),
    )  # fmt: skip
    return QuestionAsked(question=asked), AnswerGiven(reply=reply)


def ready(job: SummariseThread, text: str) -> ThreadSummaryReady:
    return ThreadSummaryReady(
        version=job.version, turns=job.turns, text=text, original_chars=job.original_chars,
        compression_rate=job.compression_rate, engine="test",
    )  # fmt: skip


def told(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in _AS_THE_FOLD} for row in rows]


def folded(meeting: Meeting) -> list[dict[str, Any]]:
    rows = meeting.thread.summaries.rows
    return [{name: getattr(row, name) for name in _AS_THE_FOLD} for row in rows]


@pytest.fixture
async def record(world: World, owner: asyncpg.Connection) -> Record:
    record = Record(world, owner)
    record.epoch = await world.hold()
    await record.add(MeetingStarted(at=NINE))
    return record


@pytest.mark.parametrize(("question", "text"), [
    ("출시일이 언제예요?", "출시일은 12월 22일이다."), ("When do we ship?", "It ships on 22 December."),
])  # fmt: skip
async def test_a_row_is_under_way_then_completed_as_the_fold_has_it(
    record: Record, question: str, text: str
) -> None:
    await record.turns(1, 3, question)
    job = await record.begin()
    (row,) = await record.rows()
    assert (row["status"], row["summary_text"], row["summary_version"]) == ("IN_PROGRESS", None, 1)
    assert (row["covered_until_message_id"], row["covered_message_count"]) == ("r3", 8)
    assert row["covered_token_count"] > 0
    await record.add(ready(job, text))
    (row,) = await record.rows()
    assert (row["status"], row["summary_text"], row["error"]) == ("COMPLETED", text, None)
    assert told([row]) == folded(record.meeting)


async def test_a_failure_hides_no_success_and_is_tried_again(record: Record) -> None:
    await record.turns(1, 3)
    await record.add(ready(await record.begin(), "첫째."))
    await record.turns(4, 6)
    job = await record.begin()
    await record.add(ThreadSummaryFailed(version=job.version, error="no summary within 60 s"))
    await record.turns(7, 7)
    await record.add(ready(await record.begin(), "둘째."))
    rows = await record.rows()
    assert [(r["id"], r["status"], r["summary_text"], r["error"]) for r in rows] == [
        ("m-1/v1.1", "COMPLETED", "첫째.", None),
        ("m-1/v2.1", "FAILED", None, "no summary within 60 s"),
        ("m-1/v2.2", "COMPLETED", "둘째.", None),
    ]
    assert told(rows) == folded(record.meeting)


async def test_the_attempt_of_a_dead_holder_is_superseded(record: Record) -> None:
    await record.turns(1, 3)
    await record.begin()
    await record.taken_over()
    job = await record.begin()
    first, second = await record.rows()
    assert (first["status"], first["error"], first["summary_text"]) == ("FAILED", "superseded", None)
    assert (second["id"], second["status"]) == ("m-1/v1.2", "IN_PROGRESS")
    await record.add(ready(job, "요약"))
    rows = await record.rows()
    assert [row["status"] for row in rows] == ["FAILED", "COMPLETED"]
    assert told(rows) == folded(record.meeting)


async def test_the_database_holds_one_job_and_no_text_before_its_end(record: Record) -> None:
    await record.turns(1, 3)
    await record.begin()
    for wrong in (
        "UPDATE moim.conversation_summaries SET summary_text = 'early'",
        "UPDATE moim.conversation_summaries SET status = 'COMPLETED'",
        "UPDATE moim.conversation_summaries SET status = 'FAILED'",
        "UPDATE moim.conversation_summaries SET status = 'DONE'",
        "UPDATE moim.conversation_summaries SET covered_until_message_id = NULL",
    ):
        with pytest.raises(asyncpg.CheckViolationError):
            await record.owner.execute(wrong)
    with pytest.raises(asyncpg.UniqueViolationError):
        await record.owner.execute(
            "INSERT INTO moim.conversation_summaries (tenant, id, conversation_id, covered_until_message_id, seq)"
            " VALUES ('default', 'another', 'm-1', 'r3', 9)"
        )


async def test_rows_are_made_again_from_the_events(record: Record, database: Database) -> None:
    await record.turns(1, 3)
    await record.begin()
    await record.taken_over()
    await record.add(ready(await record.begin(), "첫째."))
    await record.turns(4, 6)
    job = await record.begin()
    await record.add(ThreadSummaryFailed(version=job.version, error="away"))
    await record.turns(7, 7)
    await record.begin()
    before = await record.rows()
    assert [row["status"] for row in before] == ["FAILED", "COMPLETED", "FAILED", "IN_PROGRESS"]
    await record.owner.execute("DELETE FROM moim.conversation_summaries")
    assert await record.owner.fetchval("SELECT moim.rebuild_conversation_summaries('default', 'm-1')") == 4
    assert await record.rows() == before
    app = await asyncpg.connect(database.url)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await app.fetchval("SELECT moim.rebuild_conversation_summaries('default', 'm-1')")
    await app.close()


async def test_rows_go_with_their_meeting_and_events_twice_change_nothing(record: Record) -> None:
    await record.turns(1, 3)
    job = await record.begin()
    await record.add(ready(job, "요약"))
    (row,) = await record.rows()
    late = ThreadSummaryStarted(
        attempt=1,
        version=1,
        covered_until_message_id="r9",
        covered_message_count=1,
        covered_token_count=1,
    )
    await record.add(late, ready(job, "zu spät"), ThreadSummaryFailed(version=1, error="late"))
    assert await record.rows() == [row]
    for table in ("leases", "pushes"):
        await record.owner.execute(f"DELETE FROM moim.{table}")
    await record.owner.execute("DELETE FROM moim.meetings WHERE id = 'm-1'")
    assert await record.rows() == []
