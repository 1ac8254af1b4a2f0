"""How late an event loop comes to what is due: so long each meeting waits for its neighbours."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

EVERY_S: Final = 0.02


async def watch_loop(observe: Callable[[float], None]) -> None:
    """Until cancelled: fifty times a second, how many seconds late this very task was woken."""
    loop = asyncio.get_running_loop()
    while True:
        due_s = loop.time() + EVERY_S
        await asyncio.sleep(EVERY_S)
        observe(max(0.0, loop.time() - due_s))
