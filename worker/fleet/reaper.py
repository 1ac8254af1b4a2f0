"""A worker releases the leases of its jobs that died, so that nobody waits for these leases to end.

The worker's main process outlives its jobs and is the first to see one gone. It can do no harm: a process
that is gone writes nothing more, and whoever takes over has a higher epoch anyway.
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
    """Watches the jobs of one worker by the statuses that they write into `folder`."""

    def __init__(self, folder: Path, leases: LeaseStore) -> None:
        self._folder, self._leases = folder, leases
        self._held: dict[tuple[str, int], int] = {}
        """(meeting, epoch) → the id of the process that holds it."""

    async def run(self) -> None:
        """Look every 0.3 s until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_EVERY_S)

    async def look(self) -> None:
        """Release the leases of dead jobs; what the store does not take now is tried at the next look."""
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
