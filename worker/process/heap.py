"""What the C heap holds free goes back to the system: sound and text come and go, and leave pages empty.

glibc gives back only the heap's end by itself. A job holds 0.3 to 0.4 MB that nothing is in after some
seconds of talk, and again after each later stretch.
"""

from __future__ import annotations

import asyncio
import ctypes
import sys
from typing import Final

EVERY_S: Final = 5.0
_LIBC: Final = ctypes.CDLL(None) if sys.platform.startswith("linux") else None


async def keep_small() -> None:
    """Give it back every few seconds, until cancelled; nothing where there is no glibc."""
    while hasattr(_LIBC, "malloc_trim"):
        await asyncio.sleep(EVERY_S)
        give_back()


def give_back() -> None:
    """Give back now what is free."""
    if _LIBC is not None and hasattr(_LIBC, "malloc_trim"):
        _LIBC.malloc_trim(0)
