"""What the API works with; the bootstrap gives the real parts, tests give fakes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any, Protocol

from context.corpora.passage import Retriever
from context.effects import SummariseThread
from context.erasure.target import Target
from context.events import ThreadSummaryFailed, ThreadSummaryReady
from worker.audit import Audit
from worker.documents.library import Library
from worker.erasures import Receipt
from worker.meeting.asking import Pieces, Question
from worker.meeting.correcting import Correction
from worker.messages import AskMessage, ConsentMessage
from worker.ports import Links, MeetingRow, MeetingStatus, Overviews
from worker.web.following import Following

Admission = Callable[[str, str, str], str]
"""Room, identity and name to a token of LiveKit's that lets in there alone."""


class Meetings(Protocol):
    """The list of meetings, as the API reads and changes it."""

    async def want(
        self, room: str | None, *, meeting_id: str | None = None, title: str | None = None
    ) -> MeetingRow:
        """See `MeetingRegistry`. Raises `Taken`."""
        ...

    async def get(self, meeting_id: str) -> MeetingRow | None:
        """One meeting."""
        ...

    async def list_page(
        self, *, limit: int, statuses: Sequence[MeetingStatus] = (), after: str | None = None
    ) -> list[MeetingRow]:
        """At most `limit`, newest first; `after`: the meeting before the first one."""
        ...

    async def request_end(self, meeting_id: str) -> bool:
        """Ask the holder to end it. False: no such open meeting."""
        ...


class Documents(Protocol):
    """Makes a meeting's document from its record."""

    async def __call__(self, row: MeetingRow) -> dict[str, Any]:
        """The document. Raises `InputError` where nothing is on record."""
        ...


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


class ThreadPanels(Protocol):
    """What the agent keeps in mind of a meeting."""

    async def thread(self, row: MeetingRow) -> dict[str, Any]:
        """Give seed 001's side panel."""
        ...

    async def budget(self, row: MeetingRow) -> dict[str, Any]:
        """Give seed 004's dashboard."""
        ...

    async def set_rate(self, row: MeetingRow, rate: float, by: str) -> None:
        """Raises `Refused` where the meeting is not live, `Unavailable`."""
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

    meetings: Meetings
    documents: Documents
    answers: Answers
    summaries: TextShortener
    corrections: CorrectionTaker
    erasures: ErasureDesk
    retriever: Retriever
    overviews: Overviews
    library: Library
    panels: ThreadPanels
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
