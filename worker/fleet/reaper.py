"""A job that died lets go of its meeting through its worker: nobody waits for its lease to end.

The worker's main process outlives its jobs and is the first to see one gone. It may be wrong about
nothing: a process that is no more writes nothing more. Whoever takes over has a higher epoch anyway.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import structlog

from context.ports import PortError
from worker.monitoring import jobs
from worker.ports import LeaseStore

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 0.3


class Reaper:
    """Watches the jobs of one worker."""

    def __init__(self, folder: Path, leases: LeaseStore) -> None:
        self._folder, self._leases = folder, leases
        self._held: dict[tuple[str, int], int] = {}
        """(meeting, epoch) → the process that holds it."""

    async def run(self) -> None:
        """Run until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_EVERY_S)

    async def look(self) -> None:
        """Release what dead jobs held; what the store does not take now is tried again."""
        for status in jobs.read_statuses(self._folder):
            if status.epoch and not status.standby:
                self._held[status.meeting_id, status.epoch] = status.pid
        for (meeting_id, epoch), pid in list(self._held.items()):
            if jobs.alive(pid):
                continue
            try:
                await self._leases.release(meeting_id, epoch)
            except PortError as error:
                log.info("lease_of_dead_job_not_released", meeting_id=meeting_id, error=str(error))
                continue
            del self._held[meeting_id, epoch]
            log.info("job_gone", meeting_id=meeting_id, epoch=epoch, pid=pid)
