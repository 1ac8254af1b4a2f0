"""Keep child processes running, and show on the terminal what their logs say of warnings and errors.

A part that dies is started again, after a pause that grows with every death.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from worker.clock import monotonic_s
from worker.embedded.child import EmbeddedError

_LOOK_EVERY_S: Final = 0.1


class ChildProcess(Protocol):
    """A child process: an embedded server, or a `Program`."""

    @property
    def pid(self) -> int | None:
        """The process id, or None while the process does not run."""

    async def start(self) -> None:
        """Start the process if it does not run. Raises `EmbeddedError` or `OSError`."""

    async def stop(self) -> None:
        """Stop the process for good, within seconds."""


def pause_s(deaths: int) -> float:
    """Seconds to wait before the next start, after `deaths` (1 or more) deaths in a row; at most ten."""
    return min(10.0, 0.2 * 2.0 ** min(deaths - 1, 10))


class Supervisor:
    """Watches parts, each by a task in the TaskGroup that it is given, and starts again those that die."""

    def __init__(
        self, tasks: asyncio.TaskGroup, say: Callable[[str], None], *, calm_after_s: float = 30.0
    ) -> None:
        """`say` gets a line per death. After a life of `calm_after_s` seconds deaths are counted from one."""
        self._tasks, self._say, self._calm_after_s = tasks, say, calm_after_s
        self._watchers: dict[str, asyncio.Task[None]] = {}
        self._parts: dict[str, ChildProcess] = {}
        self.restarts: dict[str, int] = {}
        """How often each part was started again."""

    def add(self, name: str, part: ChildProcess) -> None:
        """Make `part` known under `name`, for `watch` and `stop`."""
        self._parts[name] = part

    def watch(self, name: str) -> None:
        """Start the part `name` again whenever it dies, from now on. It has to run already."""
        self._watchers[name] = self._tasks.create_task(self._watch(name), name=f"watch:{name}")

    async def stop(self, name: str) -> None:
        """Stop watching the part `name`, and stop it. An unknown name is ignored."""
        watcher, part = self._watchers.pop(name, None), self._parts.pop(name, None)
        if watcher is not None:
            watcher.cancel()
            await asyncio.wait({watcher})
        if part is not None:
            await part.stop()

    async def _watch(self, name: str) -> None:
        part, deaths, began_s = self._parts[name], 0, monotonic_s()
        while True:
            if part.pid is not None:
                await asyncio.sleep(_LOOK_EVERY_S)
                continue
            deaths = 1 if monotonic_s() - began_s > self._calm_after_s else deaths + 1
            wait_s = pause_s(deaths)
            self._say(f"{name} died: it is started again in {wait_s:g} s")
            await asyncio.sleep(wait_s)
            began_s = monotonic_s()
            try:
                await part.start()
            except (EmbeddedError, OSError) as error:
                self._say(f"{name}: {error}")
            else:
                self.restarts[name] = self.restarts.get(name, 0) + 1


_LOG_LINES_LOOK_EVERY_S: Final = 0.25
_SHOWN_LEVELS: Final = {"warning", "error", "critical"}
_FIELDS_APART: Final = {"event", "level", "timestamp", "logger", "exception"}
_HARMLESS_LINES: Final = (  # regular expressions
    # livekit's native part, at each disconnect.
    "drop unknown FFI handle",
    "dropping pass-through signal",
    "data channel '.*' closed unexpectedly",
    # livekit-agents on a busy machine: a meeting waits for its job process, a loop had to wait for its turn.
    "waiting for idle processes",
    "no warmed process available",
    "event loop blocked",
    # Its own kill of a process that it had no more use for; where it matters, the reason comes before it.
    "non-zero exit code -10",
)
_MAX_CHARACTERS: Final = 400
_AT_ONCE_BYTES: Final = 1_000_000


def worth_showing(line: str) -> str | None:
    """What to show of a log line, or None if it is no warning, error or worse, or is known to be harmless.

    A line that is not our JSON, such as a native crash, is shown as it is. At most 400 characters.
    """
    line = line.strip()
    try:
        entry = json.loads(line)
    except ValueError:
        entry = None
    if not isinstance(entry, dict) or "event" not in entry:
        return line[:_MAX_CHARACTERS] or None
    event = str(entry["event"])
    if entry.get("level") not in _SHOWN_LEVELS or any(
        re.search(harmless, event) for harmless in _HARMLESS_LINES
    ):
        return None
    rest = " ".join(f"{name}={value}" for name, value in entry.items() if name not in _FIELDS_APART)
    error = str(entry.get("exception") or "").strip().splitlines()
    words = " ".join(f"{entry['level']}: {event} {rest}".split())
    return (f"{words} ({error[-1]})" if error else words)[:_MAX_CHARACTERS]


def log_size(log_file: Path) -> int:
    """The size of a log file in bytes; 0 if there is none."""
    try:
        return log_file.stat().st_size
    except FileNotFoundError:
        return 0


async def follow(log_file: Path, show: Callable[[str], None], *, start: int = 0) -> None:
    """Call `show` with each line that is added behind byte `start` and worth showing, until cancelled."""
    position, pending = start, b""
    while True:
        size = log_size(log_file)
        if size < position:  # another file took its place
            position, pending = 0, b""
        if size == position:
            await asyncio.sleep(_LOG_LINES_LOOK_EVERY_S)
            continue
        with log_file.open("rb") as file:
            file.seek(position)
            added = file.read(_AT_ONCE_BYTES)
        position += len(added)
        *lines, pending = (pending + added).split(b"\n")
        for line in lines:
            if (shown := worth_showing(line.decode("utf-8", "replace"))) is not None:
                show(shown)
