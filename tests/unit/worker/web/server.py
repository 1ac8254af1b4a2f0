"""A real aiohttp server on a free port, over a registry in memory."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from context.corpora.passage import Passage, Query, Retrieved
from context.events.effects import SummariseThread
from context.events.events import ThreadSummaryFailed, ThreadSummaryReady
from context.ports import Refused
from context.question import Question
from tests.fakes.audit import FakeAudit
from tests.fakes.documents import FakeDocumentStore
from tests.fakes.erasures import FakeErasures
from tests.fakes.leases import FakeLeases
from tests.fakes.recordings import FakeRecordings
from tests.fakes.registry import FakeRegistry
from tests.fakes.store import FakeStore
from worker.meeting.asker import NothingOnRecord, Within
from worker.meeting.correcting import Correction
from worker.messages import AskMessage
from worker.monitoring.metrics import Metrics
from worker.ports import Holder, MeetingRow, Overview
from worker.web.backends import Api

TOKEN = "비밀-0123456789-token-of-tests"
ID = "m-1"
REPLY = {"id": "r1", "text": "출시일은 11월 20일입니다. We ship on the 20th.", "evidence": [3]}


@dataclass
class FakeAnswers:
    """Says what it is told to, or fails."""

    pieces: list[str | dict[str, Any]] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    within: list[Within | None] = field(default_factory=list)
    error: Exception | None = None
    wait: asyncio.Event | None = None

    async def ask(
        self, row: MeetingRow, question: Question, within: Within | None = None
    ) -> AsyncGenerator[str | dict[str, Any], None]:
        self.asked.append(question)
        self.within.append(within)
        if row.status == "wanted":
            raise NothingOnRecord
        for piece in self.pieces:
            if self.wait is not None and isinstance(piece, dict):
                await self.wait.wait()
            yield piece
        if self.error is not None:
            raise self.error


@dataclass
class FakeSummaries:
    seen: list[SummariseThread] = field(default_factory=list)
    error: str = ""

    async def summarise_thread(
        self, effect: SummariseThread, *, at_ms: int
    ) -> ThreadSummaryReady | ThreadSummaryFailed:
        self.seen.append(effect)
        if self.error:
            return ThreadSummaryFailed(version=1, error=self.error)
        return ThreadSummaryReady(
            version=1, turns=(1,), text="요약: 출시일은 11월 20일.", original_chars=effect.original_chars,
            compression_rate=effect.compression_rate, engine="extractive", latency_ms=3, at_ms=at_ms,
        )  # fmt: skip


@dataclass
class FakeCorrections:
    seen: list[Correction] = field(default_factory=list)

    async def correct(self, row: MeetingRow, correction: Correction) -> str:
        if row.status not in ("live", "ended"):
            raise Refused(f"meeting {row.id!r} is {row.status}")
        self.seen.append(correction)
        return f"c{len(self.seen)}"


@dataclass
class FakeRetriever:
    passages: list[Passage] = field(default_factory=list)
    asked: list[Query] = field(default_factory=list)

    async def retrieve(self, query: Query, *, k: int = 8, budget_tokens: int = 900) -> Retrieved:
        self.asked.append(query)
        return Retrieved(passages=tuple(self.passages[:k]))


@dataclass
class FakeOverviews:
    told: dict[str, Overview] = field(default_factory=dict)

    async def of(self, meeting_ids: Sequence[str]) -> dict[str, Overview]:
        return {id_: self.told[id_] for id_ in meeting_ids if id_ in self.told}


@dataclass
class FakeRates:
    asked: list[AskMessage] = field(default_factory=list)

    async def ask(self, meeting_id: str, question: AskMessage) -> str:
        self.asked.append(question)
        return "1-0"


@dataclass
class Site:
    """The server, what is behind it, and a client."""

    port: int = field(init=False)
    parts: Api = field(init=False)
    client: aiohttp.ClientSession = field(init=False)
    registry: FakeRegistry = field(default_factory=FakeRegistry)
    answers: FakeAnswers = field(default_factory=FakeAnswers)
    summaries: FakeSummaries = field(default_factory=FakeSummaries)
    metrics: Metrics = field(default_factory=Metrics)
    store: FakeStore = field(init=False)
    corrections: FakeCorrections = field(default_factory=FakeCorrections)
    retriever: FakeRetriever = field(default_factory=FakeRetriever)
    overviews: FakeOverviews = field(default_factory=FakeOverviews)
    library: FakeDocumentStore = field(default_factory=FakeDocumentStore)
    recordings: FakeRecordings = field(default_factory=FakeRecordings)
    rates: FakeRates = field(default_factory=FakeRates)
    audit: FakeAudit = field(default_factory=FakeAudit)
    erasures: FakeErasures = field(default_factory=FakeErasures)
    links_ended: int = 0
    """How often it was told that a link is withdrawn."""

    def __post_init__(self) -> None:
        self.store = FakeStore(self.registry.record)

    def link_ended(self) -> None:
        self.links_ended += 1

    async def hold(self, meeting_id: str = "m-1") -> int:
        """The meeting is live, held under the epoch that comes back."""
        await self.registry.want("회의실", meeting_id=meeting_id)
        leases = FakeLeases(self.registry.record)
        epoch = await leases.acquire(meeting_id, Holder(host="a", worker_pid=1, job_pid=2), 60)
        assert epoch is not None
        await self.registry.mark_live(meeting_id, epoch, None)
        return epoch

    async def call(
        self, method: str, path: str, body: Any = None, *, token: str | None = TOKEN, **more: Any
    ) -> tuple[int, Any]:
        """Status and JSON (or text) of one request."""
        headers = dict(more.pop("headers", {}))
        if token is not None:
            headers.setdefault("Authorization", f"Bearer {token}")
        if body is not None:
            more["data"] = io.BytesIO(body if isinstance(body, bytes) else json.dumps(body).encode())
            headers.setdefault("Content-Type", "application/json")
        url = f"http://127.0.0.1:{self.port}{path}"
        async with self.client.request(method, url, headers=headers, **more) as response:
            text = await response.text()
            self.headers = response.headers
            return response.status, json.loads(text) if text and "json" in response.content_type else text

    async def status(self, method: str, path: str, body: Any = None, **more: Any) -> int:
        """The status of one request."""
        return (await self.call(method, path, body, **more))[0]

    @property
    def own(self) -> dict[str, str]:
        """What a browser sends from our own page."""
        return {"Origin": f"http://127.0.0.1:{self.port}"}


def is_error(answer: Any) -> bool:
    return (
        set(answer) == {"error"}
        and set(answer["error"]) == {"field", "value", "mend"}
        and bool(answer["error"]["mend"])
    )
