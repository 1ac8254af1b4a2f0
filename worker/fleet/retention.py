"""Words that were kept long enough are erased, a few meetings at a time; the metrics say how that stands."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, Protocol

import structlog

from context.ports import PortError
from worker.erasures import Standing
from worker.monitoring.metrics import Metrics

log = structlog.get_logger(__name__)

DUE_EVERY_S: Final = 60.0
_AT_ONCE: Final = 10


class Due(Protocol):
    """Finds what was kept long enough, and has it erased."""

    async def ask_for_due(self, days: int | None, limit: int) -> Sequence[str]:
        """The ids of the meetings; `days` for those that say nothing themselves, None: for ever."""
        ...

    async def standing(self, days: int | None) -> Standing:
        """How many meetings are to be erased, and how that goes."""
        ...


async def retain(due: Due, days: int | None, metrics: Metrics) -> None:
    """Look once a minute until cancelled; an outage is waited out. The erasing itself is the holders'."""
    while True:
        try:
            meetings = await due.ask_for_due(days, _AT_ONCE)
            metrics.erasures(await due.standing(days))
        except PortError as error:
            log.info("retention_waits", error=str(error))
        else:
            for meeting_id in meetings:
                log.info("kept_long_enough", meeting_id=meeting_id)
            metrics.kept_long_enough(len(meetings))
        await asyncio.sleep(DUE_EVERY_S)
