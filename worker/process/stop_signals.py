"""How a process ends: in order at the first signal, at once at the second."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import structlog

from worker.clock import monotonic_s
from worker.errors import DONE

log = structlog.get_logger(__name__)

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_ECHO_S: Final = 0.5
"""A second signal so soon is the same one: a terminal or `timeout` sends it to the process and its group."""


def go_when_told() -> None:
    """Make SIGTERM end the process with exit code `DONE` from now on, wherever no `on_stop` handles it.

    A process that holds no meeting has nothing to hand over. To be called from the main thread.
    """

    def handle(_number: int, _frame: object) -> None:
        sys.exit(DONE)

    signal.signal(signal.SIGTERM, handle)


@contextmanager
def on_stop(ask: Callable[[], None]) -> Iterator[None]:
    """Within the block, the first SIGINT or SIGTERM calls `ask`; the second ends the process at once.

    To be entered from the running loop of the main thread. Behind the block the handlers are what they were.
    """
    loop = asyncio.get_running_loop()
    asked_s: float | None = None

    def handle(number: signal.Signals) -> None:
        nonlocal asked_s
        if asked_s is not None:
            if monotonic_s() - asked_s < _ECHO_S:
                return
            log.warning("stopping_at_once", signal=number.name)
            os._exit(1)
        asked_s = monotonic_s()
        log.info("stopping", signal=number.name)
        ask()

    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        loop.add_signal_handler(number, handle, number)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
