"""Several outlets as one: the room, and the followers of the meeting's stream.

Each fails for itself: what the stream cannot take now must not keep the room waiting, and a reply
goes to everybody who can be reached.

For a meeting that is somebody else's by now nothing is said. The record refuses what a stale holder writes,
the room does not know one. What is already with the room's client when a process is frozen still goes out;
nothing else does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import structlog

from context.effects import Published
from context.models import AgentCallType
from context.ports import PortError, Unavailable
from worker.ports import Outlet, ReplyStream

log = structlog.get_logger(__name__)

Sure = Callable[[], Awaitable[bool]]
"""Is the meeting ours? Mostly known without asking anybody."""


async def _always() -> bool:
    return True


@runtime_checkable
class Keeping(Protocol):
    """An outlet that keeps what it can't show now, and shows it later; see `RedisOutlet`."""

    def keep(self, tasks: asyncio.TaskGroup, sure: Sure) -> Callable[[], Awaitable[None]]:
        """From now on, as long as the meeting is ours; what ends it."""

    def forget(self, utterances: frozenset[int], *, made: bool) -> None:
        """Drop of what it keeps what shows these turns, and with `made` what was made of any words."""


class Silence:
    """An outlet that nobody follows: replays, and meetings whose only audience is the record."""

    async def show(self, what: Published, *, segment_id: str, durable: bool) -> None:
        """Nobody sees it."""

    async def interim(self, speaker_id: str, segment_id: str, text: str) -> None:
        """Nobody sees it."""

    async def open_reply(
        self, invocation_id: str, call_type: AgentCallType, *, evidence: Sequence[int], to: str | None
    ) -> ReplyStream:
        """An answer into the void; the record keeps it."""
        del invocation_id, call_type, evidence, to
        return Replies([])

    async def say(self, text: str, *, to: str | None = None) -> None:
        """Nobody hears it."""


class Replies:
    """One answer to several streams."""

    def __init__(self, streams: Sequence[ReplyStream], sure: Sure = _always) -> None:
        self._streams, self._sure = streams, sure

    async def write(self, text: str) -> None:
        """The next piece. Raises `Unavailable` where the meeting is not ours any more."""
        await _demand(self._sure)
        await _each("reply", [stream.write(text) for stream in self._streams])

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        """That was all. Also when it is not ours any more: no client waits for more."""
        await _each("reply", [stream.close(evidence=evidence) for stream in self._streams])


class Outlets:
    """Everything goes to each of them, side by side; raises `Unavailable` while we are not `sure`."""

    def __init__(self, *outlets: Outlet) -> None:
        self._outlets = list(outlets)
        self.sure: Sure = _always

    def add(self, outlet: Outlet, *, first: bool = False) -> None:
        """One more from now on. `first`: people wait for it, so it is told before the others."""
        self._outlets.insert(0 if first else len(self._outlets), outlet)

    def keep(self, tasks: asyncio.TaskGroup) -> list[Callable[[], Awaitable[None]]]:
        """Those that can show later what they can't show now (`Keeping`) do so; what ends it for each."""
        return [outlet.keep(tasks, self.sure) for outlet in self._outlets if isinstance(outlet, Keeping)]

    def forget(self, utterances: frozenset[int], *, made: bool) -> None:
        """These turns were erased: nobody shows them later (see `Keeping`)."""
        for outlet in self._outlets:
            if isinstance(outlet, Keeping):
                outlet.forget(utterances, made=made)

    async def show(self, what: Published, *, segment_id: str, durable: bool) -> None:
        """See `Outlet`."""
        kind = type(what).__name__.removeprefix("Publish").lower()
        await self._tell(kind, lambda o: o.show(what, segment_id=segment_id, durable=durable))

    async def interim(self, speaker_id: str, segment_id: str, text: str) -> None:
        """See `Outlet`."""
        await self._tell("interim", lambda o: o.interim(speaker_id, segment_id, text))

    async def open_reply(
        self, invocation_id: str, call_type: AgentCallType, *, evidence: Sequence[int], to: str | None
    ) -> ReplyStream:
        """See `Outlet`. Outlets that can't be reached are left out."""
        await _demand(self.sure)
        streams: list[ReplyStream] = []
        for outlet in self._outlets:
            try:
                streams.append(await outlet.open_reply(invocation_id, call_type, evidence=evidence, to=to))
            except Unavailable as error:
                log.warning("outlet_failed", what="open_reply", error=str(error))
        return Replies(streams, self.sure)

    async def say(self, text: str, *, to: str | None = None) -> None:
        """See `Outlet`."""
        await self._tell("say", lambda o: o.say(text, to=to))

    async def _tell(self, what: str, tell: Callable[[Outlet], Awaitable[None]]) -> None:
        await _demand(self.sure)
        await _each(what, [tell(outlet) for outlet in self._outlets])


async def _demand(sure: Sure) -> None:
    if not await sure():
        raise Unavailable("another holder has the meeting")


async def _each(what: str, calls: Sequence[Awaitable[Any]]) -> None:
    for outcome in await asyncio.gather(*calls, return_exceptions=True):
        if isinstance(outcome, PortError):
            log.warning("outlet_failed", what=what, error=str(outcome))
        elif isinstance(outcome, BaseException):
            raise outcome
