"""How far long work has come, on a terminal: one line that is written anew each second, then wiped."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, TextIO

from worker.errors import first_cause

_FIRST_S: Final = 2.0
"""Short work says nothing."""
_EVERY_S: Final = 1.0
_WIPE: Final = "\r\x1b[K"


@asynccontextmanager
async def progress(how_far: Callable[[], str], stream: TextIO | None = None) -> AsyncIterator[None]:
    """While the block runs, `how_far()` stands on `stream` (stderr), if that is a terminal."""
    out = stream or sys.stderr
    if not out.isatty():
        yield
        return
    try:
        async with asyncio.TaskGroup() as tasks:
            telling = tasks.create_task(_tell(how_far, out), name="progress")
            yield
            telling.cancel()
    except BaseExceptionGroup as group:
        raise first_cause(group) from group
    finally:
        out.write(_WIPE)
        out.flush()


async def _tell(how_far: Callable[[], str], out: TextIO) -> None:
    await asyncio.sleep(_FIRST_S)
    while True:
        out.write(f"{_WIPE}{how_far()}")
        out.flush()
        await asyncio.sleep(_EVERY_S)
