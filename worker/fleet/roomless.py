"""Closes meetings from their record whose room is gone, with no job left to see them end.

It is done beside the dispatcher's loop, a few at a time and each within a deadline: restoring a long meeting,
or a database that stands still, must not keep the other meetings from their workers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from context.ports import PortError
from worker.clock import Clock
from worker.ports import MeetingRow

log = structlog.get_logger(__name__)

GONE_FOR_S: Final = 30.0
"""No room and nobody back for this long: the meeting is over."""
CLOSE_WITHIN_S: Final = 60.0
"""Restore, closing summary and end of one meeting; what takes longer is let go and tried again."""
_CLOSE_AT_ONCE: Final = 4


class RoomlessMeetings:
    """The meetings without a room that one dispatcher has seen, and those that it is closing.

    `close_meeting` ends one from its record.
    """

    def __init__(self, close_meeting: Callable[[str], Awaitable[None]], clock: Clock) -> None:
        self._close_meeting, self._clock = close_meeting, clock
        self._since_s: dict[tuple[str, int], float] = {}
        """(meeting, epoch) → since when the room is gone; a later holder, who saw it, has another epoch."""
        self._closings: dict[str, asyncio.Task[None]] = {}
        self._closers = asyncio.Semaphore(_CLOSE_AT_ONCE)

    def note(self, row: MeetingRow) -> None:
        """Note that a meeting has no room now; begin to close it where it has had none for `GONE_FOR_S`."""
        now_s = self._clock.monotonic_s()
        since_s = self._since_s.setdefault((row.id, row.epoch), now_s)
        if now_s - since_s < GONE_FOR_S or row.id in self._closings:
            return
        del self._since_s[row.id, row.epoch]
        task = asyncio.get_running_loop().create_task(self._close(row), name=f"close:{row.id}")
        self._closings[row.id] = task
        task.add_done_callback(lambda _: self._closings.pop(row.id, None))

    def forget(self, row: MeetingRow) -> None:
        """Note that a meeting has a room, or needs none yet."""
        self._since_s.pop((row.id, row.epoch), None)

    async def settle(self) -> None:
        """Wait for the closings that are under way."""
        while self._closings:
            await asyncio.wait(self._closings.values())

    async def abandon(self) -> None:
        """Cancel the closings that are under way: another dispatcher will find their meetings roomless."""
        for task in self._closings.values():
            task.cancel()
        await self.settle()

    async def _close(self, row: MeetingRow) -> None:
        """Close a meeting; where that fails it is noted as roomless again, and closed `GONE_FOR_S` later."""
        try:
            async with self._closers, asyncio.timeout(CLOSE_WITHIN_S):
                await self._close_meeting(row.id)
            log.info("meeting_closed_without_room", meeting_id=row.id, room=row.room)
        except (PortError, TimeoutError) as error:
            why = str(error) or f"not done within {CLOSE_WITHIN_S:.0f} s"
            log.warning("meeting_not_closed", meeting_id=row.id, room=row.room, error=why)
        except Exception:
            log.exception("meeting_not_closed", meeting_id=row.id, room=row.room)
