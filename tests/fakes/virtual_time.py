"""An event loop whose clock jumps to the next timer: hours of waiting in milliseconds, and no leaked task."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

import pytest

T = TypeVar("T")

in_virtual_time: Final = pytest.mark.virtual_time
"""A test, or with `pytestmark` a module's tests, whose deadlines are the scenario's, however busy the machine is."""


class _Selector(selectors.DefaultSelector):
    """Never waits: tells the loop how long it would have waited."""

    loop: VirtualTimeLoop

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise RuntimeError("the scenario waits for something that will never happen")
            self.loop.now_s += max(0.0, timeout)
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """For scenarios without sockets; what would run in a thread is done at once, in no time."""

    def __init__(self) -> None:
        self.now_s = 1_000.0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.now_s

    def run_in_executor(  # type: ignore[override]  # nothing runs elsewhere here
        self, executor: Any, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        async def at_once() -> T:
            return func(*args)

        return self.create_task(at_once())


def run_virtual(scenario: Coroutine[Any, Any, T]) -> T:
    """Run to the end on virtual time; fails if the scenario leaves a task or an open generator behind."""

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(leaving_no_task(scenario))


async def leaving_no_task(scenario: Coroutine[Any, Any, T]) -> T:
    """Fails if the scenario leaves a task behind."""
    result = await scenario
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert not left, f"tasks left behind: {left}"
    return result
