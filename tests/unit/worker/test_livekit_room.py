"""The room's side of a meeting, without a server: what waits for the room, and what does not."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from livekit import rtc

from context.ports import Unavailable
from worker.adapters.livekit_room import LiveKitRoom
from worker.clock import Clock
from worker.room.ears import Ears


class _Writer:
    async def write(self, text: str) -> None:
        """Taken."""


class _Me:
    def __init__(self) -> None:
        self.streams: list[dict[str, Any]] = []

    async def set_attributes(self, _attributes: dict[str, str]) -> None:
        """Taken."""

    async def stream_text(self, **options: Any) -> _Writer:
        self.streams.append(options)
        return _Writer()


class _Room:
    """As much of `rtc.Room` as an answer needs."""

    def __init__(self) -> None:
        self.connected = False
        self.local_participant = _Me()
        self.remote_participants: dict[str, rtc.RemoteParticipant] = {}

    def isconnected(self) -> bool:
        return self.connected


def _room(fake: _Room, tasks: asyncio.TaskGroup) -> LiveKitRoom:
    # No event of the room reaches its ears here.
    return LiveKitRoom(cast("rtc.Room", fake), cast("Ears", None), tasks, clock=cast("Clock", None), epoch=2)


async def test_a_successor_that_still_connects_answers_when_it_is_there() -> None:
    fake = _Room()
    async with asyncio.TaskGroup() as tasks:
        room = _room(fake, tasks)
        opening = tasks.create_task(room.outlet.open_reply("i1", "SEARCH", evidence=(), to="alice"))
        await asyncio.sleep(0)
        assert fake.local_participant.streams == []
        fake.connected = True
        await room.arrive()
        await opening
    assert [s["destination_identities"] for s in fake.local_participant.streams] == [["alice"]]


async def test_a_room_that_was_lost_again_is_not_waited_for() -> None:
    fake = _Room()
    async with asyncio.TaskGroup() as tasks:
        room = _room(fake, tasks)
        fake.connected = True
        await room.arrive()
        fake.connected = False
        with pytest.raises(Unavailable, match="not in the room"):
            await room.outlet.open_reply("i1", "SEARCH", evidence=(), to=None)
