"""One command of Moim's own (`moim worker`, `moim dispatcher`) as a child process with a log file."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from worker.configuration.settings import child_environment
from worker.embedded.child import Child

_LOG_LIMIT_BYTES: Final = 20_000_000


class Program:
    """`python -m worker ARGUMENTS`. Started again by the next `start()` when it has ended."""

    def __init__(
        self,
        arguments: tuple[str, ...],
        log_file: Path,
        environment: Mapping[str, str],
        *,
        stop_within_s: float,
    ) -> None:
        """`environment` is laid over this process's own. After `stop_within_s` a stop becomes a kill."""
        self.log_file = log_file
        self._arguments = arguments
        self._environment = dict(environment)
        self._stop_within_s = stop_within_s
        self._child: Child | None = None

    @property
    def pid(self) -> int | None:
        """Its process id, or None while it does not run."""
        running = self._child is not None and self._child.returncode is None
        return self._child.pid if running and self._child else None

    @property
    def exit_code(self) -> int | None:
        """How it ended last; None while it runs, or before it ran."""
        return self._child.returncode if self._child else None

    async def start(self) -> None:
        """Start it; it is not waited for. Raises `OSError`."""
        if self.pid is not None:
            return
        if self.log_file.exists() and self.log_file.stat().st_size > _LOG_LIMIT_BYTES:
            self.log_file.replace(self.log_file.with_suffix(".log.1"))
        self._child = Child(
            [sys.executable, "-m", "worker", *self._arguments],
            log_file=self.log_file,
            # Should our parent be killed there is nobody left who would insist: the lease and the
            # record are made for a sudden end, a process that lingers is not.
            parent_death_signal=signal.SIGKILL,
            environment=child_environment(self._environment),
            directory=Path.cwd(),  # relative paths in the user's settings mean the same to the child
        )

    async def stop(self) -> None:
        """SIGTERM, and SIGKILL where that is not enough."""
        if self._child is not None:
            await self._child.stop(signal.SIGTERM, self._stop_within_s)

    def last_words(self) -> str:
        """The last thing it said about why it ended."""
        lines = self._child.last_words(40).split(" | ") if self._child else []
        for line in reversed(lines):
            if line.startswith("moim: "):
                return line.removeprefix("moim: ")
        return lines[-1] if lines else ""
