"""Meetings that no command asked for: in rooms whose name fits a pattern, and asked for through Redis.

A room's life is from its creation to its end; in one life it has at most one meeting that nobody asked
for. So a meeting that was ended while people stay in the room is not begun again behind their backs, by
a late webhook or by the next look: that takes the room's next life, or somebody who asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from fnmatch import fnmatchcase
from typing import Final, Protocol

import structlog

from context.ports import PortError, Refused, Unavailable
from worker.fleet.dispatcher import FleetRegistry
from worker.messages import DispatchEntry, DispatchMessage
from worker.names import room_fault
from worker.ports import MeetingRegistry, MeetingRow, RoomSeen

log = structlog.get_logger(__name__)

_DEADLINE_S: Final = 20.0
_ROOMS_AT_ONCE: Final = 10
_RETRY_FIRST_S: Final = 0.2
_RETRY_MAX_S: Final = 5.0


class Rooms(Protocol):
    """LiveKit's rooms: which there are, and who is in them. Every method raises `PortError`."""

    async def entered(self, fits: Callable[[str], bool]) -> list[RoomSeen]:
        """Return the rooms whose name `fits` and in which somebody is, human or not."""

    async def has_human(self, room: str) -> bool:
        """Tell whether at least one human is in the room."""


class RoomRequests:
    """Wants meetings in rooms whose name fits one of `patterns` (as of `fnmatch`)."""

    def __init__(self, meetings: FleetRegistry, patterns: Sequence[str]) -> None:
        self._meetings, self._patterns = meetings, tuple(patterns)

    def fits(self, room: str) -> bool:
        """Tell whether Moim joins a room of this name unasked; letters' case counts, as in LiveKit.

        A name that Postgres cannot hold does not fit: it must not keep the others from being looked up.
        """
        return room_fault(room) is None and any(fnmatchcase(room, pattern) for pattern in self._patterns)

    async def seen(self, rooms: Sequence[RoomSeen]) -> list[MeetingRow]:
        """Want a meeting in each of these rooms that fits and had none; return them. Raises `PortError`."""
        wanted = [await self._want(room.name) for room in await self._new(rooms)]
        return [row for row in wanted if row is not None]

    async def _new(self, rooms: Sequence[RoomSeen]) -> list[RoomSeen]:
        """Return those rooms that fit and have not had their meeting."""
        fitting = {room.name: room for room in rooms if self.fits(room.name)}
        if not fitting:
            return []
        known = await self._meetings.newest_in_rooms(list(fitting))
        return [room for name, room in fitting.items() if not _had_its_meeting(known.get(name), room)]

    async def _want(self, room: str) -> MeetingRow | None:
        try:
            row = await self._meetings.want(room)
        except Refused as error:
            log.warning("room_not_wanted", room=room, error=str(error))
            return None
        log.info("room_wanted", room=room, meeting_id=row.id)
        return row

    async def finished(self, room: str) -> None:
        """Note that LiveKit has closed a room: a meeting there that nobody holds is ended or looked at now.

        A living holder sees it by itself. Raises `PortError`.
        """
        row = (await self._meetings.newest_in_rooms([room])).get(room)
        if row is None or row.status in {"ended", "failed"} or row.holder is not None:
            return
        if row.status == "wanted" and self.fits(room):
            # It was to be joined because it was there; what somebody asked for waits on, with a new room.
            await self._meetings.request_end(row.id)
            log.info("wish_withdrawn", room=room, meeting_id=row.id)
            return
        await self._meetings.hurry(room)

    async def poll(self, rooms: Rooms, every_s: float, on_wanted: Callable[[], object]) -> None:
        """Want meetings in rooms that fit and have humans in them; look every `every_s` until cancelled.

        `on_wanted` is called for each. An outage is waited out.
        """
        while True:
            try:
                async with asyncio.timeout(_DEADLINE_S):
                    # Who is in a room is a question for each: not asked of thousands that Moim is in already.
                    new = await self._new(await rooms.entered(self.fits))
                    for first in range(0, len(new), _ROOMS_AT_ONCE):
                        await self._look_into(rooms, new[first : first + _ROOMS_AT_ONCE], on_wanted)
            except (PortError, TimeoutError) as error:
                log.warning("rooms_not_seen", error=str(error) or f"no answer within {_DEADLINE_S:.0f} s")
            await asyncio.sleep(every_s)

    async def _look_into(
        self, rooms: Rooms, some: Sequence[RoomSeen], on_wanted: Callable[[], object]
    ) -> None:
        asking = (rooms.has_human(room.name) for room in some)
        humans = await asyncio.gather(*asking, return_exceptions=True)
        for room, human in zip(some, humans, strict=True):
            if human is True and await self._want(room.name) is not None:
                on_wanted()
        for human in humans:
            if isinstance(human, BaseException):
                raise human


def _had_its_meeting(newest: MeetingRow | None, room: RoomSeen) -> bool:
    """Tell whether `newest`, the room's newest meeting, is of this life of the room.

    One that ended after the room was made anew may be of the life before: then people came before that.
    """
    if newest is None or newest.status in {"wanted", "live"}:
        return newest is not None
    moment = newest.started_at or newest.ended_at
    return moment is not None and moment >= room.created_at


class RoomRequestStream(Protocol):
    """The stream by which meetings are wanted, for one dispatcher; `RedisDispatches` is one."""

    def entries(self) -> AsyncIterator[DispatchEntry]:
        """Yield every entry that is this dispatcher's to do. Never ends; an outage is waited out."""

    async def done(self, entry: DispatchEntry) -> None:
        """Note that an entry is dealt with, so that it goes to nobody else. Raises `PortError`."""


async def want_from_redis(
    stream: RoomRequestStream, meetings: MeetingRegistry, *, tenant: str, on_wanted: Callable[[], object]
) -> None:
    """Want the meeting of each entry until cancelled; `on_wanted` is called for each of this tenant's.

    An entry is done with when its meeting is in the registry, or can never be there.
    """
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


async def _want(message: DispatchMessage, position: str, meetings: MeetingRegistry) -> None:
    wait_s = _RETRY_FIRST_S
    while True:
        try:
            row = await meetings.want(
                message.room, meeting_id=message.meeting_id, title=message.title, request_id=message.id
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
