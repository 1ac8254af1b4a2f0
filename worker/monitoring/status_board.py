"""Where the meetings of a worker say how they are doing, and hear that they are to hand over."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Protocol

from worker.monitoring import jobs
from worker.monitoring.jobs import JobStatus


class StatusBoard(Protocol):
    """Between a meeting's holder and its worker."""

    async def tell(self, status: JobStatus) -> None:
        """Put the present status in the place of the last one. Raises `OSError`."""
        ...

    def remove(self, status: JobStatus) -> None:
        """The meeting has gone."""
        ...

    def drain_requested(self) -> bool:
        """Is this meeting to be handed over?"""
        ...


class FileBoard:
    """Small files: the worker is another process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def tell(self, status: JobStatus) -> None:
        """Write the file anew."""
        await asyncio.to_thread(jobs.write_status, self._folder, status)

    def remove(self, status: JobStatus) -> None:
        """Remove the file."""
        jobs.remove_status(self._folder, status)

    def drain_requested(self) -> bool:
        """Look for the worker's wish."""
        return jobs.drain_requested(self._folder)


class OwnBoard:
    """Memory: for hundreds of meetings in the worker's own process, each of which tells every second."""

    def __init__(self) -> None:
        self.draining = False
        self._statuses: dict[str, JobStatus] = {}

    async def tell(self, status: JobStatus) -> None:
        """Remember it."""
        self._statuses[status.meeting_id] = status

    def remove(self, status: JobStatus) -> None:
        """Forget it, unless a later holder of this meeting has told meanwhile."""
        told = self._statuses.get(status.meeting_id)
        if told is not None and told.epoch <= status.epoch:
            del self._statuses[status.meeting_id]

    def drain_requested(self) -> bool:
        """All of them at once."""
        return self.draining

    def statuses(self) -> list[JobStatus]:
        """Give all statuses, by meeting."""
        return sorted(self._statuses.values(), key=lambda status: status.meeting_id)
