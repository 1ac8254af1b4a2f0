"""A worker's free places: the meetings that have waited longest are dispatched as places come free.

A dispatch that finds every worker full is forgotten by LiveKit, and its meeting is dispatched again ever less
often. So a worker tells the registry how many more places it has than a moment ago, and as many of the
meetings that have waited longest are dispatched at once. No more than that: not all are to run for one place.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import structlog

from context.ports import PortError
from worker.errors import one_line
from worker.ports import Holder

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 0.5
TELL_FULL_EVERY_S: Final = 3.0
FULL_NOTED_S: Final = 10.0
"""What a worker has told of itself is believed so long: it may have died since."""


class WaitingMeetings(Protocol):
    """The meetings that nobody holds. All methods raise `PortError`."""

    async def hurry(self) -> None:
        """Make all of them due for a dispatch now, as if no job had been asked for."""

    async def offer(self, places: int) -> None:
        """Make as many of those due now that have waited longest."""

    async def note_full(self, worker: Holder, cause: str, ttl_s: float) -> None:
        """Note for `ttl_s` why this worker takes no more of them; an empty text: it does."""


class Places:
    """A worker's places, of which it has `most`, and how many are free by the load that it tells LiveKit."""

    def __init__(self, most: int, me: Holder) -> None:
        """`me`: this worker, as meetings' holders name it."""
        self._most, self._me = most, me
        self._free = 0
        self.full_because = ""
        """Why this worker takes no more meetings; empty where it does."""

    def seen(self, load: float, full_because: str = "") -> None:
        """Note how much of the worker is taken, 0 to 1, and why it is full. May be called from any thread."""
        self._free = math.floor(self._most * (1 - load) + 1e-6)  # 1 - 41/42 is a place, too
        if bool(full_because) != bool(self.full_because):
            if full_because:
                log.warning("takes_no_more_meetings", cause=full_because)
            else:
                log.info("takes_meetings_again")
        self.full_because = full_because

    def degraded(self) -> list[str]:
        """Say that this worker takes no more meetings, and why; empty where it does."""
        return [f"worker: it takes no more meetings: {self.full_because}"] if self.full_because else []

    async def tell_full(self, waiting: WaitingMeetings) -> None:
        """Keep noted in the registry why this worker takes no more meetings, until cancelled."""
        noted = False
        while True:
            cause = self.full_because
            if (cause or noted) and await _safely(waiting.note_full(self._me, cause, FULL_NOTED_S)):
                noted = bool(cause)
            await asyncio.sleep(TELL_FULL_EVERY_S)

    async def offer(
        self, waiting: WaitingMeetings, registered: asyncio.Event, tell_livekit: Callable[[], Awaitable[None]]
    ) -> None:
        """Once the worker has `registered`, hurry all that waits; then offer each place that comes free.

        Runs until cancelled; an outage is waited out. `tell_livekit` tells the load before each offer, for
        LiveKit sends no job to a worker that it takes for a full one.
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
    """Await it; False where the registry is away: then a meeting's turn comes with its next dispatch."""
    try:
        await telling
    except PortError as error:
        log.warning("dispatch_not_hurried", error=one_line(error))
        return False
    return True
