"""Waiting for what another task brings about."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def until(holds: Callable[[], object], *, within_s: float = 60.0) -> None:
    """Raises TimeoutError where it does not hold in time."""
    async with asyncio.timeout(within_s):
        while not holds():
            await asyncio.sleep(0.01)
