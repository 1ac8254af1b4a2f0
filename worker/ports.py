"""What a meeting's holder needs besides the record: lease, registry of meetings, standbys, links, outlets.

Errors are those of `context.ports`: `Unavailable`, `Refused`, `Fenced`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, Final, Literal, Protocol
from urllib.parse import unquote

from pydantic import AwareDatetime, Field, SecretStr

from context import effects
from context.events import GapNoted, SpeechWaits, SpeechWordless, UtteranceSpoken
from context.models import AgentCallType, Frozen
from context.ports import Refused
from context.privacy_events import ConsentTold
from context.text import has_controls, one_line

MAX_ROOM_BYTES: Final = 256
"""LiveKit's own limit for the name of a room, which it counts in bytes of UTF-8: 85 Korean letters."""


def name_fault(name: str) -> str | None:
    """Say why this may not be a name or id, which ends up in logs and attributes; None where it may."""
    if not one_line(name):
        return "must hold text"
    if has_controls(name):
        return "must not hold control characters"
    if (form := one_line(unquote(name))) in {".", ".."}:
        return f"must not be {form}: in an address that means a folder, and leads elsewhere"
    return None


def room_fault(name: str) -> str | None:
    """Say why no room of LiveKit's can have this name, or Moim cannot record it; None where it can."""
    if (fault := name_fault(name)) is not None:
        return fault
    if (size := len(name.encode())) > MAX_ROOM_BYTES:
        return f"must have at most {MAX_ROOM_BYTES} bytes in UTF-8, LiveKit's limit: it has {size}"
    return None


MAX_KEY: Final = 1_000
"""The most characters that the key of a room may have."""


def key_fault(key: str) -> str | None:
    """Say why this cannot be the key of an end-to-end encrypted room; None where it can."""
    if not key.strip():
        return "must hold text"
    if len(key) > MAX_KEY:
        return f"must have at most {MAX_KEY} characters"
    if has_controls(key):
        return "must be one line, without control characters"
    return None


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


_INWARD: Final = {
    "failure", "waiting_ms", "lease_over_s", "dispatches", "crashes", "takeovers", "full", "let_go",
    "unwritten",
}  # fmt: skip
"""Fields of a row that `shown` leaves out: they are for workers and dispatchers."""
_CRASHING: Final = 3
"""After so many crashes in a row each next job is asked for later (SQL function `moim.crash_wait`)."""
_OFTEN: Final = 2
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
            if self.crashes >= _CRASHING:
                return "crashing"
            if self.takeovers >= _OFTEN:
                return "taken_over"
            if self.full:
                return "full"
        if self.status == "ended" and self.started_at is None and self.ended_at is not None:
            return "nobody_came" if self.room is not None else "nothing_said"
        return "failed" if self.failure is not None else None

    @property
    def reason(self) -> str | None:
        """The same in words, for a terminal and a log."""
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
        shape = self.model_dump(mode="json", exclude=_INWARD)
        more = {
            "failure": self.failure,
            "reason": self.reason,
            "reason_code": self.reason_code,
            "waiting_ms": self.waiting_ms or None,
        }
        return {**shape, **{name: told for name, told in more.items() if told is not None}}


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
        wish: str | None = None,
        key: SecretStr | None = None,
    ) -> MeetingRow:
        """Have a meeting in `room` (None: a text meeting); an open one with this room or id is given back.

        `key`: of an end-to-end encrypted room; kept until the meeting is over (`RoomKeys`), or another comes.

        `wish` is the id of this call: repeated, it gives the same meeting, even when that is over. Raises
        `Taken` where the id is that of a meeting that is over, or is elsewhere.
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


class Link(Frozen):
    """A link that opens one meeting's page to anybody, until it expires or is withdrawn."""

    id: str
    meeting_id: str
    may_edit: bool
    made_at: AwareDatetime
    expires_at: AwareDatetime


class EndedLink(Frozen):
    """A link that opens nothing any more, and the room that its guests may be in."""

    id: str
    room: str


class Links(Protocol):
    """The links of a tenant. The secret in a link is told once, and kept nowhere."""

    async def make(self, meeting_id: str, *, may_edit: bool, lasting: timedelta) -> tuple[Link, str]:
        """Make a link; give it and its secret. Raises `Refused` for an unknown meeting."""

    async def opened(self, secret: str) -> Link | None:
        """Give the link that a secret opens; None where it never opened one, or opens it no more."""

    async def standing(self, meeting_id: str) -> Sequence[Link]:
        """Give the links that still open a meeting, newest first."""

    async def stands(self, link_id: str) -> bool:
        """Tell whether a link has neither expired nor been withdrawn."""

    async def ended(self, within: timedelta) -> Sequence[EndedLink]:
        """Give those that expired or were withdrawn within this time, to meetings that have a room."""

    async def withdraw(self, meeting_id: str, link_id: str) -> bool:
        """Withdraw a meeting's link; False where no such link stood."""


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
        """For `ttl_s`, have a standby in another worker, because the holder wants to go. Raises `Fenced`."""

    async def successor_found(self, meeting_id: str) -> None:
        """End what `seek_successor` asked for: a successor has been found."""


LateEvent = UtteranceSpoken | GapNoted | SpeechWaits | SpeechWordless
"""What comes late: a turn, that a stretch waits for its text, or that none will come of it."""


def late_key(event: LateEvent) -> str:
    """Give the id under which a late event counts once; that a stretch waits is one of its own."""
    return f"waits:{event.key}" if isinstance(event, SpeechWaits) else event.key or ""


class LateWordStore(Protocol):
    """What came too late for its holder, left by a worker for whoever holds the meeting, or opens it again.

    Every method may raise `PortError`.
    """

    async def offer(self, meeting_id: str, said: Sequence[LateEvent]) -> int:
        """Leave late events for the holder; give how many were neither on record nor offered before."""

    async def missing(self, meeting_id: str, keys: Sequence[str]) -> set[str]:
        """Give those of `keys` under which no turn is on record."""

    async def waiting(self, meeting_id: str, limit: int) -> Sequence[LateEvent]:
        """Give at most `limit` events that wait for the meeting's holder, in the order they were spoken."""

    async def over(self, limit: int) -> Sequence[str]:
        """Give at most `limit` meetings that are over and have late events that nobody folded in yet."""

    async def taken(self, meeting_id: str, keys: Sequence[str]) -> None:
        """Forget events that are on the record now, by `late_key`."""

    async def seen(self, meeting_id: str) -> None:
        """Note that the sound of a meeting's speech that waits is still there."""

    async def unseen(self, for_s: float, limit: int) -> Sequence[str]:
        """Give at most `limit` meetings that are over, with sound that nobody has seen for so long."""

    async def unseen_of(self, meeting_id: str, for_s: float) -> Sequence[SpeechWaits]:
        """Give the stretches of a meeting whose sound nobody has seen for so long: it is gone."""

    async def refused(self, meeting_id: str, told: ConsentTold) -> bool:
        """Keep a no to being heard that is on no record; False where its person told something since."""

    async def paused(self, meeting_id: str, at_ms: int) -> bool:
        """Tell whether a pause that is on no record still stands: none is on now, and none ended since."""


class ReplyStream(Protocol):
    """One answer that is shown outside while it is written."""

    async def write(self, text: str) -> None:
        """Write the next piece of the text."""

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        """End the answer; `evidence` are the numbers of the utterances that it rests on."""


Stage = Literal["reading", "looking", "writing", "checking"]
"""What the agent does with a question: reading it, looking for passages, writing, checking what it said."""


class Outlet(Protocol):
    """A place where a meeting is shown outside: its room, or the followers of its stream."""

    async def show(self, what: effects.Published, *, segment_id: str, durable: bool) -> None:
        """Show what the fold has published; a turn in its speaker's name.

        Unless it is `durable`, it is not on the record yet. `segment_id` of a turn is the same however often
        it is shown; of anything else it is empty.
        """

    async def interim(self, speaker_id: str, segment_id: str, text: str, firm: int = 0) -> None:
        """Show words under way, which the next interim or turn with this id replaces.

        `firm`: so many characters, from the beginning, are to stay; without a text nothing is shown any more.
        """

    async def doing(self, stage: Stage) -> None:
        """Show those who watch just now what the agent is doing with a question that is not private."""

    async def open_reply(
        self,
        invocation_id: str,
        call_type: AgentCallType,
        *,
        evidence: Sequence[int],
        to: str | None,
        instead: str = "",
    ) -> ReplyStream:
        """Begin to show an answer, to the participant `to` alone, or (None) to everybody.

        With `instead` it rests on other meetings or documents: those who see this meeting alone are told
        that line, and nothing of the answer.
        """

    async def say(self, text: str, *, to: str | None = None) -> None:
        """Write a line into the chat that answers no question: a notice, the closing summary."""
