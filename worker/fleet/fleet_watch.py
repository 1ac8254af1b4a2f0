"""What a dispatcher tells Prometheus: how many meetings wait for a worker, and for how long.

It asks the record and not the dispatcher's loop: a loop that stands still would report nothing.

Does LiveKit take our key? Asked once, at the start: a wrong one does not mend itself.
"""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

import structlog

from context.ports import PortError, Unavailable
from worker.bootstrap import placement
from worker.configuration.settings import Settings
from worker.errors import one_line
from worker.monitoring.metrics import Metrics

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 5.0
PATIENCE_S: Final = 15.0
_DEADLINE_S: Final = 10.0
_GREETING_S: Final = 5.0


class WaitingList(Protocol):
    """The meetings that nobody holds."""

    async def waiting(self) -> tuple[int, float]:
        """How many, and for how many seconds the longest has waited. Raises `PortError`."""


class FleetWatch:
    """Looks every few seconds until cancelled; a database that is away is said, and waited for."""

    def __init__(self, meetings: WaitingList, metrics: Metrics) -> None:
        self._meetings, self._metrics = meetings, metrics
        self._trouble = ""
        self._waiting: tuple[int, float] = (0, 0.0)

    def problems(self) -> list[str]:
        """Why no meeting can be found a worker; empty when all is well."""
        return [self._trouble] if self._trouble else []

    def degraded(self) -> list[str]:
        """Who has been without a worker for longer than finding one takes."""
        count, longest_s = self._waiting
        if longest_s < PATIENCE_S:
            return []
        who = "1 meeting waits" if count == 1 else f"{count} meetings wait"
        return [f"{who} for a worker, the longest for {longest_s:.0f} s: is the fleet full?"]

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            try:
                async with asyncio.timeout(_DEADLINE_S):
                    self._waiting = await self._meetings.waiting()
                self._metrics.meetings_waiting(*self._waiting)
                self._trouble = ""
            except (PortError, TimeoutError) as error:
                self._trouble = "postgres: the list of meetings cannot be read"
                log.warning("fleet_not_seen", error=str(error) or "no answer")
            await asyncio.sleep(LOOK_EVERY_S)


async def greet_livekit(settings: Settings) -> None:
    """Raise `Refused` where LiveKit does not know our key or secret; a server that is away is waited for."""
    try:
        async with asyncio.timeout(_GREETING_S), placement(settings) as livekit:
            await livekit.existing(["moim-check"])
    except (Unavailable, TimeoutError) as error:
        log.warning("livekit_away", url=settings.livekit.url, error=one_line(error))
