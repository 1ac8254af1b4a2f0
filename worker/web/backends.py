"""What the API works with: its parts, whom it lets in, and how much of each kind it does at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Any, Final, Protocol

from aiohttp import web

from context.corpora.passage import Retriever
from context.effects import SummariseThread
from context.erasure.target import Target
from context.events import ThreadSummaryFailed, ThreadSummaryReady
from worker.audit import Audit
from worker.documents.library import Library
from worker.erasures import Receipt
from worker.meeting.asking import Pieces, Question
from worker.meeting.correcting import Correction
from worker.meeting.panels import Panels
from worker.messages import AskMessage, ConsentMessage
from worker.ports import Links, MeetingRegistry, MeetingRow, Overviews
from worker.web.errors import busy
from worker.web.following import Following
from worker.web.viewers import LinkStanding, Sessions

Admission = Callable[[str, str, str], str]
"""Room, identity and name to a token of LiveKit's that lets in there alone."""
Documents = Callable[[MeetingRow], Awaitable[dict[str, Any]]]
"""Makes a meeting's document from its record. Raises `InputError` where nothing is on record."""
EVENT_STREAM: Final = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}
"""The headers of an answer that goes on in server-sent events."""


class Answers(Protocol):
    """Answers to questions from outside."""

    def ask(self, row: MeetingRow, question: Question) -> Pieces:
        """Pieces, then the fields of the reply. Raises `NothingOnRecord`, `Unavailable`."""
        ...


class CorrectionTaker(Protocol):
    """Takes what people put right, for live and for ended meetings."""

    async def correct(self, row: MeetingRow, correction: Correction) -> str:
        """The correction's id. Raises `Unavailable`, or `Refused` where there is nothing to put right."""
        ...


class ErasureDesk(Protocol):
    """Where it is asked for that words are taken out."""

    async def ask(
        self, target: Target, *, id_: str, by: str, meeting_id: str | None = None, why: str = ""
    ) -> int:
        """Of how many meetings it is. Raises `Refused` for an unknown one, `Unavailable`."""
        ...

    async def hold(self, meeting_id: str, *, held: bool) -> None:
        """Erase nothing of a meeting until it is let go of. Raises `Refused`: unknown."""
        ...

    async def keep(self, meeting_id: str, days: int | None) -> None:
        """Keep a meeting's words for so many days after its end; None: as the dispatcher is set."""
        ...

    async def receipt(self, id_: str) -> Receipt | None:
        """How far it has come; None for an unknown one."""
        ...


class People(Protocol):
    """What the record has of people."""

    async def everything(self, person: str) -> dict[str, Any]:
        """JSON-able, over all meetings of the tenant."""
        ...


class MeetingOrders(Protocol):
    """Where a meeting's holder hears what it is told."""

    async def ask(self, meeting_id: str, question: AskMessage | ConsentMessage) -> str:
        """Tell it. Raises `Unavailable`."""
        ...


class TextShortener(Protocol):
    """Summarises conversations that live elsewhere."""

    async def summarise_thread(
        self, effect: SummariseThread, *, at_ms: int
    ) -> ThreadSummaryReady | ThreadSummaryFailed:
        """Summarise a thread; it never raises."""
        ...


@dataclass(frozen=True, slots=True)
class ApiParts:
    """Everything that the API's handlers work with."""

    meetings: MeetingRegistry
    documents: Documents
    answers: Answers
    summaries: TextShortener
    corrections: CorrectionTaker
    erasures: ErasureDesk
    retriever: Retriever
    overviews: Overviews
    library: Library
    panels: Panels
    links: Links
    following: Following
    admission: Admission
    audit: Audit
    people: People
    orders: MeetingOrders | None = None
    """Where live meetings are told something; None: no Redis."""
    join_url: str = ""
    """LiveKit, as browsers reach it; empty: nobody joins from a page."""
    kept_days: int | None = None
    """Words are erased so many days after a meeting's end; None: they are kept."""
    zone: tzinfo = UTC
    """In which exported minutes tell the time of day."""


@dataclass(slots=True)
class Api:
    """One application's parts, and what its requests have to share."""

    parts: ApiParts
    sessions: Sessions
    standing: LinkStanding
    stopping: bool = False
    """This process is to stop: who watches a meeting is let go."""
    places: dict[str, asyncio.Semaphore] = field(default_factory=dict)


API: Final = web.AppKey("api", Api)


def api_of(request: web.Request) -> Api:
    """What the application has that this request came to."""
    return request.app[API]


def places(request: web.Request, what: str, at_once: int) -> asyncio.Semaphore:
    """The places for one kind of work, `at_once` for the whole application."""
    return api_of(request).places.setdefault(what, asyncio.Semaphore(at_once))


@asynccontextmanager
async def place(request: web.Request, what: str, at_once: int) -> AsyncIterator[None]:
    """One of these places within the block. Raises `ApiError` (429) where all are taken."""
    free = places(request, what, at_once)
    if free.locked():
        raise busy(what, at_once)
    async with free:
        yield
