"""What the pusher needs: the record as a queue, and somebody who takes what it sends.

Errors of the queue are those of `context.ports`. What is POSTed to the webhook is signed JSON: a final turn,
an answer, the minutes, or what was erased.

The receiver checks `Moim-Signature`: `v1=` and the hex HMAC-SHA256 of `Moim-Timestamp`, a dot and the
body as it came, with MOIM_WEBHOOK_SECRET. The timestamp is the moment of sending (seconds since 1970),
so a copy that somebody kept can be told by its age. `Moim-Id` stays the same however often a thing is
sent: a receiver that keeps the ids it has seen gets everything exactly once.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, Protocol
from urllib.parse import quote

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
    """How much waits to be posted, and for how long."""

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
        """Tell how much waits to be posted now."""
        ...


class Receiver(Protocol):
    """Takes what the pusher sends: the webhook."""

    async def post(self, request: TranscriptSegmentRequest) -> PushAnswer:
        """Send one thing and hear the answer, in bounded time. Never raises for what the other side does."""
        ...


VERSION: Final = 1
USER_AGENT: Final = "Moim-Push/1"

PushKind = Literal["utterance", "reply", "minutes", "erased"]


@dataclass(frozen=True, slots=True)
class TranscriptSegmentRequest:
    """One push; seed 000 §10.3.1 names it so."""

    meeting_id: str
    room: str | None
    title: str | None
    seq: int
    """Place in the meeting's record: later pushes of a meeting have higher ones."""
    kind: PushKind
    content: dict[str, Any]
    """The turn or the answer, with the fields of `moim export`; of the minutes `url` and `markdown`; of an
    erasure its mark: `id`, `by`, `target` and the numbers of the emptied `utterances`."""
    recorded_at: datetime
    tenant: str = "default"
    """Whose meeting it is: two tenants may have the same ids, and the same receiver."""

    @property
    def id(self) -> str:
        """The same for every copy, and no other tenant's: that of `default` ends in a number."""
        whose = "" if self.tenant == "default" else f"@{quote(self.tenant, safe='')}"
        return f"{self.meeting_id}/{self.seq}{whose}"

    def body(self) -> bytes:
        """Give the body as JSON in UTF-8."""
        fields = {
            "version": VERSION,
            "id": self.id,
            "kind": self.kind,
            "tenant": self.tenant,
            "meeting_id": self.meeting_id,
            "room": self.room,
            "title": self.title,
            "seq": self.seq,
            "recorded_at": self.recorded_at.isoformat(),
            self.kind: self.content,
        }
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """The value of the header `Moim-Signature`."""
    digest = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    return f"v1={digest}"


def headers(secret: str, body: bytes, *, sent_at: datetime, push_id: str, kind: str) -> dict[str, str]:
    """Everything that goes with a body. What is not ASCII in an id is percent-escaped in its header."""
    timestamp = int(sent_at.timestamp())
    return {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": USER_AGENT,
        "Moim-Id": quote(push_id, safe="/"),
        "Moim-Kind": kind,
        "Moim-Timestamp": str(timestamp),
        "Moim-Signature": signature(secret, timestamp, body),
    }
