"""How the jobs of a worker are doing, and how the worker tells them to hand over: small files in one folder.

Each job writes its status, and the worker's main process reads them all. A file is replaced in one piece, so
a reader never sees half of it; one whose process is gone is removed by the reader. A status says how far the
*record* is, which a living process alone does not show. Where all meetings are in the worker's own process
(text meetings), an `OwnBoard` in memory does the same.
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
from worker.pressure import BACKLOG_S, LAG_S, Yielding

STALE_S: Final = 10.0
"""A living job whose status is older than this hangs."""
STUCK_S: Final = 30.0
"""A meeting whose oldest unwritten event is older than this makes no progress."""
_DRAIN: Final = "drain"
_HANDOVER: Final = "handover"
_WORKER: Final = "worker.pid"


@dataclass(frozen=True, slots=True)
class JobStatus:
    """What one job says of itself. Monotonic time is the machine's, so processes can compare it."""

    pid: int
    meeting_id: str
    epoch: int = 0
    standby: bool = False
    oldest_unwritten_s: float = 0.0
    """Age of the oldest event that is not in Postgres; 0 where all are."""
    stt_backlog_s: float = 0.0
    """Seconds of speech that were heard and are not transcribed yet."""
    lag_s: float = 0.0
    """How late the job's event loop comes to what is due."""
    giving_way: tuple[Yielding, ...] = ()
    """What waits as the machine is at its limit, in the order of `worker.pressure.YIELDING`."""
    degraded: tuple[str, ...] = ()
    """Parts that work less well than they should, e.g. `postgres: spooling`."""
    updated_s: float = 0.0
    """The monotonic moment at which this was written."""


_AS_JSON: Final = TypeAdapter(JobStatus)


def directory(settings: Settings) -> Path:
    """Give the folder of this worker's statuses and requests, the same in all of its processes."""
    return (multiproc.directory() or settings.process.state_dir.absolute()) / "jobs"


def announce_worker(folder: Path, pid: int) -> None:
    """Write down that the worker's main process is `pid`; requests to earlier jobs are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    for request in (_DRAIN, _HANDOVER):
        (folder / request).unlink(missing_ok=True)
    (folder / _WORKER).write_text(str(pid), encoding="utf-8")


def worker_pid(folder: Path) -> int:
    """Give the id of the worker's main process; that of our parent where none was announced."""
    try:
        return int((folder / _WORKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return os.getppid()


def request_drain(folder: Path) -> None:
    """Ask every job to hand its meeting over now; each looks once a second."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _DRAIN).touch()


def drain_requested(folder: Path) -> bool:
    """Tell whether `request_drain` was called."""
    return (folder / _DRAIN).exists()


def request_handover(folder: Path) -> None:
    """Ask every job to look for a successor, and to hand over as soon as that one is ready."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _HANDOVER).touch()


def handover_requested(folder: Path) -> bool:
    """Tell whether `request_handover` was called."""
    return (folder / _HANDOVER).exists()


def leaving(folder: Path) -> bool:
    """Tell whether this worker stops, in the one way or the other."""
    return handover_requested(folder) or drain_requested(folder)


def write_status(folder: Path, status: JobStatus) -> None:
    """Write a meeting's status in the place of its last one. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    target = _file(folder, status)
    partial = target.with_suffix(".part")
    partial.write_bytes(_AS_JSON.dump_json(status))
    partial.replace(target)


def remove_status(folder: Path, status: JobStatus) -> None:
    """Remove a meeting's status: its job has ended."""
    _file(folder, status).unlink(missing_ok=True)


def _file(folder: Path, status: JobStatus) -> Path:
    # A text worker hosts many meetings in one process: the file is the meeting's, by a safe name.
    return folder / f"{status.pid}.{file_name(status.meeting_id)}.json"


def read_statuses(folder: Path) -> list[JobStatus]:
    """Read the statuses of living jobs, sorted by meeting; files of dead processes are removed."""
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
    """Say why this worker makes no progress, a line for each such meeting; empty when all is well.

    `now_s` is the monotonic time; None: the present.
    """
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
    """Give how full a worker is, 0 to 1: by its places, its backlog of speech, or its slowest loop."""
    backlog_s = math.fsum(status.stt_backlog_s for status in statuses)
    lag_s = max((status.lag_s for status in statuses), default=0.0)
    shares = (len(statuses) / max_jobs, backlog_s / BACKLOG_S["meetings"], lag_s / LAG_S["meetings"])
    return 1.0 if strain(statuses) else min(1.0, max(shares))


def strain(statuses: Sequence[JobStatus]) -> str:
    """Say why a worker takes no more meetings however many places it has; empty where it does."""
    backlog_s = math.fsum(status.stt_backlog_s for status in statuses)
    if backlog_s >= BACKLOG_S["meetings"]:
        return f"{backlog_s:.0f} s of speech wait for their text"
    late = max(statuses, key=lambda status: status.lag_s, default=None)
    if late is not None and late.lag_s >= LAG_S["meetings"]:
        return f"meeting {late.meeting_id} comes {late.lag_s:.1f} s late to what is due"
    straining = next((status for status in statuses if "meetings" in status.giving_way), None)
    if straining is not None:
        return f"meeting {straining.meeting_id} could not keep up a moment ago"
    return ""


def gives_way(statuses: Sequence[JobStatus], what: Yielding) -> bool:
    """Tell whether this is to wait for one of a worker's meetings."""
    return any(what in status.giving_way for status in statuses)


def alive(pid: int) -> bool:
    """Tell whether a process still runs; a killed child that its parent has not collected does not."""
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
    """Port between a meeting's holder and its worker: the holder's status, the request to hand over."""

    async def tell(self, status: JobStatus) -> None:
        """Tell the meeting's present status, in the place of its last one. Raises `OSError`."""

    def remove(self, status: JobStatus) -> None:
        """Remove the meeting's status: this holder has left it."""

    def drain_requested(self) -> bool:
        """Tell whether the worker wants its meetings handed over now."""


class FileBoard:
    """A `StatusBoard` of files: the worker is another process than its jobs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def tell(self, status: JobStatus) -> None:
        """See `StatusBoard.tell`."""
        await asyncio.to_thread(write_status, self._folder, status)

    def remove(self, status: JobStatus) -> None:
        """See `StatusBoard.remove`."""
        remove_status(self._folder, status)

    def drain_requested(self) -> bool:
        """See `StatusBoard.drain_requested`."""
        return drain_requested(self._folder)


class OwnBoard:
    """A `StatusBoard` in memory: for hundreds of meetings in the worker's own process."""

    def __init__(self) -> None:
        self.draining = False
        self._statuses: dict[str, JobStatus] = {}

    async def tell(self, status: JobStatus) -> None:
        """See `StatusBoard.tell`."""
        self._statuses[status.meeting_id] = status

    def remove(self, status: JobStatus) -> None:
        """Remove the status, unless a later holder of this meeting has told its own meanwhile."""
        told = self._statuses.get(status.meeting_id)
        if told is not None and told.epoch <= status.epoch:
            del self._statuses[status.meeting_id]

    def drain_requested(self) -> bool:
        """See `StatusBoard.drain_requested`; `draining` is set for all meetings at once."""
        return self.draining

    def statuses(self) -> list[JobStatus]:
        """Give all statuses, sorted by meeting."""
        return sorted(self._statuses.values(), key=lambda status: status.meeting_id)
