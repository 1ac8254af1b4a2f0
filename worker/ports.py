"""What a meeting's session needs besides the record: the lease, the list of meetings, the room.

Errors are those of `context.ports`: `Unavailable`, `Refused`, `Fenced`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal, Protocol

from pydantic import AwareDatetime, Field

from context import effects
from context.models import AgentCallType, Frozen
from context.ports import Refused

MAX_ROOM_BYTES: Final = 256
"""LiveKit's own limit for the name of a room, which it counts in bytes of UTF-8: 85 Korean letters."""


def name_fault(name: str) -> str | None:
    """Why this can be no name or id in logs, attributes and file names; None where it can."""
    if not name.strip():
        return "must hold text"
    if any(ord(c) < 0x20 or 0xD800 <= ord(c) < 0xE000 for c in name):
        return "must not hold control characters"
    return None


def room_fault(name: str) -> str | None:
    """Why no room of LiveKit's that Moim could write down has this name; None where one may."""
    if (fault := name_fault(name)) is not None:
        return fault
    if (size := len(name.encode())) > MAX_ROOM_BYTES:
        return f"must have at most {MAX_ROOM_BYTES} bytes in UTF-8, LiveKit's limit: it has {size}"
    return None


class Taken(Refused):
    """The id that was asked for belongs to a meeting that is over, or that takes place elsewhere."""


MeetingStatus = Literal["wanted", "live", "ended", "failed"]
DispatchOutcome = Literal["first", "again", "crashed", "failed"]
"""A job was asked for, once more after nobody had come, or could not be asked for."""


class Holder(Frozen):
    """The job that may write a meeting: its worker, its process and its machine."""

    host: str
    worker_pid: int
    job_pid: int

    def same_worker(self, other: Holder) -> bool:
        """Do both live in one worker, so that they die together with it?"""
        return (self.host, self.worker_pid) == (other.host, other.worker_pid)


_INWARD: Final = {"failure", "lease_over_s", "dispatches", "crashes", "let_go", "unwritten"}
"""Fields of a row that are the workers' and dispatchers' own."""
_CRASHING: Final = 3
"""So many in a row, and the next job is asked for later each time (`moim.crash_wait`)."""


class MeetingRow(Frozen):
    """One meeting of the registry, as `moim meetings` shows it."""

    id: str
    room: str | None
    """None: a text meeting, without a room."""
    title: str | None = None
    status: MeetingStatus
    started_at: AwareDatetime | None = None
    ended_at: AwareDatetime | None = None
    epoch: int = 0
    holder: Holder | None = None
    """The present holder; None where no lease stands."""
    standby: Holder | None = None
    failure: str | None = None
    let_go: bool = False
    """The last lease did not run out: its holder, or the worker of a holder that died, ended it."""
    lease_over_s: float | None = None
    """Seconds since the last lease ended, by the registry's clock; negative while it stands.

    None before the first lease, and in lists.
    """
    unwritten: Mapping[str, int] = Field(default_factory=dict)
    """What the last holder had heard and not written: participant → ms where the oldest of it begins.

    As it was at its last renewal; empty in lists.
    """
    dispatches: int = 0
    """Jobs asked for since the last lease, where a dispatcher claims it; else 0."""

    crashes: int = 0
    """Its last jobs in a row that held it for less than 5 seconds, as counted at the last dispatch."""

    @property
    def reason(self) -> str | None:
        """Why nothing came of it, where nothing did; or comes of it now."""
        if self.status in {"wanted", "live"} and self.crashes >= _CRASHING and self.holder is None:
            return f"its last {self.crashes} jobs ended as soon as they began: see the worker's log"
        if self.status != "ended" or self.started_at is not None:
            return self.failure
        return "nobody came" if self.room is not None else "nothing was said"

    def shown(self) -> dict[str, Any]:
        """In the shape that the outside relies on; `failure` and `reason` only where there is one."""
        shape = self.model_dump(mode="json", exclude=_INWARD)
        more = {"failure": self.failure, "reason": self.reason}
        return {**shape, **{name: why for name, why in more.items() if why is not None}}


@dataclass(frozen=True, slots=True)
class RoomSeen:
    """A room as LiveKit has it."""

    name: str
    created_at: datetime


class Overview(Frozen):
    """What the list of meetings tells of one."""

    people: tuple[str, ...] = ()
    length_ms: int = 0
    """Up to the last word so far."""
    topics: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    """Those that stand."""


class Overviews(Protocol):
    """Of the meetings of a tenant."""

    async def of(self, meeting_ids: Sequence[str]) -> Mapping[str, Overview]:
        """By the meeting's id; what is on record of none is empty. Raises `Unavailable`."""


class Unguarded(Frozen):
    """A live meeting that wants a standby and has none."""

    row: MeetingRow
    apart: bool
    """Not in the holder's own worker: this time it may be declined there."""
    relief: bool = False
    """It wants none as a rule: its holder is late with its lease, and may be dead."""


class Renewal(Frozen):
    """A lease was renewed and goes on; this is what is asked of its holder."""

    end_requested: bool = False
    """`moim end` was called for this meeting."""


class LeaseStore(Protocol):
    """The right to write a meeting, with a number that only grows."""

    async def acquire(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        """The new epoch, or None while somebody else's lease stands or the meeting has ended."""

    async def renew(
        self, meeting_id: str, epoch: int, ttl_s: float, *, unwritten: Mapping[str, int] | None = None
    ) -> Renewal:
        """Extend; also after expiry, as long as nobody took a higher epoch. Raises `Fenced`.

        `unwritten`: see `MeetingRow`; None leaves what was told before.
        """

    async def release(self, meeting_id: str, epoch: int) -> None:
        """Let go at once, so that another may take over without waiting."""


class MeetingRegistry(Protocol):
    """Which meetings are wanted, live, ended."""

    async def want(
        self,
        room: str | None,
        *,
        meeting_id: str | None = None,
        title: str | None = None,
        wish: str | None = None,
    ) -> MeetingRow:
        """A meeting in `room` (None: text). The same open room or id again gives the same meeting.

        The same `wish` again does so for ever: a copy of one opens no new meeting once its own is over.
        """

    async def get(self, meeting_id: str) -> MeetingRow | None:
        """One meeting."""

    async def list_all(self) -> list[MeetingRow]:
        """All meetings of the tenant, newest first."""

    async def list_page(
        self, *, limit: int, statuses: Sequence[MeetingStatus] = (), after: str | None = None
    ) -> list[MeetingRow]:
        """At most `limit` of them, newest first; `after`: the meeting before the first one."""

    async def mark_live(self, meeting_id: str, epoch: int, started_at: AwareDatetime | None) -> None:
        """The holder has joined; `started_at` once the first human was seen. Raises `Fenced`."""

    async def mark_ended(
        self, meeting_id: str, epoch: int, ended_at: AwareDatetime, failure: str | None = None
    ) -> None:
        """Over, for good. With `failure`: nothing could be kept. Raises `Fenced`."""

    async def request_end(self, meeting_id: str) -> bool:
        """Ask the holder to end it (`Renewal.end_requested`). False: no such open meeting."""

    async def claim_unheld(
        self, *, limit: int, retry_after_s: float, text: bool = False
    ) -> Sequence[MeetingRow]:
        """Open meetings that no live lease holds and nobody dispatched in the last `retry_after_s`.

        `text`: those without a room, else those with one. Claimed atomically: two dispatchers never get
        the same one.
        """


class Link(Frozen):
    """What lets somebody in to one meeting's page, until it expires or is withdrawn."""

    id: str
    meeting_id: str
    may_edit: bool
    made_at: AwareDatetime
    expires_at: AwareDatetime


class Links(Protocol):
    """The links of a tenant. What opens one is a secret that is told once, and kept nowhere."""

    async def make(self, meeting_id: str, *, may_edit: bool, lasting: timedelta) -> tuple[Link, str]:
        """A new link, and the secret that opens it. Raises `Refused` where there is no such meeting."""

    async def opened(self, secret: str) -> Link | None:
        """What a secret opens; None where it never did, has expired or was withdrawn."""

    async def standing(self, meeting_id: str) -> Sequence[Link]:
        """Those that open a meeting still, newest first."""

    async def stands(self, link_id: str) -> bool:
        """Whether a link still opens anything."""

    async def withdraw(self, meeting_id: str, link_id: str) -> bool:
        """Let it open nothing any more; False where it did not."""


class Standbys(Protocol):
    """The second jobs of meetings: who wants one, who is one."""

    async def claim_unguarded(
        self, *, limit: int, retry_after_s: float, every: bool, late_s: float = 0.0
    ) -> Sequence[Unguarded]:
        """Live meetings that want a standby and have none, or one in their holder's own worker.

        `every`: all of them want one. `late_s`: so does, as a relief, one whose lease ends within that time,
        because its holder has not renewed it. Claimed atomically, and due again after `retry_after_s`.
        """

    async def note(self, meeting_id: str, who: Holder, ttl_s: float) -> bool:
        """Stand by for `ttl_s`; False where somebody else does who is placed as well or better."""

    async def drop(self, meeting_id: str, who: Holder) -> None:
        """Stand by no longer."""

    async def want(self, meeting_id: str) -> None:
        """This meeting is to have a standby for as long as it is open."""

    async def seek_successor(self, meeting_id: str, epoch: int, ttl_s: float) -> None:
        """The holder wants to go: find a standby in another worker. Raises `Fenced`."""

    async def successor_found(self, meeting_id: str) -> None:
        """Nobody wants to go any more."""


class ReplyStream(Protocol):
    """One answer on its way into the room."""

    async def write(self, text: str) -> None:
        """Write the next piece of the text."""

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        """End it: nothing more will come."""


class Outlet(Protocol):
    """Where a meeting is heard outside: its room, and the followers of its stream."""

    async def show(self, what: effects.Published, *, segment_id: str, durable: bool) -> None:
        """What is on the record, or (not `durable`) is not yet; a final turn in its speaker's name.

        `segment_id` of a turn is the same however often it is sent; of anything else it is empty.
        """

    async def interim(self, speaker_id: str, segment_id: str, text: str) -> None:
        """What the engine thinks so far; replaced by the next one with this id."""

    async def open_reply(
        self, invocation_id: str, call_type: AgentCallType, *, evidence: Sequence[int], to: str | None
    ) -> ReplyStream:
        """Start an answer; `to` = one participant alone, None = everybody."""

    async def say(self, text: str, *, to: str | None = None) -> None:
        """A line in the chat that answers no question: a notice, the closing summary."""
