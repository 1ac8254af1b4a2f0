"""A worker's places at meetings: who waits for one is told when there is one.

A dispatch that finds every worker full is forgotten by LiveKit, and its meeting asked for again ever less
often. So a worker tells the record how many places it has more than a moment ago, and as many of the meetings
that have waited longest are dispatched at once. No more than that: a queue is not to run for one place.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import structlog

from context.ports import PortError
from worker.errors import one_line

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 0.5


class Waiting(Protocol):
    """The meetings that nobody holds."""

    async def hurry(self) -> None:
        """All of them are due now, as if no job had been asked for."""

    async def offer(self, places: int) -> None:
        """As many of those that have waited longest are due now."""


class Places:
    """How many are free, as LiveKit's looks at the load have it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._free = 0

    def seen(self, load: float) -> None:
        """So much of the worker is taken, 0 to 1. From any thread."""
        self._free = math.floor(self._most * (1 - load) + 1e-6)  # 1 - 41/42 is a place, too

    async def offer(
        self, waiting: Waiting, registered: asyncio.Event, tell_livekit: Callable[[], Awaitable[None]]
    ) -> None:
        """Until cancelled. Once registered: all that was dispatched with no worker there; then each place.

        `tell_livekit`: it sends no job to a worker that it takes for a full one.
        """
        await registered.wait()
        await _safely(waiting.hurry())
        known = self._free
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            free = self._free
            if free > known:
                await tell_livekit()
                if not await _safely(waiting.offer(free - known)):
                    continue  # the next look offers them
            known = free


async def _safely(telling: Awaitable[None]) -> bool:
    """A record that is away costs no meeting: its turn comes with the back-off."""
    try:
        await telling
    except PortError as error:
        log.warning("dispatch_not_hurried", error=one_line(error))
        return False
    return True
