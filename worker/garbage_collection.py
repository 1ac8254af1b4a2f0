"""Keeping Python's garbage collector from running when it would only cost time."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_FULL_EVERY_S: Final = 600.0
_NEVER_COLLECTED: Final = 2**30
"""A threshold that is not reached."""


@contextmanager
def at_rest() -> Iterator[None]:
    """Switch the collector off within the block, for building many objects at once.

    Tens of thousands of new objects set the collector off again and again, each time over everything
    that the process holds, and none of them is garbage. Two blocks at once do no harm: the one that found
    the collector running starts it again.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


async def collect_in_full_rarely(every_s: float = _FULL_EVERY_S) -> None:
    """Make full collections every `every_s` seconds and at no other time, until cancelled.

    A full collection stops the process: 350 to 470 ms with 200 meetings, for all their turns at once. By
    itself Python makes one whenever the heap has grown by a quarter, every 15 s of a running load, and
    finds next to nothing: what lives for long here is not garbage, and most of what dies goes by its count
    of references. What does not (a meeting that has ended) waits for the next one. Young objects
    are collected as ever.
    """
    young, middle, full = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER_COLLECTED)
    try:
        while True:
            await asyncio.sleep(every_s)
            gc.collect()
    finally:
        gc.set_threshold(young, middle, full)
