"""Every open meeting has a worker, and only one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from context.ports import Unavailable
from tests.fakes.leases import FakeLeases
from tests.fakes.record import Record
from tests.fakes.registry import FakeRegistry
from tests.fakes.virtual_time import run_virtual
from worker.dispatcher import CLOSE_WITHIN_S, GONE_FOR_S, RETRY_AFTER_S, Dispatcher
from worker.ports import Holder
from worker.ticket import Ticket

HOLDER = Holder(host="a", worker_pid=1, job_pid=2)


@dataclass
class FakePlacement:
    """LiveKit as far as a dispatcher sees it."""

    rooms: set[str] = field(default_factory=set)
    placed: list[tuple[str, Ticket]] = field(default_factory=list)
    down: bool = False

    async def ensure_room(self, room: str) -> None:
        self._reach()
        self.rooms.add(room)

    async def existing(self, rooms: list[str]) -> set[str]:
        self._reach()
        return self.rooms & set(rooms)

    async def place(self, room: str, ticket: Ticket) -> None:
        self._reach()
        self.placed.append((room, ticket))

    def _reach(self) -> None:
        if self.down:
            raise Unavailable("LiveKit is out of reach")


@dataclass
class Fleet:
    record: Record
    registry: FakeRegistry
    leases: FakeLeases
    placement: FakePlacement
    dispatcher: Dispatcher
    closed: list[str]


@pytest.fixture
def fleet() -> Fleet:
    record, placement, closed = Record(), FakePlacement(), []
    registry = FakeRegistry(record)

    async def close(meeting_id: str) -> None:
        closed.append(meeting_id)

    dispatcher = Dispatcher(registry, placement, tenant="t", clock=record.clock, close_meeting=close)
    return Fleet(record, registry, FakeLeases(record), placement, dispatcher, closed)


async def test_a_wanted_meeting_gets_its_room_and_one_job(fleet: Fleet) -> None:
    row = await fleet.registry.want("회의실")
    assert await fleet.dispatcher.reconcile() == 1
    assert await fleet.dispatcher.reconcile() == 0
    assert fleet.placement.rooms == {"회의실"}
    assert fleet.placement.placed == [("회의실", Ticket(meeting_id=row.id, tenant="t"))]


async def test_a_dispatch_that_nobody_took_is_made_again(fleet: Fleet) -> None:
    await fleet.registry.want("room")
    await fleet.dispatcher.reconcile()
    fleet.record.clock.advance(RETRY_AFTER_S + 0.1)
    assert await fleet.dispatcher.reconcile() == 1


async def test_a_held_meeting_is_left_alone_and_a_dead_holder_replaced(fleet: Fleet) -> None:
    row = await fleet.registry.want("room")
    await fleet.dispatcher.reconcile()
    epoch = await fleet.leases.acquire(row.id, HOLDER, 5)
    assert epoch is not None
    await fleet.registry.mark_live(row.id, epoch, None)
    fleet.record.clock.advance(4)
    assert await fleet.dispatcher.reconcile() == 0
    fleet.record.clock.advance(3)  # not renewed: the holder is dead
    assert await fleet.dispatcher.reconcile() == 1


async def test_while_livekit_is_down_nothing_is_forgotten(fleet: Fleet) -> None:
    await fleet.registry.want("room")
    fleet.placement.down = True
    assert await fleet.dispatcher.reconcile() == 0
    fleet.placement.down = False
    fleet.record.clock.advance(RETRY_AFTER_S + 0.1)
    assert await fleet.dispatcher.reconcile() == 1


async def test_a_meeting_whose_room_is_gone_is_closed_from_its_record(fleet: Fleet) -> None:
    row = await fleet.registry.want("room")
    await fleet.dispatcher.reconcile()
    epoch = await fleet.leases.acquire(row.id, HOLDER, 5)
    assert epoch is not None
    await fleet.registry.mark_live(row.id, epoch, fleet.record.clock.now)
    fleet.placement.rooms.clear()
    fleet.placement.placed.clear()
    for _ in range(int(GONE_FOR_S / RETRY_AFTER_S) + 2):
        fleet.record.clock.advance(RETRY_AFTER_S + 0.1)
        await fleet.dispatcher.reconcile()
        await fleet.dispatcher.settle()
    assert fleet.closed == [row.id]
    assert fleet.placement.placed == []


async def _roomless(record: Record, registry: FakeRegistry, leases: FakeLeases, room: str) -> str:
    """A live meeting whose holder died and whose room is gone."""
    row = await registry.want(room)
    epoch = await leases.acquire(row.id, HOLDER, 5)
    assert epoch is not None
    await registry.mark_live(row.id, epoch, record.clock.now)
    return row.id


def test_a_closing_that_hangs_keeps_nobody_waiting_and_is_tried_again() -> None:
    async def scenario() -> None:
        record, placement, tries = Record(), FakePlacement(), list[str]()
        registry, leases = FakeRegistry(record), FakeLeases(record)

        async def close(meeting_id: str) -> None:
            tries.append(meeting_id)
            await asyncio.sleep(3600)

        dispatcher = Dispatcher(registry, placement, tenant="t", clock=record.clock, close_meeting=close)
        gone = await _roomless(record, registry, leases, "gone")
        loop = asyncio.get_running_loop()
        for _ in range(int(GONE_FOR_S / RETRY_AFTER_S) + 2):
            record.clock.advance(RETRY_AFTER_S + 0.1)
            await dispatcher.reconcile()
        await asyncio.sleep(0)
        assert tries == [gone]
        began_s = loop.time()
        await registry.want("회의실")
        assert await dispatcher.reconcile() == 1
        assert loop.time() == began_s
        await asyncio.sleep(CLOSE_WITHIN_S)
        await dispatcher.settle()
        for _ in range(int(GONE_FOR_S / RETRY_AFTER_S) + 2):
            record.clock.advance(RETRY_AFTER_S + 0.1)
            await dispatcher.reconcile()
        await asyncio.sleep(0)
        assert tries == [gone, gone]
        await asyncio.sleep(CLOSE_WITHIN_S)
        await dispatcher.settle()

    run_virtual(scenario())


def test_a_dispatcher_that_stops_leaves_no_closing_behind() -> None:
    async def scenario() -> None:
        record, placement, let_go = Record(), FakePlacement(), list[str]()
        registry, leases = FakeRegistry(record), FakeLeases(record)

        async def close(meeting_id: str) -> None:
            try:
                await asyncio.sleep(3600)
            finally:
                let_go.append(meeting_id)

        dispatcher = Dispatcher(registry, placement, tenant="t", clock=record.clock, close_meeting=close)
        gone = await _roomless(record, registry, leases, "gone")
        running = asyncio.ensure_future(dispatcher.run())
        for _ in range(int(GONE_FOR_S / RETRY_AFTER_S) + 2):
            record.clock.advance(RETRY_AFTER_S + 0.1)
            await asyncio.sleep(1)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert let_go == [gone]

    run_virtual(scenario())
