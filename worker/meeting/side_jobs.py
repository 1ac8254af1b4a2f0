"""The slow work beside a meeting's fold: tasks of the session's TaskGroup, each told of its end.

A task that is cancelled before its first step runs nothing of its coroutine, no `finally` either: two
questions of one asker in one breath, and the first answer never begins. So what has to be done at the end
of a job in any case is done here, in `ended`, and not in the job.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import structlog

log = structlog.get_logger(__name__)

Ended = Callable[[asyncio.Task[None]], None]


class SideJobs:
    """Those under way. A stop does not wait for them: it cancels them."""

    def __init__(self, changed: Callable[[int], None]) -> None:
        """`changed` hears how many are under way."""
        self._changed = changed
        self._tasks: asyncio.TaskGroup | None = None
        self._running: set[asyncio.Task[None]] = set()
        self._welcome: set[asyncio.Task[None]] = set()
        """Of those, the ones that nobody waits for."""

    @property
    def taken(self) -> bool:
        """Are jobs taken now?"""
        return self._tasks is not None

    def open(self, tasks: asyncio.TaskGroup) -> None:
        """From now on jobs are taken, as tasks of this group."""
        self._tasks = tasks

    def close(self) -> None:
        """Take no more, and cancel what is under way."""
        self._tasks = None
        for task in self._running:
            task.cancel()

    async def welcome(self, within_s: float) -> None:
        """Give what nobody waits for so much time yet."""
        if self._welcome:
            await asyncio.wait(self._welcome, timeout=within_s)

    async def end(self, deadline_s: float) -> None:
        """Take no more, and wait for what is cancelled: what has been done to its end is told yet."""
        self.close()
        if self._running:
            await asyncio.wait(self._running, timeout=deadline_s)

    def spawn(
        self,
        work: Coroutine[Any, Any, None],
        *,
        name: str,
        ended: Ended = lambda _task: None,
        awaited: bool = True,
    ) -> asyncio.Task[None] | None:
        """Begin a job; None where none are taken. A fault in it is logged, and no more.

        `awaited`: whether it counts as under way; what is only welcome, if it comes, does not.
        """
        if self._tasks is None:
            work.close()
            return None

        def done(task: asyncio.Task[None]) -> None:
            work.close()  # it may never have begun
            self._running.discard(task)
            self._welcome.discard(task)
            ended(task)
            self._changed(len(self._running - self._welcome))

        task = self._tasks.create_task(_guarded(work, name), name=name)
        self._running.add(task)
        if not awaited:
            self._welcome.add(task)
        task.add_done_callback(done)
        self._changed(len(self._running - self._welcome))
        return task


async def _guarded(work: Coroutine[Any, Any, None], name: str) -> None:
    try:
        await work
    except Exception:
        # A fault in a side job must not take the meeting down with it.
        log.exception("side_job_failed", job=name)
