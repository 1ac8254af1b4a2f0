"""What waits to be shown: in order, each thing once what it rests on is settled on the record."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog

from context import effects
from context.models import Utterance
from context.ports import PortError
from worker.clock import Clock
from worker.ports import Outlet
from worker.record.recorder import Recorder

log = structlog.get_logger(__name__)

_SHOWN_WITHIN_S: Final = 2.0
"""A snapshot waits so long for an outlet that does not answer."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One effect on its way out."""

    seq: int
    """The event that wanted it."""
    effect: effects.Effect
    put_s: float
    again: bool = False
    """By a successor, to be on the safe side: how late it is says nothing."""


class Outbox:
    """A meeting's effects between the fold and its outlet. `run` shows them."""

    def __init__(
        self,
        outlet: Outlet,
        recorder: Recorder,
        clock: Clock,
        *,
        segment_id: Callable[[str], str],
        changed: Callable[[int], None],
        turn_shown: Callable[[Utterance, Outgoing, float], None],
        now: Callable[[effects.Effect], effects.Effect] = lambda effect: effect,
    ) -> None:
        """`segment_id` of a turn's key. `now`: what was wanted shown, without what was erased meanwhile.

        `changed` hears how many wait, `turn_shown` of a turn that went out for the first time, with the
        moment at which it was settled on the record.
        """
        self._outlet, self._recorder, self._clock = outlet, recorder, clock
        self._segment_id, self._changed, self._turn_shown = segment_id, changed, turn_shown
        self._now = now
        self._queue: asyncio.Queue[Outgoing] = asyncio.Queue()
        self._unshown: deque[int] = deque()
        """The events of what waits, or is being shown."""
        self._shown_one = asyncio.Event()

    def put(self, effect: effects.Effect, seq: int, *, again: bool = False) -> None:
        """Show this once the record has event `seq`; `again`: a holder before us may have shown it."""
        self._unshown.append(seq)
        self._changed(len(self._unshown))
        self._queue.put_nowait(Outgoing(seq, effect, self._clock.monotonic_s(), again))

    async def run(self) -> None:
        """Show one after the other; what the outlet does not take is logged and left."""
        while True:
            outgoing = await self._queue.get()
            try:
                durable = await self._recorder.settled(outgoing.seq)
                settled_s = self._clock.monotonic_s()
                await self._show(self._now(outgoing.effect), durable=durable)
                if isinstance(outgoing.effect, effects.PublishUtterance) and not outgoing.again:
                    self._turn_shown(outgoing.effect.utterance, outgoing, settled_s)
            except PortError as error:
                log.warning("publish_failed", error=str(error))
            except Exception:
                log.exception("publish_failed")
            finally:
                self._unshown.popleft()
                self._shown_one.set()
                self._changed(len(self._unshown))

    async def shown_up_to(self, seq: int) -> None:
        """What follows a snapshot is shown again by a successor; so what precedes it has to be out."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SHOWN_WITHIN_S):
                while self._unshown and self._unshown[0] <= seq:
                    self._shown_one.clear()
                    await self._shown_one.wait()

    async def _show(self, effect: effects.Effect, *, durable: bool) -> None:
        match effect:
            case effects.PublishUtterance(utterance=said):
                await self._outlet.utterance(
                    said, segment_id=self._segment_id(said.key or str(said.id)), durable=durable
                )
            case effects.PublishCorrected(utterance=said):
                await self._outlet.corrected(said)
            case effects.PublishTopic(segment=segment):
                await self._outlet.topic(segment)
            case effects.PublishGap(gap=gap):
                await self._outlet.gap(gap)
            case effects.PublishReply(reply=reply):
                await self._outlet.reply(reply)
            case effects.PublishStatus(status=status, detail=detail):
                await self._outlet.status(status, detail)
            case _:
                pass
