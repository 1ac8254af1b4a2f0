"""Summaries that came too late for their meeting's end: made again from the record.

At a closing a model has some seconds. The topics that it has not read by then are told in quotes, and its
draft stays on the record as under way. The meeting's job waits a little for it and then goes, since LiveKit's
framework lets nobody stay longer. What is then still under way is asked for again here, in a process that
lives on: so the minutes of a slow model are its own, about a minute after the end. Whoever dies meanwhile
leaves the draft as under way, and another dispatcher takes it up. A model that fails again leaves the quotes,
which say what they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from context.ports import PortError

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 10.0
_AT_ONCE: Final = 4


async def make_late_drafts(
    find: Callable[[int], Awaitable[Sequence[str]]], make: Callable[[str], Awaitable[None]]
) -> None:
    """Look for meetings with a draft that is late and have it made, a few at a time, until cancelled.

    `find` gives the ids of at most so many; `make` writes what is missing of one of them. An outage of either
    is waited out.
    """
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        try:
            meetings = await find(_AT_ONCE)
        except PortError as error:
            log.info("late_drafts_not_found", error=str(error))
            continue
        async with asyncio.TaskGroup() as tasks:
            for meeting_id in meetings:
                tasks.create_task(_make(meeting_id, make), name=f"draft:{meeting_id}")


async def _make(meeting_id: str, make: Callable[[str], Awaitable[None]]) -> None:
    try:
        await make(meeting_id)
        log.info("late_draft_made", meeting_id=meeting_id)
    except PortError as error:
        log.warning("late_draft_not_made", meeting_id=meeting_id, error=str(error))
    except Exception:
        # What is wrong with one meeting must not keep the others from their minutes.
        log.exception("late_draft_not_made", meeting_id=meeting_id)
