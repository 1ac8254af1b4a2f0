"""The guests of a link that has ended leave the room, whether or not a worker is in it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta

from context.ports import Unavailable
from context.primitives.guest_identity import guest_identity, link_of
from tests.fakes.virtual_time import in_virtual_time
from worker.fleet.ended_links import LOOK_BACK, LOOK_EVERY_S, EndedLinks
from worker.links import EndedLink

A1, B1 = guest_identity("5c1d09ab", "0" * 16), guest_identity("77770000", "0" * 16)


class Fleet:
    """What it needs of the database and of LiveKit."""

    def __init__(self) -> None:
        self.ended_links: list[EndedLink] = []
        self.within: list[timedelta] = []
        self.rooms = {"회의실": [A1, B1, "minji"], "planning": [A1]}
        self.asked_for: list[str] = []
        self.away: set[str] = set()
        self.database_away = False

    async def ended(self, within: timedelta) -> list[EndedLink]:
        if self.database_away:
            raise Unavailable("Postgres is away")
        self.within.append(within)
        return self.ended_links

    async def existing(self, rooms: list[str]) -> set[str]:
        self.asked_for += rooms
        return {room for room in rooms if room in self.rooms}

    async def remove_guests(self, room: str, links: Collection[str]) -> list[str]:
        if room in self.away:
            raise Unavailable("LiveKit is away")
        gone = [identity for identity in self.rooms[room] if link_of(identity) in links]
        self.rooms[room] = [identity for identity in self.rooms[room] if identity not in gone]
        return gone


async def ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@in_virtual_time
async def test_its_guests_leave_and_nobody_else_does() -> None:
    fleet = Fleet()
    links = EndedLinks(fleet, fleet)
    task = asyncio.create_task(links.run())
    await asyncio.sleep(10)
    assert not fleet.asked_for, "LiveKit is asked nothing where no link has ended"
    fleet.ended_links = [EndedLink(id="5c1d09ab", room="회의실"), EndedLink(id="5c1d09ab", room="gone")]
    links.hurry()
    await asyncio.sleep(0.1)
    assert fleet.rooms == {"회의실": [B1, "minji"], "planning": [A1]}
    fleet.rooms["회의실"].append(A1)  # their token brought them back
    await asyncio.sleep(LOOK_EVERY_S + 0.1)
    assert fleet.rooms["회의실"] == [B1, "minji"]
    await ended(task)


@in_virtual_time
async def test_what_ended_while_no_dispatcher_was_at_work_is_looked_for_once() -> None:
    fleet = Fleet()
    fleet.ended_links = [EndedLink(id="5c1d09ab", room="회의실"), EndedLink(id="5c1d09ab", room="planning")]
    fleet.away, fleet.database_away = {"planning"}, True
    task = asyncio.create_task(EndedLinks(fleet, fleet).run())
    await asyncio.sleep(5)
    fleet.database_away = False
    await asyncio.sleep(2 * LOOK_EVERY_S)
    assert A1 not in fleet.rooms["회의실"], "one room's fault is not the others'"
    fleet.away.clear()
    await asyncio.sleep(2 * LOOK_EVERY_S)
    assert fleet.rooms["planning"] == []
    assert fleet.within[0] == timedelta(days=1)
    assert fleet.within[-1] == LOOK_BACK
    await ended(task)
