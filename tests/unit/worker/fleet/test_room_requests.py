"""Meetings that nobody asked for by command: rooms that are polled, and entries of a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from context.ports import Unavailable
from tests.fakes.record import START, Record
from tests.fakes.registry import FakeRegistry
from tests.fakes.virtual_time import in_virtual_time
from tests.fakes.waiting import beside
from worker.fleet.room_requests import RoomRequests, want_from_redis
from worker.messages import DispatchEntry, DispatchMessage, Malformed, Unsigned
from worker.ports import RoomSeen

pytestmark = in_virtual_time


@dataclass
class FakeRooms:
    rooms: list[str] = field(default_factory=list)
    bots: set[str] = field(default_factory=set)
    """Rooms without a human."""
    down: bool = False
    asked: int = 0
    answers_in_s: float = 0.0

    async def entered(self, fits: Callable[[str], bool]) -> list[RoomSeen]:
        if self.down:
            raise Unavailable("LiveKit is out of reach")
        return [RoomSeen(room, START) for room in self.rooms if fits(room)]

    async def has_human(self, room: str) -> bool:
        self.asked += 1
        await asyncio.sleep(self.answers_in_s)
        return room not in self.bots


async def test_rooms_are_looked_for_again_and_again_also_after_an_outage() -> None:
    registry, rooms, woken = FakeRegistry(Record()), FakeRooms(["회의-1", "lunch"]), list[int]()
    async with beside(RoomRequests(registry, ("회의-*",)).poll(rooms, 5, lambda: woken.append(1))):
        await asyncio.sleep(12)
        assert [row.room for row in await registry.list_all()] == ["회의-1"]
        rooms.down = True
        rooms.rooms.append("회의-2")
        await asyncio.sleep(20)
        rooms.down = False
        await asyncio.sleep(6)
        assert [row.room for row in await registry.list_all()] == ["회의-2", "회의-1"]
        assert woken == [1, 1]


async def test_thousands_of_rooms_are_looked_into_once() -> None:
    """Each takes a question of its own: those that Moim is in already are not asked for their people again."""
    registry = FakeRegistry(Record())
    rooms = FakeRooms([f"회의-{n}" for n in range(3000)], bots={"회의-7"}, answers_in_s=0.01)
    async with beside(RoomRequests(registry, ("회의-*",)).poll(rooms, 5, lambda: None)):
        await asyncio.sleep(4)
        assert len(await registry.list_all()) == 2999
        asked = rooms.asked
        await asyncio.sleep(100)
        assert rooms.asked - asked <= 21, "the one with nobody but a bot in it, at each look"


@dataclass
class FakeStream:
    messages: list[DispatchMessage | Malformed]
    finished: list[str] = field(default_factory=list)

    async def entries(self) -> AsyncIterator[DispatchEntry]:
        for number, message in enumerate(self.messages):
            yield DispatchEntry("moim:t:dispatch", f"{number}-0", message)

    async def done(self, entry: DispatchEntry) -> None:
        self.finished.append(entry.position)


async def test_every_entry_is_done_with_and_what_can_be_is_a_meeting() -> None:
    registry, woken = FakeRegistry(Record()), list[int]()
    over = await registry.want("room", meeting_id="over")
    await registry.request_end(over.id)
    stream = FakeStream(
        [
            DispatchMessage(room="회의실", title="주간 회의"),
            Malformed("not JSON"),
            Unsigned("not signed"),
            DispatchMessage(meeting_id="over", room="room"),
            DispatchMessage(room="elsewhere", tenant="another"),
            DispatchMessage(meeting_id="chat-42", tenant="서울"),
        ]
    )
    await want_from_redis(stream, registry, tenant="서울", on_wanted=lambda: woken.append(1))
    wanted = [(row.id, row.room, row.title) for row in await registry.list_all() if row.status == "wanted"]
    assert wanted[0] == ("chat-42", None, None)
    assert wanted[1][1:] == ("회의실", "주간 회의")
    assert len(wanted) == 2
    assert stream.finished == [f"{number}-0" for number in range(6)]


async def test_a_wish_is_one_meeting_also_when_a_copy_comes_after_its_end() -> None:
    registry = FakeRegistry(Record())
    wish = DispatchMessage(room="회의실", id="w1")
    await want_from_redis(FakeStream([wish, wish]), registry, tenant="t", on_wanted=lambda: None)
    (row,) = await registry.list_all()
    await registry.request_end(row.id)
    copies = FakeStream([wish, wish])
    await want_from_redis(copies, registry, tenant="t", on_wanted=lambda: None)
    assert [each.status for each in await registry.list_all()] == ["ended"]
    assert len(copies.finished) == 2, "nobody tries it again"
    another = FakeStream([DispatchMessage(room="회의실", id="w2")])
    await want_from_redis(another, registry, tenant="t", on_wanted=lambda: None)
    assert sorted(each.status for each in await registry.list_all()) == ["ended", "wanted"]


async def test_while_the_record_is_away_an_entry_waits_and_is_not_lost() -> None:
    registry = FakeRegistry(Record())
    registry.record.available = False
    stream = FakeStream([DispatchMessage(room="회의실")])
    wanting = asyncio.ensure_future(want_from_redis(stream, registry, tenant="t", on_wanted=lambda: None))
    await asyncio.sleep(300)
    assert stream.finished == []
    registry.record.available = True
    await wanting
    assert [row.room for row in await registry.list_all()] == ["회의실"]
    assert stream.finished == ["0-0"]
