"""The followers of `moim:out:{meeting}`: what goes into the room goes here too, as data.

Replies appear whole, when they are on the record; private ones never do. Who asked by HTTP gets the
answer to his own question as it grows, in a stream of that question's.
"""

from __future__ import annotations

from collections.abc import Sequence

from context.document import gap_fields, reply_fields, run_fields, topic_fields, utterance_fields
from context.models import AgentCallType, Gap, Reply, TopicSegment, Utterance
from worker.adapters.redis_bus import FOLLOWED, RedisBus
from worker.ports import ReplyStream


class _Unread:
    """The stream of a reply that followers get whole, later."""

    async def write(self, text: str) -> None:
        """Not now."""

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        """Not now."""


class _Followed:
    """The stream of a reply that somebody reads as it grows."""

    def __init__(self, bus: RedisBus, invocation_id: str) -> None:
        self._bus, self._invocation_id = bus, invocation_id

    async def write(self, text: str) -> None:
        """The next piece."""
        await self._bus.publish_reply(self._invocation_id, {"text": text})

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        """The whole comes once it is on the record."""


class RedisOutlet:
    """One meeting's live events."""

    def __init__(self, bus: RedisBus, meeting_id: str) -> None:
        self._bus, self._meeting_id = bus, meeting_id

    async def utterance(self, utterance: Utterance, *, segment_id: str, durable: bool) -> None:
        """A final turn."""
        fields = utterance_fields(utterance) | {"segment_id": segment_id, "durable": durable}
        await self._bus.publish(self._meeting_id, "utterance", fields)

    async def interim(self, speaker_id: str, segment_id: str, text: str) -> None:
        """Interims are for the room."""

    async def open_reply(
        self, invocation_id: str, call_type: AgentCallType, *, evidence: Sequence[int], to: str | None
    ) -> ReplyStream:
        """See `reply`."""
        del call_type, evidence, to
        return _Followed(self._bus, invocation_id) if invocation_id.startswith(FOLLOWED) else _Unread()

    async def topic(self, segment: TopicSegment) -> None:
        """A topic began or changed."""
        await self._bus.publish(self._meeting_id, "topic", topic_fields(segment))

    async def gap(self, gap: Gap) -> None:
        """Something was not heard."""
        await self._bus.publish(self._meeting_id, "gap", gap_fields(gap))

    async def reply(self, reply: Reply) -> None:
        """An answer, whole."""
        if reply.invocation_id.startswith(FOLLOWED):
            whole = {**reply_fields(reply), **run_fields(reply)}
            await self._bus.publish_reply(reply.invocation_id, {"reply": whole})
        if not reply.private:
            await self._bus.publish(self._meeting_id, "reply", {**reply_fields(reply), **run_fields(reply)})

    async def status(self, status: str, detail: str = "") -> None:
        """The meeting as a whole changed."""
        await self._bus.publish(self._meeting_id, "status", {"status": status, "detail": detail})

    async def say(self, text: str, *, to: str | None = None) -> None:
        """A line to everybody."""
        if to is None:
            await self._bus.publish(self._meeting_id, "status", {"status": "said", "detail": text})
