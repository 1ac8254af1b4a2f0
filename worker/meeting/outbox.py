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
from worker.meeting.under_way import UnderWay
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
    what: effects.Published
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
        under_way: UnderWay,
        *,
        segment_id: Callable[[str], str],
        turn_shown: Callable[[Utterance, Outgoing, float], None],
        now: Callable[[effects.Published], effects.Published],
    ) -> None:
        """`segment_id` of a turn's key. `now`: what was wanted shown, without what was erased meanwhile.

        `turn_shown` hears of a turn that went out for the first time, with the moment at which it was
        settled on the record.
        """
        self._outlet, self._recorder, self._clock = outlet, recorder, clock
        self._under_way, self._segment_id, self._turn_shown = under_way, segment_id, turn_shown
        self._now = now
        self._queue: asyncio.Queue[Outgoing] = asyncio.Queue()
        self._unshown: deque[int] = deque()
        """The events of what waits, or is being shown."""
        self._shown_one = asyncio.Event()

    def put(self, what: effects.Published, seq: int, *, again: bool = False) -> None:
        """Show this once the record has event `seq`; `again`: a holder before us may have shown it."""
        self._unshown.append(seq)
        self._under_way.add("effects", 1)
        self._queue.put_nowait(Outgoing(seq, what, self._clock.monotonic_s(), again))

    async def run(self) -> None:
        """Show one after the other; what the outlet does not take is logged and left."""
        while True:
            outgoing = await self._queue.get()
            try:
                durable = await self._recorder.settled(outgoing.seq)
                settled_s = self._clock.monotonic_s()
                what, said = self._now(outgoing.what), None
                if isinstance(what, effects.PublishUtterance):
                    said = what.utterance
                segment_id = self._segment_id(said.key or str(said.id)) if said is not None else ""
                await self._outlet.show(what, segment_id=segment_id, durable=durable)
                if said is not None and not outgoing.again:
                    self._turn_shown(said, outgoing, settled_s)
            except PortError as error:
                log.warning("publish_failed", error=str(error))
            except Exception:
                log.exception("publish_failed")
            finally:
                self._unshown.popleft()
                self._shown_one.set()
                self._under_way.add("effects", -1)

    async def shown_up_to(self, seq: int) -> None:
        """What follows a snapshot is shown again by a successor; so what precedes it has to be out."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SHOWN_WITHIN_S):
                while self._unshown and self._unshown[0] <= seq:
                    self._shown_one.clear()
                    await self._shown_one.wait()
