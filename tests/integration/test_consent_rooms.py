"""A real LiveKit server: of who has not agreed not one frame is heard, however they come and whoever listens."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from livekit import api, rtc

from tests.integration.rooms import ME, Listener, World, heard, speaking, world  # noqa: F401 - the fixture
from worker.adapters.livekit_room import CONSENT_ATTRIBUTE, LiveKitRoom
from worker.adapters.livekit_tokens import participant_token
from worker.clock import SystemClock

pytestmark = [pytest.mark.room]
JOINS = int(os.environ.get("MOIM_TEST_JOINS", "3"))


@asynccontextmanager
async def listening(world: World, listener: Listener, epoch: int) -> AsyncIterator[LiveKitRoom]:  # noqa: F811 - its type
    """A holder in the room."""
    key, secret = world.server.api_key, world.server.api_secret
    me = rtc.Room()
    async with asyncio.TaskGroup() as tasks:
        room = listener.room = LiveKitRoom(me, listener, tasks, clock=SystemClock(), epoch=epoch, me=ME)
        room.listen()
        token = participant_token(key, secret, "회의", f"moim-{epoch}", "moim", kind="agent")
        await me.connect(world.server.url, token, rtc.RoomOptions(auto_subscribe=False))
        await room.arrive()
        try:
            yield room
        finally:
            await room.aclose()
            await me.disconnect()


async def test_of_who_has_not_agreed_no_frame_is_heard(world: World) -> None:  # noqa: F811 - the fixture
    listener = Listener()
    listener.agreed["yes"] = True
    listener.agreed["no"] = False
    async with speaking(world, "yes"):
        for number in range(JOINS):  # a new holder, and they join and rejoin
            async with listening(world, listener, number + 1):
                before = listener.frames["yes"]
                async with speaking(world, "no"), speaking(world, f"silent-{number}"):
                    await heard(listener, "yes", before + 5)
                async with speaking(world, "no"):
                    await heard(listener, "yes", listener.frames["yes"] + 5)
        assert {who for who, count in listener.frames.items() if count} == {"yes"}


async def test_a_yes_and_a_no_count_at_once(world: World) -> None:  # noqa: F811 - the fixture
    listener = Listener()
    async with listening(world, listener, 1) as room, speaking(world, "ben"):
        await asyncio.sleep(0.5)
        assert listener.frames["ben"] == 0
        said = api.UpdateParticipantRequest(
            room="회의", identity="ben", attributes={CONSENT_ATTRIBUTE: "yes"}
        )
        await world.livekit._livekit.room.update_participant(said)
        await heard(listener, "ben", 5)
        listener.agreed["ben"] = False
        room.subscribe_as_agreed("ben")
        stopped = listener.frames["ben"]
        await asyncio.sleep(0.7)
        assert listener.frames["ben"] == stopped


@pytest.mark.parametrize("text", ["/me no", "누가 뭘 하기로 했지?"])
async def test_what_somebody_writes_as_they_come_in_is_read(world: World, text: str) -> None:  # noqa: F811 - the fixture
    listener, written = Listener(), list[tuple[str, str]]()
    listener.chat = lambda _id, who, _name, text, **_how: written.append((who, text))  # type: ignore[attr-defined]  # one more
    async with listening(world, listener, 1):
        for number in range(3):  # it may overtake the news that they came in
            async with speaking(world, f"ben-{number}") as room:
                await room.local_participant.send_text(text, topic="lk.chat")
                async with asyncio.timeout(20):
                    while written[number:] != [(f"ben-{number}", text)]:
                        await asyncio.sleep(0.05)
