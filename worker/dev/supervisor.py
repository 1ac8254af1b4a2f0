"""Keeps parts running: one that dies is started again, after a pause that grows with every death."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from worker.clock import monotonic_s
from worker.embedded.child import EmbeddedError

_LOOK_EVERY_S: Final = 0.1


class Part(Protocol):
    """A child process: an embedded server, or a `Program`."""

    @property
    def pid(self) -> int | None:
        """Its process id, or None while it does not run."""
        ...

    async def start(self) -> None:
        """Start it, if it does not run. Raises `EmbeddedError` or `OSError`."""
        ...

    async def stop(self) -> None:
        """Stop it for good, within seconds."""
        ...


def pause_s(deaths: int) -> float:
    """Seconds to wait before the next start, after so many deaths in a row."""
    return min(10.0, 0.2 * 2.0 ** min(deaths - 1, 10))


class Supervisor:
    """Owns one watching task per part, in a TaskGroup of its owner."""

    def __init__(
        self, tasks: asyncio.TaskGroup, say: Callable[[str], None], *, calm_after_s: float = 30.0
    ) -> None:
        """`say` gets a line per death. A part that lived for `calm_after_s` has its deaths forgiven."""
        self._tasks, self._say, self._calm_after_s = tasks, say, calm_after_s
        self._watchers: dict[str, asyncio.Task[None]] = {}
        self._parts: dict[str, Part] = {}
        self.restarts: dict[str, int] = {}
        """How often each part was started again."""

    def add(self, name: str, part: Part) -> None:
        """Take `part` in charge: `stop` will stop it."""
        self._parts[name] = part

    def watch(self, name: str) -> None:
        """From now on this part, which runs already, is started again when it dies."""
        self._watchers[name] = self._tasks.create_task(self._watch(name), name=f"watch:{name}")

    async def stop(self, name: str) -> None:
        """Stop a part; unknown ones are ignored."""
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
