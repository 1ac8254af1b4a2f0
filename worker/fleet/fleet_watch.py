"""What a dispatcher tells Prometheus: how many meetings wait for a worker, and for how long.

`FleetWatch` asks the registry and not the dispatcher's loop: a loop that stands still would report nothing.
`greet_livekit` finds out once, at the start, whether LiveKit takes our key: a wrong one does not mend itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import structlog

from context.ports import PortError, Refused, Unavailable
from worker.bootstrap.rooms import placement
from worker.configuration.settings import Settings
from worker.errors import one_line
from worker.monitoring.metrics import Metrics

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 5.0
PATIENCE_S: Final = 15.0
"""A meeting that waits longer than finding it a worker takes is reported as degraded."""
_AWAY_LINE: Final = "postgres: the list of meetings cannot be read"
_REFUSED_LINE: Final = "postgres: it refuses us: run `moim migrate` on a new database; `moim check` says more"
_DEADLINE_S: Final = 10.0
_GREETING_S: Final = 5.0


class WaitingList(Protocol):
    """The meetings that nobody holds."""

    async def waiting(self) -> tuple[int, float]:
        """Return how many there are, and for how many seconds the longest has waited. Raises `PortError`."""


class FleetWatch:
    """Watches how many meetings wait for a worker, for metrics and for `/readyz`."""

    def __init__(
        self, meetings: WaitingList, metrics: Metrics, schema_fault: Callable[[], Awaitable[str]]
    ) -> None:
        """`schema_fault` says what the schema lacks, "" where nothing; it raises `PortError`.

        It is asked until the schema lacks nothing, and again where the meetings could not be read.
        """
        self._meetings, self._metrics, self._schema_fault = meetings, metrics, schema_fault
        self._is_migrated = False
        self._trouble = ""
        self._waiting: tuple[int, float] = (0, 0.0)

    def problems(self) -> list[str]:
        """Return why no meeting can be found a worker; empty when all is well."""
        return [self._trouble] if self._trouble else []

    def degraded(self) -> list[str]:
        """Return one line where meetings have waited for longer than finding them a worker takes."""
        count, longest_s = self._waiting
        if longest_s < PATIENCE_S:
            return []
        who = "1 meeting waits" if count == 1 else f"{count} meetings wait"
        return [f"{who} for a worker, the longest for {longest_s:.0f} s: is the fleet full?"]

    async def run(self) -> None:
        """Look every 5 s until cancelled; a database that is away is a problem, and waited for."""
        while True:
            try:
                async with asyncio.timeout(_DEADLINE_S):
                    self._trouble = await self._look()
            except (PortError, TimeoutError) as error:
                self._is_migrated = False
                self._trouble = _REFUSED_LINE if isinstance(error, Refused) else _AWAY_LINE
                log.warning("fleet_not_seen", error=str(error) or "no answer")
            await asyncio.sleep(LOOK_EVERY_S)

    async def _look(self) -> str:
        """Count the meetings that wait; what is wrong with the schema that they are to be in, or ""."""
        if not self._is_migrated and (fault := await self._schema_fault()):
            log.warning("fleet_not_seen", error=fault)
            return f"postgres: {fault}"
        self._is_migrated = True
        self._waiting = await self._meetings.waiting()
        self._metrics.meetings_waiting(*self._waiting)
        return ""


async def greet_livekit(settings: Settings) -> None:
    """Raise `Refused` where LiveKit does not know our key or secret; a server that is away is only logged."""
    try:
        async with asyncio.timeout(_GREETING_S), placement(settings) as livekit:
            await livekit.existing(["moim-check"])
    except (Unavailable, TimeoutError) as error:
        log.warning("livekit_away", url=settings.livekit.url, error=one_line(error))
