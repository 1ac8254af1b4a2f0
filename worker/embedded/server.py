"""What the embedded servers share: one child, its process id, its end, the wait until it answers."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

from worker.clock import monotonic_s
from worker.embedded.child import Child, EmbeddedError


class EmbeddedServer:
    """A server of ours: at most one child at a time."""

    _child: Child | None = None

    @property
    def pid(self) -> int | None:
        """The server's process id, or None while it does not run."""
        running = self._child is not None and self._child.returncode is None
        return self._child.pid if running and self._child else None

    async def _end(self, gentle: signal.Signals, timeout_s: float) -> None:
        if self._child is not None:
            await self._child.stop(gentle, timeout_s)
            self._child = None

    async def _until(self, answers: Callable[[], Awaitable[bool]], *, name: str, timeout_s: float) -> None:
        """Ask again and again until it `answers`. Raises `EmbeddedError` where it ends or stays silent."""
        deadline = monotonic_s() + timeout_s
        while self._child is not None and monotonic_s() < deadline:
            if self._child.returncode is not None:
                raise EmbeddedError(f"{name} does not start: {self._child.last_words()}")
            if await answers():
                return
            await asyncio.sleep(0.01)
        raise EmbeddedError(f"{name} did not answer within {timeout_s:.0f} s")


def write_private(path: Path, text: str) -> None:
    """Write a file that only we may read: it holds a secret."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
