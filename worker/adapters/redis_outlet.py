"""An `Outlet` to the followers of `moim:{tenant}:out:{meeting}`: what goes into the room, as data.

Replies appear whole, when they are on the record; of the private ones those that were asked for through
Redis, because their asker has no other place to read them (`private`, `by`: for whom they are), never one of
the room's chat. Who asked by HTTP gets the answer to their own question as it grows, in a stream of its own.

What Redis does not take now is kept, in order and bounded, and shown once it is back; meanwhile nothing
waits for it, neither the room nor later events. Events are kept only while a
meeting is held (`keep`): a holder that has lost it shows nothing late, its successor does that.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

import structlog

from context.events import effects
from context.export.document import gap_fields, reply_fields, run_fields, topic_fields, utterance_fields
from context.models import AgentCallType, Reply
from context.ports import PortError, Unavailable
from worker.adapters.redis_bus import entry_of, live_event, tells_of
from worker.messages import FOLLOWED_PREFIX
from worker.outlets import Replies, ReplyStream, Stage

log = structlog.get_logger(__name__)

MAX_KEPT_EVENTS: Final = 1000
"""Live events, some 1 KB each; beyond that the oldest are dropped, which the record has."""
_RETRY_S: Final = 1.0
LEAVE_WITHIN_S: Final = 3.0
"""A holder that leaves waits so long for what is kept to be shown."""


class Bus(Protocol):
    """What an outlet needs of `RedisBus`."""

    async def put(self, meeting_id: str, event: bytes, *, again: bool = False) -> int:
        """Append a live event, and return its number. Raises `PortError`."""

    async def publish_reply(self, invocation_id: str, entry: Mapping[str, Any]) -> None:
        """Publish a piece of an answer, or the whole, to who follows it. Raises `PortError`."""

    async def pass_on(self, meeting_id: str, kind: str, fields: Mapping[str, Any]) -> None:
        """Show something of the moment to who watches now. Raises `PortError`."""

    async def pause(self, wait_s: float) -> None:
        """Wait until Redis is back, `wait_s` at most."""


class _ReadStream:
    """A `ReplyStream` that somebody reads as it grows."""

    def __init__(self, bus: Bus, invocation_id: str) -> None:
        self._bus, self._invocation_id = bus, invocation_id

    async def write(self, text: str) -> None:
        """See `ReplyStream.write`."""
        await self._bus.publish_reply(self._invocation_id, {"text": text})

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        """Do nothing: the whole answer is shown once it is on the record."""


class RedisOutlet:
    """An `Outlet`, and `BufferingOutlet`, that publishes one meeting's live events to its stream in Redis."""

    def __init__(self, bus: Bus, meeting_id: str) -> None:
        self._bus, self._meeting_id = bus, meeting_id
        self._keeping = False
        self._kept: deque[bytes] = deque()
        self._missed = 0
        self._changed = asyncio.Event()
        """Set whenever an event was kept, or kept ones were tried again."""

    def keep(
        self, tasks: asyncio.TaskGroup, sure: Callable[[], Awaitable[bool]]
    ) -> Callable[[], Awaitable[None]]:
        """Keep events through an outage from now on, instead of raising, and show them after it.

        `sure` tells whether the meeting is still ours: only then is anything shown late. To call what is
        returned ends the keeping, after a moment for what is left.
        """
        self._keeping = True
        showing = tasks.create_task(self._show_late(sure), name="late-showing")

        async def close() -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(LEAVE_WITHIN_S):
                    while self._kept:
                        self._changed.clear()
                        await self._changed.wait()
            self._keeping = False
            showing.cancel()
            if self._kept:
                log.warning("never_shown_to_followers", events=len(self._kept))

        return close

    def forget(self, utterances: frozenset[int], *, made: bool) -> None:
        """Drop kept events that show these turns or, with `made`, what was made of any words."""
        self._kept = deque(e for e in self._kept if not tells_of(entry_of(e), utterances, made=made))

    async def show(self, what: effects.Published, *, segment_id: str, durable: bool) -> None:
        """See `Outlet.show`: published in the shape of the document (`context.export.document`)."""
        match what:
            case effects.PublishUtterance(utterance=utterance):
                fields = utterance_fields(utterance) | {"segment_id": segment_id, "durable": durable}
                await self._publish("utterance", fields)
            case effects.PublishCorrected(utterance=utterance):
                await self._publish("utterance", utterance_fields(utterance))
            case effects.PublishTopic(segment=segment):
                await self._publish("topic", topic_fields(segment))
            case effects.PublishGap(gap=gap):
                await self._publish("gap", gap_fields(gap))
            case effects.PublishReply(reply=reply):
                await self._reply(reply)
            case effects.PublishStatus(status=status, detail=detail):
                named = {} if what.name is None else {"name": what.name}
                await self._publish("status", {"status": status, "detail": detail, **named})

    async def interim(self, speaker_id: str, segment_id: str, text: str, firm: int = 0) -> None:
        """See `Outlet.interim`: for who watches now; an outage loses it."""
        with suppress(Unavailable):
            fields = {"speaker": speaker_id, "segment_id": segment_id, "text": text, "firm": firm}
            await self._bus.pass_on(self._meeting_id, "interim", fields)

    async def doing(self, stage: Stage) -> None:
        """See `Outlet.doing`: for who watches now; an outage loses it."""
        with suppress(Unavailable):
            await self._bus.pass_on(self._meeting_id, "doing", {"stage": stage})

    async def open_reply(
        self,
        invocation_id: str,
        call_type: AgentCallType,
        *,
        evidence: Sequence[int],
        to: str | None,
        instead: str = "",
    ) -> ReplyStream:
        """See `Outlet.open_reply`: only an answer that somebody follows by HTTP is written piece by piece."""
        del call_type, evidence, to, instead
        return (
            _ReadStream(self._bus, invocation_id)
            if invocation_id.startswith(FOLLOWED_PREFIX)
            else Replies([])
        )

    async def _reply(self, reply: Reply) -> None:
        whole = {**reply_fields(reply), **run_fields(reply)}
        try:
            if reply.invocation_id.startswith(FOLLOWED_PREFIX):
                await self._bus.publish_reply(reply.invocation_id, {"reply": whole})
        finally:  # kept for the meeting's followers, where that cannot be had now
            if not reply.private or reply.via == "redis":
                await self._publish("reply", whole)

    async def say(self, text: str, *, to: str | None = None) -> None:
        """See `Outlet.say`: a line to everybody is shown, one to a single person is not."""
        if to is None:
            await self._publish("status", {"status": "said", "detail": text})

    async def _publish(self, kind: str, fields: Mapping[str, Any]) -> None:
        event = live_event(kind, fields)
        if not self._kept:
            try:
                await self._bus.put(self._meeting_id, event)
            except Unavailable as error:
                if not self._keeping:
                    raise
                log.warning("shown_later", error=str(error))
            else:
                return
        if len(self._kept) >= MAX_KEPT_EVENTS:
            self._kept.popleft()
            self._missed += 1
        self._kept.append(event)
        self._changed.set()

    async def _show_late(self, sure: Callable[[], Awaitable[bool]]) -> None:
        while True:
            while not self._kept:
                self._changed.clear()
                await self._changed.wait()
            await self._bus.pause(_RETRY_S)
            shown = 0
            with suppress(PortError):
                while await sure() and self._kept:  # in this order: an erasure may empty it meanwhile
                    event = self._kept[0]
                    await self._bus.put(self._meeting_id, event, again=True)
                    shown += 1
                    if self._kept and self._kept[0] is event:
                        self._kept.popleft()
            if shown and not self._kept:
                log.info("shown_late", events=shown, missed=self._missed)
                self._missed = 0
            self._changed.set()
