"""What a disk keeps of earlier meetings goes when words were erased, wherever that was wished."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final

import structlog

from context.ports import PortError

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 15.0


async def sweep_cache(
    newest: Callable[[], Awaitable[datetime | None]], forget_before: Callable[[datetime], bool]
) -> None:
    """Look until cancelled. `newest`: when words were last erased; an outage is waited out."""
    while True:
        try:
            erased_at = await newest()
        except PortError as error:
            log.info("erasures_not_looked_up", error=str(error))
        else:
            if erased_at is not None and await asyncio.to_thread(forget_before, erased_at):
                log.info("context_cache_forgotten")
        await asyncio.sleep(LOOK_EVERY_S)
