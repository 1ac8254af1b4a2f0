"""The outlets of a meeting, where it is shown outside: its room, and the followers of its stream.

`Outlet` is the port of one of them, and `Outlets` passes everything on to several. Each fails for itself:
what the stream cannot take now must not keep the room waiting, and a reply goes to everybody who can be
reached.

A holder that has lost its meeting to another must say nothing any more. The record refuses what it writes,
but a room cannot tell. So before anything goes out, `sure` is asked whether the meeting is still ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

import structlog

from context.events.effects import Published
from context.models import AgentCallType
from context.ports import PortError, Unavailable

log = structlog.get_logger(__name__)


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

    async def show(self, what: Published, *, segment_id: str, durable: bool) -> None:
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


Sure = Callable[[], Awaitable[bool]]
"""Tells whether this process still holds the meeting; mostly it knows without asking the database."""


async def _always() -> bool:
    return True


@runtime_checkable
class BufferingOutlet(Protocol):
    """An outlet that can keep what it cannot show now, and show it later: `RedisOutlet`."""

    def keep(self, tasks: asyncio.TaskGroup, sure: Sure) -> Callable[[], Awaitable[None]]:
        """Begin to keep, and to show late while the meeting is ours. What is given back, called, ends it."""

    def forget(self, utterances: frozenset[int], *, made: bool) -> None:
        """Drop what is kept and shows these erased turns; with `made`, also what was made of any words."""


class SilentOutlet:
    """An outlet that shows nothing to anybody: for replays, and meetings that only the record follows."""

    async def show(self, what: Published, *, segment_id: str, durable: bool) -> None:
        """Do nothing."""

    async def interim(self, speaker_id: str, segment_id: str, text: str, firm: int = 0) -> None:
        """Do nothing."""

    async def doing(self, stage: Stage) -> None:
        """Do nothing."""

    async def open_reply(
        self,
        invocation_id: str,
        call_type: AgentCallType,
        *,
        evidence: Sequence[int],
        to: str | None,
        instead: str = "",
    ) -> ReplyStream:
        """Give a stream that nobody reads; the record keeps the answer."""
        del invocation_id, call_type, evidence, to, instead
        return Replies([])

    async def say(self, text: str, *, to: str | None = None) -> None:
        """Do nothing."""


class Replies:
    """The `ReplyStream` of several outlets: what is written goes to each of their streams."""

    def __init__(self, streams: Sequence[ReplyStream], sure: Sure = _always) -> None:
        self._streams, self._sure = streams, sure

    async def write(self, text: str) -> None:
        """See `ReplyStream.write`. Raises `Unavailable` where the meeting is not ours any more."""
        await _demand(self._sure)
        await _each("reply", [stream.write(text) for stream in self._streams])

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        """See `ReplyStream.close`; also where the meeting is not ours any more: no client is left waiting."""
        await _each("reply", [stream.close(evidence=evidence) for stream in self._streams])


class Outlets:
    """An `Outlet` that passes everything on to several, side by side.

    Each method raises `Unavailable` where `sure` tells that the meeting is not ours. Errors of single outlets
    are logged.
    """

    def __init__(self, *outlets: Outlet) -> None:
        self._outlets = list(outlets)
        self.sure: Sure = _always

    def add(self, outlet: Outlet, *, first: bool = False) -> None:
        """Pass everything on to one more outlet; `first`: before the others, because people wait for it."""
        self._outlets.insert(0 if first else len(self._outlets), outlet)

    def keep(self, tasks: asyncio.TaskGroup) -> list[Callable[[], Awaitable[None]]]:
        """Have each `BufferingOutlet` keep what it cannot show now; see `BufferingOutlet.keep`."""
        return [
            outlet.keep(tasks, self.sure) for outlet in self._outlets if isinstance(outlet, BufferingOutlet)
        ]

    def forget(self, utterances: frozenset[int], *, made: bool) -> None:
        """Drop what outlets keep of erased turns: see `BufferingOutlet.forget`."""
        for outlet in self._outlets:
            if isinstance(outlet, BufferingOutlet):
                outlet.forget(utterances, made=made)

    async def show(self, what: Published, *, segment_id: str, durable: bool) -> None:
        """See `Outlet.show`."""
        kind = type(what).__name__.removeprefix("Publish").lower()
        await self._tell(kind, lambda o: o.show(what, segment_id=segment_id, durable=durable))

    async def interim(self, speaker_id: str, segment_id: str, text: str, firm: int = 0) -> None:
        """See `Outlet.interim`."""
        await self._tell("interim", lambda o: o.interim(speaker_id, segment_id, text, firm))

    async def doing(self, stage: Stage) -> None:
        """See `Outlet.doing`."""
        await self._tell("doing", lambda o: o.doing(stage))

    async def open_reply(
        self,
        invocation_id: str,
        call_type: AgentCallType,
        *,
        evidence: Sequence[int],
        to: str | None,
        instead: str = "",
    ) -> ReplyStream:
        """See `Outlet.open_reply`. Outlets that cannot be reached are left out."""
        await _demand(self.sure)
        streams: list[ReplyStream] = []
        for outlet in self._outlets:
            try:
                streams.append(
                    await outlet.open_reply(
                        invocation_id, call_type, evidence=evidence, to=to, instead=instead
                    )
                )
            except Unavailable as error:
                log.warning("outlet_failed", what="open_reply", error=str(error))
        return Replies(streams, self.sure)

    async def say(self, text: str, *, to: str | None = None) -> None:
        """See `Outlet.say`."""
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
