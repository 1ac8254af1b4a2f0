"""An outlet that says nothing for a meeting that is somebody else's by now.

The record refuses what a stale holder writes, the room does not know one. What is already with the
room's client when a process is frozen still goes out; nothing else does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from context.models import AgentCallType, Gap, Reply, TopicSegment, Utterance
from context.ports import Unavailable
from worker.ports import Outlet, ReplyStream

Sure = Callable[[], Awaitable[bool]]
"""Is the meeting ours? Mostly known without asking anybody."""


class HeldOutlet:
    """Another outlet, for as long as the meeting is ours. Raises `Unavailable` when it is not."""

    def __init__(self, outlet: Outlet, sure: Sure) -> None:
        self._outlet, self._sure = outlet, sure

    async def utterance(self, utterance: Utterance, *, segment_id: str, durable: bool) -> None:
        """See `Outlet`."""
        await _demand(self._sure)
        await self._outlet.utterance(utterance, segment_id=segment_id, durable=durable)

    async def interim(self, speaker_id: str, segment_id: str, text: str) -> None:
        """See `Outlet`."""
        await _demand(self._sure)
        await self._outlet.interim(speaker_id, segment_id, text)

    async def open_reply(
        self, invocation_id: str, call_type: AgentCallType, *, evidence: Sequence[int], to: str | None
    ) -> ReplyStream:
        """See `Outlet`."""
        await _demand(self._sure)
        stream = await self._outlet.open_reply(invocation_id, call_type, evidence=evidence, to=to)
        return _HeldReply(stream, self._sure)

    async def corrected(self, utterance: Utterance) -> None:
        """See `Outlet`."""
        await _demand(self._sure)
        await self._outlet.corrected(utterance)

    async def topic(self, segment: TopicSegment) -> None:
        """See `Outlet`."""
        await _demand(self._sure)
        await self._outlet.topic(segment)

    async def gap(self, gap: Gap) -> None:
        """See `Outlet`."""
        await _demand(self._sure)
        await self._outlet.gap(gap)

    async def reply(self, reply: Reply) -> None:
        """See `Outlet`."""
        await _demand(self._sure)
        await self._outlet.reply(reply)

    async def status(self, status: str, detail: str = "") -> None:
        """See `Outlet`."""
        await _demand(self._sure)
        await self._outlet.status(status, detail)

    async def say(self, text: str, *, to: str | None = None) -> None:
        """See `Outlet`."""
        await _demand(self._sure)
        await self._outlet.say(text, to=to)


class _HeldReply:
    def __init__(self, stream: ReplyStream, sure: Sure) -> None:
        self._stream, self._sure = stream, sure

    async def write(self, text: str) -> None:
        await _demand(self._sure)
        await self._stream.write(text)

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        # Also when it is not ours any more: an end without a word, so that no client waits for more.
        await self._stream.close(evidence=evidence)


async def _demand(sure: Sure) -> None:
    if not await sure():
        raise Unavailable("another holder has the meeting")
