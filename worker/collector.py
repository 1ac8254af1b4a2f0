"""When the garbage collector does not run."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_FULL_EVERY_S: Final = 600.0
_NEVER: Final = 2**30
"""A threshold that is not reached."""


@contextmanager
def at_rest() -> Iterator[None]:
    """No garbage collection meanwhile, for building much at once.

    Tens of thousands of new objects set the collector off again and again, each time over everything
    that the process holds, and none of them is garbage. Two at once are no harm: the one that found
    it running starts it again.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


async def collect_in_full_rarely(every_s: float = _FULL_EVERY_S) -> None:
    """Until cancelled: full collections every `every_s` and at no other time; young objects as ever.

    A full collection stops the process: 350 to 470 ms with 200 meetings, for all their turns at once. By
    itself Python makes one whenever the heap has grown by a quarter, every 15 s of a running load, and
    finds next to nothing: what lives for long here is not garbage, and most of what dies goes by its count
    of references. What does not (a meeting that has ended) waits for the next one.
    """
    young, middle, full = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER)
    try:
        while True:
            await asyncio.sleep(every_s)
            gc.collect()
    finally:
        gc.set_threshold(young, middle, full)
