"""A process that does not outlive its parent, however that one ends (Linux)."""

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
