"""Meetings that are over and are to be written again, a few at a time, by a process that lives on.

Summaries that came too late: at a closing a model has some seconds. The topics that it has not read by then
are told in quotes, and its draft stays on the record as under way. The meeting's job waits a little for it
and then goes, since LiveKit's framework lets nobody stay longer. What is then still under way is asked for
again here: so the minutes of a slow model are its own, about a minute after the end. Words that people take
back: the meeting is rewritten without them. Whoever dies meanwhile leaves the record as it was, and another
dispatcher takes it up.

Words that were kept long enough are erased, a few meetings at a time; the metrics say how that stands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

import structlog

from context.ports import PortError
from worker.erasures import Standing
from worker.monitoring.metrics import Metrics

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 10.0
ERASE_EVERY_S: Final = 2.0
_AT_ONCE: Final = 4
DUE_EVERY_S: Final = 60.0
_RETENTION_AT_ONCE: Final = 10


async def write_again(
    find: Callable[[int], Awaitable[Sequence[str]]],
    write: Callable[[str], Awaitable[None]],
    *,
    what: str,
    every_s: float = LOOK_EVERY_S,
) -> None:
    """Look for meetings that are to be written again and have it done, a few at a time, until cancelled.

    `find` gives the ids of at most so many; `write` does what is to be done with one of them. An outage of
    either is waited out. `what` names the work in the log.
    """
    while True:
        await asyncio.sleep(every_s)
        try:
            meetings = await find(_AT_ONCE)
        except PortError as error:
            log.info(f"{what}_not_looked_for", error=str(error))
            continue
        async with asyncio.TaskGroup() as tasks:
            for meeting_id in meetings:
                tasks.create_task(_write(meeting_id, write, what), name=f"{what}:{meeting_id}")


async def _write(meeting_id: str, write: Callable[[str], Awaitable[None]], what: str) -> None:
    try:
        await write(meeting_id)
        log.info(f"{what}_made", meeting_id=meeting_id)
    except PortError as error:
        log.warning(f"{what}_not_made", meeting_id=meeting_id, error=str(error))
    except Exception:
        # What is wrong with one meeting must not keep the others from theirs.
        log.exception(f"{what}_not_made", meeting_id=meeting_id)


class Due(Protocol):
    """Finds what was kept long enough, and has it erased."""

    async def ask_for_due(self, days: int | None, limit: int) -> Sequence[str]:
        """The ids of the meetings; `days` for those that say nothing themselves, None: for ever."""

    async def standing(self, days: int | None) -> Standing:
        """How many meetings are to be erased, and how that goes."""


async def retain(due: Due, days: int | None, metrics: Metrics) -> None:
    """Look once a minute until cancelled; an outage is waited out. The erasing itself is the holders'."""
    while True:
        try:
            meetings = await due.ask_for_due(days, _RETENTION_AT_ONCE)
            metrics.erasures(await due.standing(days))
        except PortError as error:
            log.info("retention_waits", error=str(error))
        else:
            for meeting_id in meetings:
                log.info("kept_long_enough", meeting_id=meeting_id)
            metrics.figures.kept_long_enough.inc(len(meetings))
        await asyncio.sleep(DUE_EVERY_S)
