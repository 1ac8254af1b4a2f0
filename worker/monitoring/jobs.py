"""How the jobs of a worker are doing: each writes a small file, the main process reads them all.

A file is replaced in one piece, so a reader never sees half of it; one whose process is gone is
removed by the reader. The files say how far the *record* is, which a living process alone does not.

Where the meetings of a worker say how they are doing, and hear that they are to hand over.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from pydantic import TypeAdapter

from worker.clock import monotonic_s
from worker.configuration.settings import Settings
from worker.file_names import file_name
from worker.monitoring import multiproc

STALE_S: Final = 10.0
"""A living job that has not written for so long hangs."""
STUCK_S: Final = 30.0
"""An event that waits longer for the record means that the meeting makes no progress."""
_DRAIN: Final = "drain"
_HANDOVER: Final = "handover"
_WORKER: Final = "worker.pid"
_BACKLOG_FULL_S: Final = 20.0
"""Seconds of untranscribed speech that fill a machine as a full house of meetings does."""


@dataclass(frozen=True, slots=True)
class JobStatus:
    """One job's word about itself. Monotonic time is the machine's, so processes can compare it."""

    pid: int
    meeting_id: str
    epoch: int = 0
    standby: bool = False
    oldest_unwritten_s: float = 0.0
    """Age of the oldest event that is not in Postgres."""
    stt_backlog_s: float = 0.0
    """Speech heard and not yet transcribed."""
    degraded: tuple[str, ...] = ()
    """Parts that work less well than they should, e.g. `postgres: spooling`."""
    updated_s: float = 0.0
    """Monotonic moment of writing."""


_AS_JSON: Final = TypeAdapter(JobStatus)


def directory(settings: Settings) -> Path:
    """Where the jobs of this worker write: its own folder, that its job processes inherit."""
    return (multiproc.directory() or settings.process.state_dir.absolute()) / "jobs"


def announce_worker(folder: Path, pid: int) -> None:
    """Begin: the main process is `pid`, nobody drains. What an earlier worker left is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    for wish in (_DRAIN, _HANDOVER):
        (folder / wish).unlink(missing_ok=True)
    (folder / _WORKER).write_text(str(pid), encoding="utf-8")


def worker_pid(folder: Path) -> int:
    """The worker's main process; our parent where nobody announced one."""
    try:
        return int((folder / _WORKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return os.getppid()


def request_drain(folder: Path) -> None:
    """Ask every job to hand its meeting over; each looks once a second."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _DRAIN).touch()


def drain_requested(folder: Path) -> bool:
    """Shall this worker's jobs hand over?"""
    return (folder / _DRAIN).exists()


def request_handover(folder: Path) -> None:
    """Ask every job to look for a successor, and to go as soon as that one is ready."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _HANDOVER).touch()


def handover_requested(folder: Path) -> bool:
    """Are this worker's jobs to go as soon as somebody else is ready?"""
    return (folder / _HANDOVER).exists()


def leaving(folder: Path) -> bool:
    """Does this worker stop, at once or by and by?"""
    return handover_requested(folder) or drain_requested(folder)


def write_status(folder: Path, status: JobStatus) -> None:
    """Replace this job's file. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    target = _file(folder, status)
    partial = target.with_suffix(".part")
    partial.write_bytes(_AS_JSON.dump_json(status))
    partial.replace(target)


def remove_status(folder: Path, status: JobStatus) -> None:
    """The job has ended."""
    _file(folder, status).unlink(missing_ok=True)


def _file(folder: Path, status: JobStatus) -> Path:
    # A text worker hosts many meetings in one process: the file is the meeting's, by a safe name.
    return folder / f"{status.pid}.{file_name(status.meeting_id)}.json"


def read_statuses(folder: Path) -> list[JobStatus]:
    """The living jobs' words, by meeting; files of dead processes are removed."""
    found: list[JobStatus] = []
    for path in folder.glob("*.json"):
        try:
            status = _AS_JSON.validate_json(path.read_bytes())
        except (OSError, ValueError):
            continue  # removed under our hands, or of another version
        if alive(status.pid):
            found.append(status)
        else:
            path.unlink(missing_ok=True)
    return sorted(found, key=lambda status: status.meeting_id)


def problems(statuses: Sequence[JobStatus], now_s: float | None = None) -> list[str]:
    """Why this worker is not making progress; empty when it is."""
    now_s = monotonic_s() if now_s is None else now_s
    found: list[str] = []
    for status in statuses:
        if status.oldest_unwritten_s > STUCK_S:
            found.append(
                f"meeting {status.meeting_id}: nothing written for {status.oldest_unwritten_s:.0f} s"
            )
        elif now_s - status.updated_s > STALE_S:
            found.append(f"meeting {status.meeting_id}: job {status.pid} hangs")
    return found


def load(statuses: Sequence[JobStatus], max_jobs: int) -> float:
    """0–1: the share of places taken, or of the speech backlog that a machine can bear, if higher."""
    backlog_s = math.fsum(status.stt_backlog_s for status in statuses)
    return min(1.0, max(len(statuses) / max_jobs, backlog_s / _BACKLOG_FULL_S))


def alive(pid: int) -> bool:
    """Does this process still run? A killed child that nobody has collected yet still takes signals."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return True


class StatusBoard(Protocol):
    """Between a meeting's holder and its worker."""

    async def tell(self, status: JobStatus) -> None:
        """Put the present status in the place of the last one. Raises `OSError`."""

    def remove(self, status: JobStatus) -> None:
        """The meeting has gone."""

    def drain_requested(self) -> bool:
        """Is this meeting to be handed over?"""


class FileBoard:
    """Small files: the worker is another process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def tell(self, status: JobStatus) -> None:
        """Write the file anew."""
        await asyncio.to_thread(write_status, self._folder, status)

    def remove(self, status: JobStatus) -> None:
        """Remove the file."""
        remove_status(self._folder, status)

    def drain_requested(self) -> bool:
        """Look for the worker's wish."""
        return drain_requested(self._folder)


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
