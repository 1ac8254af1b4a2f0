"""How a process ends: in order at the first signal, at once at the second, and with its parent (Linux)."""

from __future__ import annotations

import asyncio
import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
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


_PR_SET_PDEATHSIG: Final = 1
_LIBC: Final = ctypes.CDLL(None) if sys.platform.startswith("linux") else None
"""Loaded at import because nothing may be loaded between fork and exec."""


def die_with_parent(number: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel send this process `number` when its parent is gone.

    It follows the *thread* that started this process. A fork does not inherit it, an exec does.
    """
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(number))


@cache
def tying_command(number: signal.Signals) -> tuple[str, ...]:
    """Return what to put before a command so that it gets `number` when its parent is gone; or nothing.

    It is util-linux' setpriv, which ties itself and becomes the command by exec. `die_with_parent` between
    fork and exec is Python, which may hang there in a process with other threads.
    """
    setpriv = shutil.which("setpriv")
    if setpriv is None or not sys.platform.startswith("linux"):
        return ()
    tying = (setpriv, "--pdeathsig", number.name.removeprefix("SIG"), "--")
    tried = subprocess.run([*tying, "true"], capture_output=True, check=False)  # noqa: S603 - busybox' cannot
    return tying if tried.returncode == 0 else ()
