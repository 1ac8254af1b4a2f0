"""Contending for a meeting: at once when its holder is gone, never beside it, never twice."""

from __future__ import annotations

import asyncio

import pytest

from tests.fakes.leases import FakeLeases
from tests.fakes.record import START, LoopedClock, Record
from tests.fakes.registry import FakeRegistry
from tests.fakes.standbys import FakeStandbys
from tests.fakes.virtual_time import in_virtual_time
from worker.holder.lease_keeper import LEASE_S, RENEW_EVERY_S
from worker.holder.standby import LOOK_EVERY_S, Standby, Won
from worker.ports import Holder, MeetingRow

pytestmark = in_virtual_time

HOLDER = Holder(host="a", worker_pid=1, job_pid=2)
OTHER = Holder(host="b", worker_pid=1, job_pid=2)
THIRD = Holder(host="c", worker_pid=1, job_pid=2)


class World:
    def __init__(self) -> None:
        self.record = Record(LoopedClock())
        self.registry, self.leases = FakeRegistry(self.record), FakeLeases(self.record)
        self.standbys = FakeStandbys(self.record)
        self.epoch = 0

    async def open(self) -> None:
        await self.registry.want("회의실", meeting_id="m-1")
        self.epoch = await self.leases.acquire("m-1", HOLDER, LEASE_S) or 0
        await self.registry.mark_live("m-1", self.epoch, START)

    async def hold(self) -> None:
        while True:
            await asyncio.sleep(RENEW_EVERY_S)
            await self.leases.renew("m-1", self.epoch, LEASE_S)

    def standby(self, me: Holder = OTHER) -> Standby:
        return Standby(self.leases, self.registry, self.standbys, "m-1", me)


@pytest.fixture
async def world() -> World:
    made = World()
    await made.open()
    return made


async def _killed_after(holding: asyncio.Task[None], seconds: float) -> float:
    await asyncio.sleep(seconds)
    holding.cancel()
    return asyncio.get_running_loop().time()


@pytest.mark.parametrize("alive_s", [0.1, 1.49, 7.3, 31.0, 400.2])
async def test_a_dead_holder_is_replaced_as_soon_as_its_lease_ends(world: World, alive_s: float) -> None:
    holding = asyncio.ensure_future(world.hold())
    contending = asyncio.ensure_future(world.standby().contend())
    killed_s = await _killed_after(holding, alive_s)
    won = await contending
    after_s = asyncio.get_running_loop().time() - killed_s
    assert isinstance(won, Won)
    assert won.epoch == world.epoch + 1
    assert LEASE_S - RENEW_EVERY_S <= after_s <= LEASE_S + 0.1
    assert won.row.lease_over_s is not None
    assert 0 <= won.row.lease_over_s <= 0.1


async def test_whoever_leaves_in_good_order_is_followed_at_once(world: World) -> None:
    standby = world.standby()
    contending = asyncio.ensure_future(standby.contend())
    await asyncio.sleep(1)
    await world.leases.release("m-1", world.epoch)
    standby.look_now()
    before_s = asyncio.get_running_loop().time()
    assert isinstance(await contending, Won)
    assert asyncio.get_running_loop().time() - before_s < 0.1


async def test_a_lease_let_go_of_before_its_end_is_taken_within_a_second(world: World) -> None:
    """By the worker of a job that died: nobody is seen leaving the room."""
    contending = asyncio.ensure_future(world.standby().contend())
    await asyncio.sleep(0.4)
    await world.leases.release("m-1", world.epoch)
    before_s = asyncio.get_running_loop().time()
    assert isinstance(await contending, Won)
    assert asyncio.get_running_loop().time() - before_s <= LOOK_EVERY_S


async def test_while_the_holder_lives_nothing_happens_and_little_is_asked(world: World) -> None:
    asked = 0
    get = world.registry.get

    async def counted(meeting_id: str) -> MeetingRow | None:
        nonlocal asked
        asked += 1
        return await get(meeting_id)

    world.registry.get = counted  # type: ignore[method-assign]  # counts what is asked
    holding = asyncio.ensure_future(world.hold())
    standby = world.standby()
    contending = asyncio.ensure_future(standby.contend())
    await asyncio.sleep(3600)
    assert not contending.done()
    assert world.record.meetings["m-1"].epoch == world.epoch
    assert asked <= 3600 / LOOK_EVERY_S + 2
    row = await get("m-1")
    assert row.standby == OTHER
    standby.stop("enough")
    assert await contending == "enough"
    await _killed_after(holding, 0)
    await asyncio.wait({holding})


async def test_an_ended_meeting_is_left_without_a_trace(world: World) -> None:
    standby = world.standby()
    contending = asyncio.ensure_future(standby.contend())
    await asyncio.sleep(1)
    await world.registry.mark_ended("m-1", world.epoch, START)
    await world.leases.release("m-1", world.epoch)
    standby.look_now()
    assert await contending == "the meeting is over"
    assert world.record.meetings["m-1"].epoch == world.epoch


async def test_of_two_the_one_that_is_not_needed_goes(world: World) -> None:
    holding = asyncio.ensure_future(world.hold())
    first, second = world.standby(OTHER), world.standby(THIRD)
    assert await first.stand()
    assert not await second.stand()
    contending = asyncio.ensure_future(first.contend())
    assert await second.contend() == "another one stands by"
    holding.cancel()
    assert isinstance(await contending, Won)


async def test_two_that_contend_at_once_have_one_winner(world: World) -> None:
    both = [asyncio.ensure_future(world.standby(me).contend()) for me in (OTHER, THIRD)]
    done, _ = await asyncio.wait(both)
    assert sum(isinstance(task.result(), Won) for task in done) == 1


async def test_an_outage_of_the_record_is_waited_out(world: World) -> None:
    holding = asyncio.ensure_future(world.hold())
    contending = asyncio.ensure_future(world.standby().contend())
    await asyncio.sleep(2)
    world.record.available = False
    holding.cancel()
    await asyncio.sleep(30)
    assert not contending.done()
    world.record.available = True
    assert isinstance(await contending, Won)


async def test_a_standby_whose_worker_stops_takes_nothing(world: World) -> None:
    standby = Standby(world.leases, world.registry, world.standbys, "m-1", OTHER, leaving=lambda: True)
    assert await standby.contend() == "drained"
    assert world.record.meetings["m-1"].epoch == world.epoch


async def test_a_relief_takes_over_from_the_dead(world: World) -> None:
    await asyncio.sleep(LEASE_S - 1.5)
    relief = Standby(world.leases, world.registry, world.standbys, "m-1", OTHER, relief=True)
    assert await relief.stand()
    before_s = asyncio.get_running_loop().time()
    assert isinstance(await relief.contend(), Won)
    assert asyncio.get_running_loop().time() - before_s <= 1.5 + 0.1


async def test_a_relief_leaves_the_living_alone(world: World) -> None:
    await asyncio.sleep(LEASE_S - 1.5)
    relief = Standby(world.leases, world.registry, world.standbys, "m-1", OTHER, relief=True)
    contending = asyncio.ensure_future(relief.contend())
    await asyncio.sleep(0.5)
    assert not contending.done()
    await world.leases.renew("m-1", world.epoch, LEASE_S)
    holding = asyncio.ensure_future(world.hold())
    assert await contending == "the holder is well"
    assert world.record.meetings["m-1"].epoch == world.epoch
    await _killed_after(holding, 0)
    await asyncio.wait({holding})
