"""Meetings that somebody wants through Redis, into the list of meetings: each once, none lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final, Protocol

import structlog

from context.ports import PortError, Refused, Unavailable
from worker.messages import DispatchEntry, DispatchMessage
from worker.ports import MeetingRow

log = structlog.get_logger(__name__)

_RETRY_FIRST_S: Final = 0.2
_RETRY_MAX_S: Final = 5.0


class Entries(Protocol):
    """The stream; `RedisDispatches` is one."""

    def entries(self) -> AsyncIterator[DispatchEntry]:
        """Every entry that is ours to do. Never ends."""
        ...

    async def done(self, entry: DispatchEntry) -> None:
        """This entry needs nobody any more."""
        ...


class Registry(Protocol):
    """The part of the registry that is needed here."""

    async def want(
        self,
        room: str | None,
        *,
        meeting_id: str | None = None,
        title: str | None = None,
        wish: str | None = None,
    ) -> MeetingRow:
        """See `MeetingRegistry`."""
        ...


async def want_from_redis(
    stream: Entries, meetings: Registry, *, tenant: str, on_wanted: Callable[[], object]
) -> None:
    """Until cancelled. An entry is done with when its meeting is a row, or when it can never be one."""
    async for entry in stream.entries():
        if isinstance(entry.message, DispatchMessage):
            if entry.message.tenant in {None, tenant}:
                await _want(entry.message, entry.position, meetings)
                on_wanted()
        else:
            log.warning("dispatch_refused", position=entry.position, reason=entry.message.reason)
        try:
            await stream.done(entry)
        except PortError as error:
            # It comes again, here or elsewhere, and is the same meeting.
            log.warning("dispatch_not_acknowledged", position=entry.position, error=str(error))


async def _want(message: DispatchMessage, position: str, meetings: Registry) -> None:
    wait_s = _RETRY_FIRST_S
    while True:
        try:
            row = await meetings.want(
                message.room, meeting_id=message.meeting_id, title=message.title, wish=message.id
            )
        except Unavailable as error:
            log.warning("wish_waits", position=position, error=str(error), retry_s=wait_s)
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, _RETRY_MAX_S)
            continue
        except Refused as error:
            log.warning("dispatch_refused", position=position, reason=str(error))
            return
        log.info("meeting_wanted", meeting_id=row.id, room=row.room, position=position)
        return
