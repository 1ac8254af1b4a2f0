"""A real LiveKit server: guests leave with their link, and only the page's own people speak as the page."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from livekit import rtc

from context.primitives.guest_identity import guest_identity
from tests.integration.rooms import ME, FrameCounter, World, heard, speaking, world  # noqa: F401 - a fixture
from worker.adapters.livekit_outlet import CHAT_TOPIC
from worker.adapters.livekit_room import LiveKitRoom
from worker.adapters.livekit_texts import VIA_ATTRIBUTE
from worker.adapters.livekit_tokens import PAGE_ATTRIBUTE, page_mark, page_token, participant_token
from worker.clock import SystemClock
from worker.fleet.ended_links import EndedLinks
from worker.links import EndedLink
from worker.participants.guests import Guests

pytestmark = pytest.mark.room

GUEST, OTHER = guest_identity("5c1d09ab", "0" * 16), guest_identity("77770000", "0" * 16)


class Listener(FrameCounter):
    """Hears as the guests' links say, and notes who wrote how."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[tuple[str, str]] = []
        self.guests: Guests

    def joined(self, identity: str, _name: str) -> None:
        self.guests.joined(identity)

    def left(self, identity: str) -> None:
        self.guests.left(identity)

    def may_hear(self, identity: str) -> bool:
        return self.guests.may_hear(identity)

    def chat(self, _id: str, identity: str, _name: str, _text: str, *, private: bool, via: str) -> None:
        assert not private
        self.written.append((identity, via))


class Links:
    def __init__(self) -> None:
        self.standing = {"5c1d09ab", "77770000"}

    async def stands(self, link_id: str) -> bool:
        return link_id in self.standing


async def test_guests_leave_with_their_link_and_their_token_does_not_bring_them_back(
    world: World,  # noqa: F811 - the fixture
) -> None:
    listener, links, me = Listener(), Links(), rtc.Room()
    key, secret = world.server.api_key, world.server.api_secret
    async with asyncio.TaskGroup() as tasks:
        room = LiveKitRoom(me, listener, tasks, clock=SystemClock(), epoch=1, me=ME)
        listener.guests = Guests(
            links,
            partial(world.livekit.remove, "회의"),
            run=tasks.create_task,
            changed=room.subscribe_as_agreed,
        )
        room.listen()
        token = participant_token(key, secret, "회의", "moim-1", "moim", kind="agent")
        await me.connect(world.server.url, token, rtc.RoomOptions(auto_subscribe=False))
        await room.arrive()
        looking = tasks.create_task(listener.guests.run())
        async with speaking(world, OTHER):
            async with speaking(world, GUEST) as guest:
                await heard(listener, GUEST, 5)
                links.standing.discard("5c1d09ab")
                async with asyncio.timeout(20):
                    while guest.isconnected():
                        await asyncio.sleep(0.05)
            stopped, others = listener.frames[GUEST], listener.frames[OTHER]
            async with speaking(world, GUEST) as again, asyncio.timeout(20):
                while again.isconnected():
                    await asyncio.sleep(0.05)
            await heard(listener, OTHER, others + 5)
            assert listener.frames[GUEST] == stopped
        await world.livekit.remove("회의", GUEST)  # who has left already is no fault
        looking.cancel()
        await room.aclose()
        await me.disconnect()


async def test_without_a_worker_guests_leave_with_their_link_and_their_token_does_not_bring_them_back(
    world: World,  # noqa: F811 - the fixture
) -> None:
    ended: list[EndedLink] = []

    class Links:
        async def ended(self, _within: timedelta) -> list[EndedLink]:
            return ended

    async def gone(room: rtc.Room) -> None:
        async with asyncio.timeout(20):
            while room.isconnected():
                await asyncio.sleep(0.05)

    key, secret = world.server.api_key, world.server.api_secret
    token = page_token(key, secret, "회의", GUEST, "손님")
    links, guest, other = EndedLinks(Links(), world.livekit), rtc.Room(), rtc.Room()
    looking = asyncio.create_task(links.run())
    await other.connect(world.server.url, page_token(key, secret, "회의", OTHER, "다른 손님"))
    await guest.connect(world.server.url, token)
    assert await world.livekit.remove_guests("회의", ["deadbeef"]) == []
    ended.append(EndedLink(id="5c1d09ab", room="회의"))
    ended.append(EndedLink(id="5c1d09ab", room="없는 방"))
    links.hurry()
    await gone(guest)
    again = rtc.Room()
    await again.connect(world.server.url, token)
    await gone(again)
    assert other.isconnected()
    looking.cancel()
    for room in (guest, again, other):
        await room.disconnect()


async def test_only_who_joined_from_the_page_writes_as_the_page(world: World) -> None:  # noqa: F811 - the fixture
    listener, me = Listener(), rtc.Room()
    key, secret = world.server.api_key, world.server.api_secret
    theirs = page_mark(secret, "회의", "minji")
    tokens = {
        "minji": page_token(key, secret, "회의", "minji", "김민지"),
        "ben": participant_token(key, secret, "회의", "ben", "Ben"),
        "thief": participant_token(key, secret, "회의", "thief", "T", attributes={PAGE_ATTRIBUTE: theirs}),
        "한글": participant_token(key, secret, "회의", "한글", "T", attributes={PAGE_ATTRIBUTE: "쪽"}),
    }
    async with asyncio.TaskGroup() as tasks:
        mark = partial(page_mark, secret)
        room = LiveKitRoom(me, listener, tasks, clock=SystemClock(), epoch=1, me=ME, page_mark=mark)
        listener.guests = Guests(
            Links(), partial(world.livekit.remove, "회의"), run=tasks.create_task, changed=print
        )
        room.listen()
        await me.connect(
            world.server.url, participant_token(key, secret, "회의", "moim-1", "moim", kind="agent")
        )
        await room.arrive()
        for token in tokens.values():
            person = rtc.Room()
            await person.connect(world.server.url, token)
            options: Any = {"topic": CHAT_TOPIC, "attributes": {VIA_ATTRIBUTE: "page"}}
            await person.local_participant.send_text("/me no", **options)
            async with asyncio.timeout(20):
                while person.local_participant.identity not in dict(listener.written):
                    await asyncio.sleep(0.05)
            await person.disconnect()
        await room.aclose()
        await me.disconnect()
    assert listener.written == [("minji", "page"), ("ben", "chat"), ("thief", "chat"), ("한글", "chat")]
