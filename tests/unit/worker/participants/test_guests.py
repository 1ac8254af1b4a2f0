"""Who came by a link is in the room for as long as it stands, and heard no longer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from context.events.actors import Actor, participant
from context.ports import Unavailable
from context.primitives.guest_identity import guest_identity, link_of
from tests.fakes.virtual_time import in_virtual_time, run_virtual
from worker.participants.guests import LOOK_EVERY_S, Guests

A1, A2 = guest_identity("5c1d09ab", "0" * 16), guest_identity("5c1d09ab", "1" * 16)
B1 = guest_identity("77770000", "0" * 16)


class Room:
    """What the guests' presence needs of a room, of LiveKit and of the database."""

    def __init__(self, tasks: asyncio.TaskGroup) -> None:
        self.tasks = tasks
        self.standing = {"5c1d09ab", "77770000"}
        self.away = self.livekit_away = False
        self.looked: list[str] = []
        self.removed: list[str] = []
        self.heard: dict[str, list[bool]] = {}
        self.before: set[str] = set()
        self.guests = Guests(
            self, self.remove, run=self.run, changed=self.changed, was_here=self.before.__contains__
        )

    async def stands(self, link_id: str) -> bool:
        await asyncio.sleep(0.01)
        self.looked.append(link_id)
        if self.away:
            raise Unavailable("Postgres is away")
        return link_id in self.standing

    async def remove(self, identity: str) -> None:
        if self.livekit_away:
            raise Unavailable("LiveKit is away")
        self.removed.append(identity)
        self.guests.left(identity)

    def run(self, work: Coroutine[Any, Any, None], *, name: str) -> None:
        self.tasks.create_task(work, name=name)

    def changed(self, identity: str) -> None:
        self.heard.setdefault(identity, []).append(self.guests.may_hear(identity))


def scenario(of: Callable[[Room], Coroutine[Any, Any, None]]) -> None:
    async def whole() -> None:
        async with asyncio.TaskGroup() as tasks:
            room = Room(tasks)
            looking = tasks.create_task(room.guests.run())
            await of(room)
            looking.cancel()

    run_virtual(whole())


pytestmark = in_virtual_time


def test_guests_of_a_link_that_is_withdrawn_are_heard_no_more_and_removed_in_two_seconds() -> None:
    async def withdrawn(room: Room) -> None:
        for identity in (A1, A2, B1, "minji"):
            room.guests.joined(identity)
        assert not room.guests.may_hear(A1), "nobody has looked yet"
        await asyncio.sleep(0.1)
        assert all(room.guests.may_hear(each) for each in (A1, A2, B1, "minji"))
        room.standing.discard("5c1d09ab")
        await asyncio.sleep(LOOK_EVERY_S)
        assert sorted(room.removed) == [A1, A2]
        assert room.heard == {A1: [True, False], A2: [True, False], B1: [True]}
        assert room.guests.is_out(A1)
        assert not room.guests.is_out(B1)

    scenario(withdrawn)


def test_a_token_that_is_still_good_does_not_bring_them_back() -> None:
    async def comes_back(room: Room) -> None:
        room.standing.clear()
        for _ in range(3):
            room.guests.joined(A1)
            assert not room.guests.may_hear(A1)
            await asyncio.sleep(0.1)
        assert room.removed == [A1] * 3
        assert room.heard.get(A1, []) == []
        assert len(room.looked) == 1, "it stands no more for good"

    scenario(comes_back)


def test_while_the_record_is_away_nobody_is_removed_and_it_is_looked_again() -> None:
    async def outage(room: Room) -> None:
        room.guests.joined(A1)
        await asyncio.sleep(0.1)
        room.away = True
        room.standing.clear()
        room.guests.joined(B1)
        await asyncio.sleep(60)
        assert room.removed == []
        assert room.guests.may_hear(A1), "they were let in before"
        assert not room.guests.may_hear(B1), "nobody knows"
        room.away = False
        await asyncio.sleep(LOOK_EVERY_S + 0.1)
        assert sorted(room.removed) == [A1, B1]

    scenario(outage)


def test_while_livekit_is_away_they_are_not_heard_and_are_removed_later() -> None:
    async def outage(room: Room) -> None:
        room.guests.joined(A1)
        await asyncio.sleep(0.1)
        room.livekit_away = True
        room.standing.clear()
        await asyncio.sleep(10)
        assert not room.guests.may_hear(A1)
        room.livekit_away = False
        await asyncio.sleep(LOOK_EVERY_S)
        assert room.removed == [A1]

    scenario(outage)


def test_a_successor_misses_nothing_of_whom_its_holder_had_let_in() -> None:
    async def taken_over(room: Room) -> None:
        room.before.add(A1)
        assert room.guests.may_hear(A1)
        assert not room.guests.may_hear(A2)
        room.guests.joined(A1)
        assert room.guests.may_hear(A1)
        room.standing.clear()
        await asyncio.sleep(0.1)
        assert not room.guests.may_hear(A1)
        room.guests.left(A1)
        assert not room.guests.may_hear(A1)

    scenario(taken_over)


def test_who_comes_after_the_last_guest_of_a_link_has_left_is_looked_up_first() -> None:
    async def later(room: Room) -> None:
        room.guests.joined(A1)
        await asyncio.sleep(0.1)
        room.guests.left(A1)
        room.standing.clear()
        room.guests.joined(A2)
        assert not room.guests.may_hear(A2)
        await asyncio.sleep(0.1)
        assert room.removed == [A2]

    scenario(later)


@pytest.mark.parametrize(
    "identity",
    [
        "minji",
        "guest",
        "guest-house",
        "guest-1-2",
        "web-0123456789abcdef",
        f"x{A1}",
        f"{A1}\n",
        "guest--0123456789",
    ],
)
def test_nobody_else_is_taken_for_a_guest(identity: str) -> None:
    assert link_of(identity) is None
    assert participant(identity) == Actor(kind="participant", id=identity, own=(identity,))


def test_a_guest_acts_by_their_link_and_owns_their_own_words() -> None:
    assert participant(A1) == Actor(kind="link", id="5c1d09ab", own=(A1,))
    assert not participant(A1).administrator
