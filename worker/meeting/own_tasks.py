"""Tasks that somebody owns: run beside a meeting, logged where they fail, dropped at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import structlog

log = structlog.get_logger(__name__)


class OwnTasks:
    """Those under way."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self._group = group
        self._running: set[asyncio.Task[None]] = set()

    def __call__(self, work: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[None]:
        """Run it; a fault in it is logged, and no more."""
        task = self._group.create_task(_guarded(work, name), name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def cancel(self) -> None:
        """Drop what is still under way."""
        for task in self._running:
            task.cancel()


async def _guarded(work: Coroutine[Any, Any, Any], name: str) -> None:
    try:
        await work
    except Exception:
        # One thing that went wrong beside the meeting must not take the meeting down.
        log.exception("attendant_task_failed", task=name)
