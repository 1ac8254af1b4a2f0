"""The tasks that run beside a meeting's fold, and the count of what is not done yet, so that one can wait.

A task that is cancelled before its first step runs nothing of its coroutine, no `finally` either: two
questions of one asker in one breath, and the first answer never begins. So what has to be done at the end
of a side task in any case is done in `ended`, and not in the task.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine
from typing import Any, Literal

import structlog

from worker.clock import happens

log = structlog.get_logger(__name__)

Ended = Callable[[asyncio.Task[None]], None]
"""Called with a task at its end, however it ended, and even if it never began."""
Kind = Literal["events", "effects", "tasks"]


class UnderWay:
    """Counts what a session has set off and not done: events to fold, effects to show, tasks that run."""

    def __init__(self) -> None:
        self.count: dict[Kind, int] = {"events": 0, "effects": 0, "tasks": 0}
        """How many are under way, by kind."""
        self._none = asyncio.Event()
        self._none.set()

    def add(self, kind: Kind, more: int) -> None:
        """Count so many `more` of a kind as under way; -1: one is done."""
        self.count[kind] += more
        if any(self.count.values()):
            self._none.clear()
        else:
            self._none.set()

    async def done(self) -> None:
        """Wait until nothing is under way."""
        await self._none.wait()

    async def done_within(self, deadline_s: float) -> bool:
        """Wait until nothing is under way, for so long at most; False where the deadline came first."""
        return await happens(self._none, deadline_s)


class SideTasks:
    """The slow work of a session, as tasks of its TaskGroup. A stop does not wait for it: it cancels it."""

    def __init__(self, under_way: UnderWay) -> None:
        self._under_way = under_way
        self._group: asyncio.TaskGroup | None = None
        self._running: set[asyncio.Task[None]] = set()
        self._welcome: set[asyncio.Task[None]] = set()
        """The running tasks that nobody waits for: what comes of them is welcome, and not needed."""

    @property
    def taken(self) -> bool:
        """Whether tasks are taken now, that is, the session is running."""
        return self._group is not None

    def open(self, group: asyncio.TaskGroup) -> None:
        """Take tasks from now on, and run them in this group."""
        self._group = group

    def close(self) -> None:
        """Take no more tasks, and cancel those that run."""
        self._group = None
        for task in self._running:
            task.cancel()

    async def drop(self, besides: Collection[asyncio.Task[None]], within_s: float) -> None:
        """Cancel the running tasks but for `besides`, and wait for their end; tasks are taken as before."""
        dropped = [task for task in self._running if task not in besides]
        for task in dropped:
            task.cancel()
        if dropped:
            await asyncio.wait(dropped, timeout=within_s)

    async def welcome(self, within_s: float) -> None:
        """Let the tasks that nobody waits for run for so much longer, until they have all ended."""
        if self._welcome:
            await asyncio.wait(self._welcome, timeout=within_s)

    async def end(self, deadline_s: float) -> None:
        """Take no more tasks, cancel those that run, and wait: one that is done can still bring its event."""
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
        """Begin a task; None where none are taken. An exception in it is logged, and no more.

        `awaited`: whether it counts as under way; one that nobody waits for does not.
        """
        if self._group is None:
            work.close()
            return None

        def done(task: asyncio.Task[None]) -> None:
            work.close()  # it may never have begun
            self._running.discard(task)
            self._welcome.discard(task)
            ended(task)
            if awaited:
                self._under_way.add("tasks", -1)

        task = self._group.create_task(_guarded(work, name), name=name)
        self._running.add(task)
        if awaited:
            self._under_way.add("tasks", 1)
        else:
            self._welcome.add(task)
        task.add_done_callback(done)
        return task


class OwnTasks:
    """The tasks that an attendant runs beside its meeting, which are cancelled when it leaves."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self._group = group
        self._running: set[asyncio.Task[None]] = set()

    def __call__(self, work: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[None]:
        """Run `work` as a task; an exception in it is logged, and no more."""
        task = self._group.create_task(_guarded(work, name), name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def done(self, name: str, within_s: float) -> None:
        """Wait until the tasks of this name that run now have ended, for so long at most."""
        if wanted := [task for task in self._running if task.get_name() == name]:
            await asyncio.wait(wanted, timeout=within_s)

    def cancel(self) -> None:
        """Cancel the tasks that still run."""
        for task in self._running:
            task.cancel()


async def _guarded(work: Coroutine[Any, Any, Any], name: str) -> None:
    try:
        await work
    except Exception:
        # A fault beside the meeting must not take the meeting down with it.
        log.exception("side_task_failed", task=name)
