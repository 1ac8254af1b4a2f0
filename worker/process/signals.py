"""Stopping on a signal: the first one asks, the second one insists.

A process that does not outlive its parent, however that one ends (Linux).
"""

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
"""A terminal, `timeout` or a supervisor may deliver one wish twice: to the process and to its group."""


def go_when_told() -> None:
    """From now on SIGTERM ends the process in order, with `DONE`, where `on_stop` isn't there yet or no more.

    Who holds nothing yet has nothing to hand over. To be called from the main thread.
    """

    def handle(_number: int, _frame: object) -> None:
        sys.exit(DONE)

    signal.signal(signal.SIGTERM, handle)


@contextmanager
def on_stop(ask: Callable[[], None]) -> Iterator[None]:
    """Within the block, the first SIGINT or SIGTERM calls `ask`; the second ends the process at once.

    To be entered from the running loop of the main thread. The handlers of before come back after.
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
"""Loaded here because nothing may be loaded between fork and exec."""


def die_with_parent(number: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel send this process `number` when its parent is gone.

    It follows the *thread* that started this process. A fork does not inherit it, an exec does.
    """
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(number))


@cache
def tying_command(number: signal.Signals) -> tuple[str, ...]:
    """What a command is put behind to be so tied, without a line of Python between fork and exec.

    That may hang in a process with other threads: each runs its own handlers at a fork. util-linux' setpriv
    does it by exec; empty where there is none that can.
    """
    setpriv = shutil.which("setpriv")
    if setpriv is None or not sys.platform.startswith("linux"):
        return ()
    tying = (setpriv, "--pdeathsig", number.name.removeprefix("SIG"), "--")
    tried = subprocess.run([*tying, "true"], capture_output=True, check=False)  # noqa: S603 - busybox' cannot
    return tying if tried.returncode == 0 else ()
