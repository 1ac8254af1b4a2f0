"""The guests of links that have ended leave the rooms that they had joined.

A meeting's holder hears the guests of an ended link no more, and removes them (`participants.guests`). But a
room may have guests and no holder: before a worker has come, after the meeting, or where none is at work. So
the dispatcher, which is always there, looks at all rooms with links that ended of late. It goes on looking
for longer than a token may bring somebody back: our page's own for two minutes, and for ten the one that
LiveKit gives to whoever is in the room, for when their connection breaks.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Final, Protocol

import structlog

from context.ports import PortError
from worker.clock import happens
from worker.links import EndedLink

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 2.0
LOOK_BACK: Final = timedelta(minutes=15)
"""How long after a link's end its guests are looked for."""
_FIRST_LOOK_BACK: Final = timedelta(days=1)
"""How far back the first look goes: a link may have ended while no dispatcher was at work."""


class LinksThatEnded(Protocol):
    """The database's word on links that have ended."""

    async def ended(self, within: timedelta) -> Sequence[EndedLink]:
        """Give those that ended within this time, each with its meeting's room. Raises `PortError`."""


class RoomsOfGuests(Protocol):
    """LiveKit's rooms. Every method raises `PortError`."""

    async def existing(self, rooms: list[str]) -> set[str]:
        """Return the names among `rooms` of which there is a room."""

    async def remove_guests(self, room: str, links: Collection[str]) -> Sequence[str]:
        """Have the guests by these links leave the room; give who they were."""


class EndedLinks:
    """Has guests leave once their link has ended. Several dispatchers that do so do no harm."""

    def __init__(self, links: LinksThatEnded, rooms: RoomsOfGuests) -> None:
        self._links, self._rooms = links, rooms
        self._within = _FIRST_LOOK_BACK
        self._woken = asyncio.Event()

    def hurry(self) -> None:
        """Look now, without waiting for the next turn."""
        self._woken.set()

    async def run(self) -> None:
        """Look every two seconds and when woken, until cancelled; an outage of any part is waited out."""
        while True:
            self._woken.clear()
            try:
                await self.look()
            except PortError as error:
                log.warning("guests_not_looked_up", error=str(error))
            except Exception:
                # Without a next look no guest would ever leave.
                log.exception("guests_not_looked_up")
            await happens(self._woken, LOOK_EVERY_S)

    async def look(self) -> None:
        """Make one pass over the rooms with links that have ended. Raises `PortError`."""
        by_room: dict[str, set[str]] = defaultdict(set)
        for link in await self._links.ended(self._within):
            by_room[link.room].add(link.id)
        whole = True
        for room in sorted(await self._rooms.existing(sorted(by_room))) if by_room else ():
            try:
                for identity in await self._rooms.remove_guests(room, by_room[room]):
                    log.info("guest_removed", participant=identity, room=room)
            except PortError as error:  # one room's fault is not the others'
                whole = False
                log.warning("guests_not_removed", room=room, error=str(error))
        if whole:
            self._within = LOOK_BACK
