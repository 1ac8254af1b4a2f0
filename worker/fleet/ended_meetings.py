"""What a dispatcher does to meetings that are over, a few at a time.

Late summaries: at a closing a model has some seconds. The topics that it has not read by then are told in
quotes, and its draft stays on the record as under way. The meeting's job waits a little for it and then goes,
since LiveKit's framework lets nobody stay longer. What is then still under way is asked for again here: so a
slow model's minutes come about a minute after the end. Late words: what was recognised only after the
meeting (`worker.holder.late_speech`) is folded into it, and its summary made again. Erasures: the meeting is
rewritten without the words that people take back. Passages: what a search finds of a meeting is completed
where its holder had no time for it. All by `write_again`; a process that dies at it leaves the record as it
was, and another dispatcher takes it up.

Retention (`retain`): the erasure of words that were kept long enough is asked for; metrics say how it stands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

import structlog

from context.ports import PortError
from worker.erasures import ErasureBacklog
from worker.monitoring.metrics import Metrics

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 10.0
ERASE_EVERY_S: Final = 2.0
LATE_EVERY_S: Final = 5.0
_MEETINGS_AT_ONCE: Final = 4
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

    `find` gives the ids of at most so many; `write` does the work for one of them. An outage of either is
    waited out; what else fails of one meeting is logged. `what` names the work in the log.
    """
    while True:
        await asyncio.sleep(every_s)
        try:
            meetings = await find(_MEETINGS_AT_ONCE)
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


class Retention(Protocol):
    """The meetings whose words were kept long enough; see `PostgresErasures`."""

    async def ask_for_due(self, days: int | None, limit: int) -> Sequence[str]:
        """Ask for the erasure of at most `limit` meetings that were kept long enough; return their ids.

        `days`: for meetings without a number of their own; None: these are kept. Raises `PortError`.
        """

    async def standing(self, days: int | None) -> ErasureBacklog:
        """Count the meetings that are due, waiting, on hold and erased. Raises `PortError`."""


async def retain(retention: Retention, days: int | None, metrics: Metrics) -> None:
    """Ask once a minute for the erasures that are due, until cancelled; an outage is waited out.

    What is asked for here is carried out by `write_again`.
    """
    while True:
        try:
            meetings = await retention.ask_for_due(days, _RETENTION_AT_ONCE)
            metrics.erasures(await retention.standing(days))
        except PortError as error:
            log.info("retention_waits", error=str(error))
        else:
            for meeting_id in meetings:
                log.info("kept_long_enough", meeting_id=meeting_id)
            metrics.instruments.kept_long_enough.inc(len(meetings))
        await asyncio.sleep(DUE_EVERY_S)
