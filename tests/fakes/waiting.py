"""Waiting for what another task brings about."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager


async def until(holds: Callable[[], object], *, within_s: float = 60.0) -> None:
    """Raises TimeoutError where it does not hold in time."""
    async with asyncio.timeout(within_s):
        while not holds():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def beside(work: Coroutine[None, None, object]) -> AsyncIterator[asyncio.Task[object]]:
    """Something that runs for as long as the block, and is cancelled at its end."""
    task = asyncio.ensure_future(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
