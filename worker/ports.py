"""The registry of a tenant's meetings, for holders, standbys and dispatchers: rows, leases, keys of rooms.

Errors are those of `context.ports`: `Unavailable`, `Refused`, `Fenced`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Final, Literal, Protocol

from pydantic import AwareDatetime, Field, SecretStr

from context.models import Frozen
from context.ports import Refused


class Taken(Refused):
    """The id that was asked for belongs to a meeting that is over, or that takes place elsewhere."""


MeetingStatus = Literal["wanted", "live", "ended", "failed"]
"""wanted: it waits for a worker · live: a holder has joined · ended · failed: nothing could be kept."""
DispatchOutcome = Literal["first", "again", "crashed", "failed"]
"""How a job was asked for: `again`: nobody had come; `crashed`: the last one did; `failed`: not at all."""


class Holder(Frozen):
    """A job that holds a meeting, or stands by for it: by its machine, its worker and its process."""

    host: str
    worker_pid: int
    job_pid: int

    def same_worker(self, other: Holder) -> bool:
        """Tell whether both are jobs of one worker, with which they would die together."""
        return (self.host, self.worker_pid) == (other.host, other.worker_pid)

    @property
    def mark(self) -> str:
        """Tells this job from others, without a word of its machine, which a room has no business to know."""
        who = f"{self.host}/{self.worker_pid}/{self.job_pid}"
        return blake2b(who.encode(), digest_size=8).hexdigest()


_INWARD_FIELDS: Final = {
    "failure", "waiting_ms", "lease_over_s", "dispatches", "crashes", "takeovers", "full", "let_go",
    "unwritten",
}  # fmt: skip
"""Fields of a row that `shown` leaves out: they are for workers and dispatchers."""
_CRASHES_BEFORE_WAIT: Final = 3
"""After so many crashes in a row each next job is asked for later (SQL function `moim.crash_wait`)."""
_TAKEOVERS_BEFORE_WAIT: Final = 2
"""After so many takeovers within five minutes the next one waits (SQL function `moim.takeover_wait`)."""


ReasonCode = Literal["crashing", "taken_over", "full", "nobody_came", "nothing_said", "failed"]
"""Why nothing comes of a meeting, for whoever says it in words of their own."""


class MeetingRow(Frozen):
    """One meeting of the registry, as `moim meetings` shows it."""

    id: str
    room: str | None
    """None: a text meeting, without a room."""
    title: str | None = None
    status: MeetingStatus
    started_at: AwareDatetime | None = None
    ended_at: AwareDatetime | None = None
    """When it ended; an ended meeting without it was read from a file that tells no date."""
    epoch: int = 0
    holder: Holder | None = None
    """The present holder; None where no lease stands."""
    standby: Holder | None = None
    """The job that stands by for it; None without one."""
    failure: str | None = None
    """Why nothing could be kept, where the status is `failed`."""
    waiting_ms: int = 0
    """How much speech has no text yet, though its holder has stopped; its lines come late."""
    let_go: bool = False
    """The last lease did not run out: the holder released it, or the worker of a holder that had died did."""
    lease_over_s: float | None = None
    """Seconds since the last lease ended, by the registry's clock; negative while it stands.

    None before the first lease, and in lists.
    """
    unwritten: Mapping[str, int] = Field(default_factory=dict)
    """Where, in ms, the oldest speech begins that the last holder had heard and not written, by participant.

    It is as of the last renewal of its lease; empty in lists.
    """
    dispatches: int = 0
    """How many jobs were asked for since the last lease, where a dispatcher claims it; else 0."""
    crashes: int = 0
    """How many of its last jobs in a row held it for less than 5 seconds, as of the last dispatch."""

    takeovers: int = 0
    """How often it was taken over in the last five minutes from a holder that had let its lease run out."""
    full: str | None = None
    """Which workers take no more meetings, and why, where nobody holds this one; None where all do."""

    @property
    def reason_code(self) -> ReasonCode | None:
        """Why nothing came of the meeting, or comes of it just now; None where something does."""
        if self.status in {"wanted", "live"} and self.holder is None:
            if self.crashes >= _CRASHES_BEFORE_WAIT:
                return "crashing"
            if self.takeovers >= _TAKEOVERS_BEFORE_WAIT:
                return "taken_over"
            if self.full:
                return "full"
        if self.status == "ended" and self.started_at is None and self.ended_at is not None:
            return "nobody_came" if self.room is not None else "nothing_said"
        return "failed" if self.failure is not None else None

    @property
    def reason(self) -> str | None:
        """Why nothing comes of the meeting, in words for a terminal and a log."""
        match self.reason_code:
            case "crashing":
                return f"its last {self.crashes} jobs ended as soon as they began: see the worker's log"
            case "taken_over":
                return f"taken over {self.takeovers} times in five minutes: the next takeover waits a little"
            case "full":
                return f"waits for a worker; at their limit: {self.full}"
            case "nobody_came":
                return "nobody came"
            case "nothing_said":
                return "nothing was said"
            case "failed" | None:
                return self.failure

    def shown(self) -> dict[str, Any]:
        """Give the row as `moim meetings --json` and the API show it, without fields for our own use."""
        shape = self.model_dump(mode="json", exclude=_INWARD_FIELDS)
        sometimes = {
            "failure": self.failure,
            "reason": self.reason,
            "reason_code": self.reason_code,
            "waiting_ms": self.waiting_ms or None,
        }
        return {**shape, **{name: value for name, value in sometimes.items() if value is not None}}


@dataclass(frozen=True, slots=True)
class RoomSeen:
    """A room that exists at LiveKit."""

    name: str
    created_at: datetime

    @classmethod
    def of(cls, name: str, *, created_ms: int, created_s: int) -> RoomSeen:
        """Take LiveKit's word for when a room was made, to the millisecond where it tells that (not 0).

        Both times are since 1970. Raises `ValueError`, `OverflowError` or `OSError` where it is no time.
        """
        return cls(name, datetime.fromtimestamp(created_ms / 1000 or created_s, UTC))


RoomToken = Callable[[str, str, str], str]
"""Makes a token (JWT) by which somebody may join a room, speak, listen and write: room, identity, name."""


class Overview(Frozen):
    """What the list of meetings tells about one, from its record."""

    people: tuple[str, ...] = ()
    length_ms: int = 0
    """The length up to the last word so far."""
    topics: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    """The decisions that stand."""


class Overviews(Protocol):
    """Overviews of a tenant's meetings."""

    async def of(self, meeting_ids: Sequence[str]) -> Mapping[str, Overview]:
        """Give overviews by meeting; that of a meeting without a record is empty. Raises `Unavailable`."""


class Unguarded(Frozen):
    """A live meeting that wants a standby and has none."""

    row: MeetingRow
    apart: bool
    """A job for it in the holder's own worker is to be declined this time."""
    relief: bool = False
    """It wants one only now, because its holder is late with its lease and may be dead."""


class Renewal(Frozen):
    """The answer to a renewal of a lease: what is asked of the holder."""

    end_requested: bool = False
    """Somebody asked to end the meeting (`MeetingRegistry.request_end`)."""


class LeaseStore(Protocol):
    """Leases: the right to write a meeting, for a time, under an epoch, a number that only grows."""

    async def acquire(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        """Take the lease for `ttl_s`; its epoch, or None while another stands or once the meeting is over."""

    async def renew(
        self, meeting_id: str, epoch: int, ttl_s: float, *, unwritten: Mapping[str, int] | None = None
    ) -> Renewal:
        """Extend the lease to `ttl_s` from now, also after its end. Raises `Fenced` where another took it.

        `unwritten` is kept in `MeetingRow.unwritten`; None leaves what was told before.
        """

    async def release(self, meeting_id: str, epoch: int) -> None:
        """End the lease, so that another may take over without waiting."""


class MeetingRegistry(Protocol):
    """The tenant's meetings, whether wanted, live or over."""

    async def want(
        self,
        room: str | None,
        *,
        meeting_id: str | None = None,
        title: str | None = None,
        request_id: str | None = None,
        key: SecretStr | None = None,
    ) -> MeetingRow:
        """Have a meeting in `room` (None: a text meeting); an open one with this room or id is given back.

        `key`: of an end-to-end encrypted room; kept until the meeting is over (`RoomKeys`), or another comes.

        `request_id` is the id of this call: repeated, it gives the same meeting, even when that is over.
        Raises `Taken` where the id is that of a meeting that is over, or is elsewhere.
        """

    async def get(self, meeting_id: str) -> MeetingRow | None:
        """Give a meeting's row; None for an unknown id."""

    async def list_all(self) -> list[MeetingRow]:
        """Give all meetings of the tenant, newest first."""

    async def list_page(
        self, *, limit: int, statuses: Sequence[MeetingStatus] = (), after: str | None = None
    ) -> list[MeetingRow]:
        """Give `limit` meetings at most, newest first, of these statuses (empty: any), behind `after`."""

    async def mark_live(self, meeting_id: str, epoch: int, started_at: AwareDatetime | None) -> None:
        """Note that the holder has joined; `started_at`: when the first human was seen. Raises `Fenced`."""

    async def mark_ended(
        self, meeting_id: str, epoch: int, ended_at: AwareDatetime, failure: str | None = None
    ) -> None:
        """Note that the meeting is over for good; `failure`: why nothing was kept. Raises `Fenced`."""

    async def rename(self, meeting_id: str, title: str) -> bool:
        """Give a meeting another title, whatever its status. False: there is no such meeting."""

    async def request_end(self, meeting_id: str) -> bool:
        """Ask a meeting's holder to end it (`Renewal.end_requested`). False: no such open meeting."""

    async def claim_unheld(
        self, *, limit: int, retry_after_s: float, text: bool = False
    ) -> Sequence[MeetingRow]:
        """Take open meetings without a live lease that nobody has taken in the last `retry_after_s`.

        `text`: those without a room, else those with one. Two dispatchers never get the same one.
        """


class RoomKeys(Protocol):
    """The keys of end-to-end encrypted rooms, for whoever holds the meetings there, and their successors."""

    async def of(self, meeting_id: str) -> SecretStr | None:
        """Give the key of an open meeting's room; None where nobody gave one. Raises `Unavailable`."""


class Standbys(Protocol):
    """The second jobs of meetings: which meetings want one, and which job is one."""

    async def claim_unguarded(
        self, *, limit: int, retry_after_s: float, every: bool, late_s: float = 0.0
    ) -> Sequence[Unguarded]:
        """Take live meetings that want a standby and have none, or one in their holder's own worker.

        `every`: all meetings want one. `late_s`: so does, as a relief, one whose lease ends within that time
        because its holder has not renewed it. Each is due again after `retry_after_s`.
        """

    async def note(self, meeting_id: str, who: Holder, ttl_s: float) -> bool:
        """Note that `who` stands by for `ttl_s`; False where another does, placed as well or better."""

    async def drop(self, meeting_id: str, who: Holder) -> None:
        """Note that `who` stands by no longer."""

    async def want(self, meeting_id: str) -> None:
        """Have a standby for this meeting for as long as it is open, whatever the dispatcher's setting."""

    async def seek_successor(self, meeting_id: str, epoch: int, ttl_s: float) -> None:
        """Have a standby in another worker for `ttl_s`, because the holder wants to go. Raises `Fenced`."""

    async def successor_found(self, meeting_id: str) -> None:
        """End what `seek_successor` asked for: a successor has been found."""
