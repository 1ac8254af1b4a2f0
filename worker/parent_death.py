"""A process that does not outlive its parent, however that one ends (Linux)."""

from __future__ import annotations

import ctypes
import signal
import sys
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
