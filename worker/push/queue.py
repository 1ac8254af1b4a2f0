"""What the pusher needs: the record as a queue, and somebody who takes what it sends.

Errors of the queue are those of `context.ports`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from worker.push.request import TranscriptSegmentRequest

Outcome = Literal["sent", "failed", "left_out", "gone"]
"""What became of one thing in one try."""


@dataclass(frozen=True, slots=True)
class PushClaim:
    """One meeting, for one sender, for a while."""

    id: str
    meeting_id: str
    room: str | None
    title: str | None
    sent_until: int
    """The last event that was sent, or had nothing to send."""
    failures: int
    """In a row, of what comes next."""


@dataclass(frozen=True, slots=True)
class PushBatch:
    """What follows in a meeting's record."""

    requests: tuple[TranscriptSegmentRequest, ...]
    until: int
    """The last event that was looked at."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a claim came."""

    sent_until: int
    failures: int = 0
    retry_s: float = 0.0
    error: str | None = None
    gone: bool = False
    """The receiver wants nothing more of this meeting."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits."""

    lag_s: float = 0.0
    """Age of the oldest event that is not sent."""
    failing: int = 0
    """Meetings whose last try failed."""


@dataclass(frozen=True, slots=True)
class PushAnswer:
    """What became of one POST."""

    status: int | None
    """None: no answer, or none in time."""
    error: str = ""
    retry_after_s: float | None = None


class PushQueue(Protocol):
    """The record of a tenant's meetings, and how far each has been sent."""

    async def open(self) -> None:
        """This tenant pushes: open meetings are followed from their beginning, later ones by themselves.

        Called now and again, it lets go of those that are over and sent.
        """
        ...

    async def claim(self, limit: int, lease_s: float) -> Sequence[PushClaim]:
        """Meetings with something to send, longest waiting first; nobody else gets them for `lease_s`."""
        ...

    async def following(self, claim: PushClaim, limit: int) -> PushBatch:
        """The next `limit` events, as far as they are for the webhook."""
        ...

    async def settle(self, claim: PushClaim, progress: Progress) -> bool:
        """Write down how far it came; the claim ends. False: it had run out, and nothing was written."""
        ...

    async def backlog(self) -> Backlog:
        """What waits now."""
        ...


class Receiver(Protocol):
    """The webhook."""

    async def post(self, request: TranscriptSegmentRequest) -> PushAnswer:
        """Send one thing and hear the answer, in bounded time. Never raises for what the other side does."""
        ...
