"""What the pusher needs: the record as a queue, and a receiver of what it sends; and how a push looks.

Errors of the queue are those of `context.ports`. What is POSTed to the webhook is signed JSON: a final turn,
an answer, the minutes, or what was erased.

The receiver checks `Moim-Signature`: `v1=` and the hex HMAC-SHA256 of `Moim-Timestamp`, a dot and the
body as it came, with MOIM_WEBHOOK_SECRET. The timestamp is the moment of sending (seconds since 1970),
so a copy that somebody kept can be told by its age. `Moim-Id` stays the same however often a thing is
sent: a receiver that keeps the ids it has seen gets everything exactly once.

Beside these go the headers of Standard Webhooks (standardwebhooks.com), whose libraries verify them with
`whsec_` and the base64 of the same secret: `webhook-id`, `webhook-timestamp` and `webhook-signature`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, Protocol
from urllib.parse import quote

PostOutcome = Literal["sent", "failed", "left_out", "gone"]
"""What became of one POST: `left_out` is refused for its content for good, `gone` ends the whole meeting."""


@dataclass(frozen=True, slots=True)
class PushClaim:
    """The right of one sender to push one meeting, for a while."""

    id: str
    meeting_id: str
    room: str | None
    title: str | None
    sent_until: int
    """The last event that was sent, or had nothing to send."""
    failures: int
    """How many tries in a row have failed at what comes next."""


@dataclass(frozen=True, slots=True)
class PushBatch:
    """The next events of a meeting's record, as far as they are to be pushed."""

    requests: tuple[TranscriptSegmentRequest, ...]
    until: int
    """The number of the last event that was read for it, pushed or not."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a meeting has been pushed, and when to go on."""

    sent_until: int
    failures: int = 0
    retry_s: float = 0.0
    """How long to wait before the next try."""
    error: str | None = None
    gone: bool = False
    """The receiver wants nothing more of this meeting."""


@dataclass(frozen=True, slots=True)
class PushBacklog:
    """How much of the tenant's record waits to be pushed."""

    lag_s: float = 0.0
    """Age of the oldest event that is not sent, in seconds; 0 where none waits."""
    failing: int = 0
    """How many meetings failed at their last try."""


@dataclass(frozen=True, slots=True)
class PushAnswer:
    """What a receiver answered to one POST."""

    status: int | None
    """None: no answer, or none in time."""
    error: str = ""
    retry_after_s: float | None = None
    """What its `Retry-After` asks for; None where it asks for nothing."""


class PushQueue(Protocol):
    """The record of a tenant's meetings, and how far each has been sent."""

    async def open(self) -> None:
        """Have the tenant's meetings pushed: open ones from now on, later ones from their beginning.

        To be called now and again: it also drops meetings that are over and wholly sent.
        """
        ...

    async def close(self) -> None:
        """Let go of all that was to be pushed: whoever opens the queue later begins then."""
        ...

    async def claim(self, limit: int, lease_s: float) -> Sequence[PushClaim]:
        """Take up to `limit` meetings with something to send, the longest waiting first, for `lease_s`."""
        ...

    async def following(self, claim: PushClaim, limit: int) -> PushBatch:
        """Read the next `limit` events of the claimed meeting."""
        ...

    async def settle(self, claim: PushClaim, progress: Progress) -> bool:
        """Write down the progress and end the claim. False: it had run out, and nothing was written."""
        ...

    async def backlog(self) -> PushBacklog:
        """Tell how much waits to be posted now."""
        ...


class Receiver(Protocol):
    """Takes what the pusher sends: `worker.adapters.webhook_receiver` is the webhook."""

    async def post(self, request: TranscriptSegmentRequest) -> PushAnswer:
        """Send one push; give the answer in bounded time. Nothing that the receiver does is raised."""
        ...


VERSION: Final = 1
USER_AGENT: Final = "Moim-Push/1"

PushKind = Literal["utterance", "reply", "minutes", "erased"]


@dataclass(frozen=True, slots=True)
class TranscriptSegmentRequest:
    """One push: a final turn, an answer, the minutes or an erasure (the name is of seed 000 §10.3.1)."""

    meeting_id: str
    room: str | None
    title: str | None
    seq: int
    """The number of its event on the record: later pushes of a meeting have higher ones."""
    kind: PushKind
    content: dict[str, Any]
    """The turn or the answer, with the fields of `moim export`; of the minutes `url` and `markdown`; of an
    erasure its mark: `id`, `by`, `target` and the numbers of the emptied `utterances`."""
    recorded_at: datetime
    tenant: str = "default"
    """Whose meeting it is: two tenants may have the same ids, and the same receiver."""

    @property
    def id(self) -> str:
        """The id of a push and its copies: `MEETING/SEQ`, with `@TENANT` for tenants other than `default`."""
        whose = "" if self.tenant == "default" else f"@{quote(self.tenant, safe='')}"
        return f"{self.meeting_id}/{self.seq}{whose}"

    def body(self) -> bytes:
        """Encode the body: one JSON object in UTF-8, with `content` under the name of `kind`."""
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
    """Give the value of the header `Moim-Signature`; `timestamp` is that of `Moim-Timestamp`."""
    digest = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    return f"v1={digest}"


def standard_signature(secret: str, header_id: str, timestamp: int, body: bytes) -> str:
    """Give the value of the header `webhook-signature`; `header_id` is that of `webhook-id`."""
    signed = f"{header_id}.{timestamp}.".encode() + body
    return f"v1,{base64.b64encode(hmac.digest(secret.encode(), signed, 'sha256')).decode()}"


def headers(secret: str, body: bytes, *, sent_at: datetime, push_id: str, kind: str) -> dict[str, str]:
    """Give all headers that go with a body. An id is percent-encoded in its headers."""
    timestamp, encoded = int(sent_at.timestamp()), quote(push_id, safe="/")
    dotless = encoded.replace(".", "%2E")  # what Standard Webhooks signs is three parts with dots between
    return {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": USER_AGENT,
        "webhook-id": dotless,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": standard_signature(secret, dotless, timestamp, body),
        "Moim-Id": encoded,
        "Moim-Kind": kind,
        "Moim-Timestamp": str(timestamp),
        "Moim-Signature": signature(secret, timestamp, body),
    }
