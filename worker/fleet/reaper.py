"""A worker releases the leases of its jobs that died, and takes back that they stand by.

So nobody waits for these leases to end, and no holder that has to go hands over to a dead standby. The
worker's main process outlives its jobs and is the first to see one gone. It can do no harm: a process that
is gone writes nothing more, and whoever takes over has a higher epoch anyway.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import structlog

from context.ports import PortError
from worker.monitoring import jobs
from worker.ports import Holder, LeaseStore, Standbys

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 0.3


class Reaper:
    """Watches the jobs of one worker by the statuses that they write into `folder`."""

    def __init__(self, folder: Path, leases: LeaseStore, standbys: Standbys, me: Holder) -> None:
        """`me`: the worker, whose jobs these are."""
        self._folder, self._leases, self._standbys, self._me = folder, leases, standbys, me
        self._held: dict[tuple[str, int], int] = {}
        """(meeting, epoch) → the id of the process that holds it."""
        self._standing: set[tuple[str, int]] = set()
        """(meeting, id of a process) of jobs that stand by, or did before they held it."""

    async def run(self) -> None:
        """Look every 0.3 s until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_EVERY_S)

    async def look(self) -> None:
        """Tell of the jobs that are gone; what the store does not take now is tried at the next look."""
        for status in jobs.read_statuses(self._folder):
            if status.standby:
                self._standing.add((status.meeting_id, status.pid))
            elif status.epoch:
                self._held[status.meeting_id, status.epoch] = status.pid
        try:
            await self._tell_gone()
        except PortError as error:
            log.info("gone_job_not_told", error=str(error))

    async def _tell_gone(self) -> None:
        for (meeting_id, epoch), pid in list(self._held.items()):
            if not jobs.alive(pid):
                await self._leases.release(meeting_id, epoch)
                del self._held[meeting_id, epoch]
                log.info("job_gone", meeting_id=meeting_id, epoch=epoch, pid=pid)
        for meeting_id, pid in list(self._standing):
            if not jobs.alive(pid):
                await self._standbys.drop(meeting_id, self._me.model_copy(update={"job_pid": pid}))
                self._standing.remove((meeting_id, pid))
                log.info("standby_gone", meeting_id=meeting_id, pid=pid)
