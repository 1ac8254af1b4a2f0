"""When the garbage collector does not run."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
