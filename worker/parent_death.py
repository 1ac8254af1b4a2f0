"""The parent-death signal (Linux): it ends a process when its parent is gone."""

from __future__ import annotations

import ctypes
import shutil
import signal
import subprocess
import sys
from functools import cache
from typing import Final

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
def death_signal_prefix(number: signal.Signals) -> tuple[str, ...]:
    """Return what to put before a command so that it gets `number` when its parent is gone; or nothing.

    It is util-linux' setpriv, which asks for the signal and becomes the command by exec. `die_with_parent`
    between fork and exec is Python, which may hang there in a process with other threads.
    """
    setpriv = shutil.which("setpriv")
    if setpriv is None or not sys.platform.startswith("linux"):
        return ()
    prefix = (setpriv, "--pdeathsig", number.name.removeprefix("SIG"), "--")
    tried = subprocess.run([*prefix, "true"], capture_output=True, check=False)  # noqa: S603 - busybox' cannot
    return prefix if tried.returncode == 0 else ()
