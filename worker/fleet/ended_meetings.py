"""Meetings that are over and are to be written again, a few at a time, by a process that lives on.

Summaries that came too late: at a closing a model has some seconds. The topics that it has not read by then
are told in quotes, and its draft stays on the record as under way. The meeting's job waits a little for it
and then goes, since LiveKit's framework lets nobody stay longer. What is then still under way is asked for
again here: so the minutes of a slow model are its own, about a minute after the end. Words that people take
back: the meeting is rewritten without them. Whoever dies meanwhile leaves the record as it was, and another
dispatcher takes it up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from context.ports import PortError

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 10.0
ERASE_EVERY_S: Final = 2.0
_AT_ONCE: Final = 4


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
