"""Does LiveKit take our key? Asked once, at the start: a wrong one does not mend itself."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from context.ports import Unavailable
from worker.bootstrap import placement
from worker.configuration.settings import Settings
from worker.errors import one_line

log = structlog.get_logger(__name__)

_GREETING_S: Final = 5.0


async def greet_livekit(settings: Settings) -> None:
    """Raise `Refused` where LiveKit does not know our key or secret; a server that is away is waited for."""
    try:
        async with asyncio.timeout(_GREETING_S), placement(settings) as livekit:
            await livekit.existing(["moim-check"])
    except (Unavailable, TimeoutError) as error:
        log.warning("livekit_away", url=settings.livekit.url, error=one_line(error))
