"""Several outlets as one, and a holder that stood still: it says nothing when it wakes up where another took over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import pytest

from context.events import effects
from context.ports import Unavailable
from tests.fakes.leases import FakeLeases
from tests.fakes.outlet import FakeOutlet
from tests.fakes.record import Record
from tests.fakes.registry import FakeRegistry
from tests.fakes.virtual_time import VirtualTimeLoop, in_virtual_time
from tests.fakes.waiting import beside
from tests.unit.worker.agent.meetings import said
from worker.holder.lease_keeper import LEASE_S, RENEW_EVERY_S, LeaseKeeper
from worker.outlets import Outlets
from worker.ports import Holder, Renewal

pytestmark = in_virtual_time

ME, OTHER = Holder(host="a", worker_pid=1, job_pid=2), Holder(host="b", worker_pid=1, job_pid=2)
SAID = {"ko": "출시일은 십이월 이십이일입니다.", "en": "The second server goes live on Friday."}


class _CountingLeases(FakeLeases):
    asked = 0

    async def renew(
        self, meeting_id: str, epoch: int, ttl_s: float, *, unwritten: Mapping[str, int] | None = None
    ) -> Renewal:
        self.asked += 1
        return await super().renew(meeting_id, epoch, ttl_s, unwritten=unwritten)


class World:
    """A holder of a meeting, and what the room gets of it."""

    keeper: LeaseKeeper
    held: Outlets

    def __init__(self) -> None:
        self.record = Record()
        self.leases, self.outlet = _CountingLeases(self.record), FakeOutlet()
        self.lost = self.ended = 0

    async def open(self) -> None:
        await FakeRegistry(self.record).want("회의실", meeting_id="m-1")
        epoch = await self.leases.acquire("m-1", ME, LEASE_S)
        assert epoch is not None
        self.keeper = LeaseKeeper(self.leases, "m-1", epoch, on_lost=self._lose, on_end_requested=self._end)
        self.held = Outlets(self.outlet)
        self.held.sure = self.keeper.sure

    def _lose(self) -> None:
        self.lost += 1

    def _end(self) -> None:
        self.ended += 1

    async def pass_time(self, seconds: float) -> None:
        """Everything runs."""
        for _ in range(round(seconds / 0.5)):
            self.record.clock.advance(0.5)
            await asyncio.sleep(0.5)

    def freeze(self, seconds: float) -> None:
        """SIGSTOP, SIGCONT: time passes, nothing runs."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        loop.now_s += seconds
        self.record.clock.advance(seconds)

    async def say(self, text: str) -> None:
        (line,) = said([("minji", "김민지", text)])
        await self.held.show(
            effects.PublishUtterance(utterance=line), segment_id="m-1/minji@0", durable=False
        )


@asynccontextmanager
async def at_work() -> AsyncIterator[World]:
    world = World()
    await world.open()
    async with beside(world.keeper.run()):
        yield world


@pytest.mark.parametrize("language", SAID)
async def test_whoever_stood_still_and_was_replaced_falls_silent_at_once(language: str) -> None:
    async with at_work() as world:
        await world.pass_time(4)
        await world.say(SAID[language])
        shown = len(world.outlet.finals)
        reply = await world.held.open_reply("q-1", "IMMEDIATE_RESPONSE", evidence=[], to=None)
        world.freeze(7)
        assert await world.leases.acquire("m-1", OTHER, LEASE_S) == 2
        with pytest.raises(Unavailable, match="another holder"):
            await world.say(SAID[language])
        for call in (
            world.held.interim("minji", "m-1/minji@5", SAID[language]),
            world.held.say(SAID[language]),
            world.held.open_reply("q-2", "IMMEDIATE_RESPONSE", evidence=[], to=None),
            reply.write(SAID[language]),
        ):
            with pytest.raises(Unavailable):
                await call
        assert len(world.outlet.finals) == shown
        await world.pass_time(RENEW_EVERY_S * 2)
        assert world.lost == 1


@pytest.mark.parametrize("language", SAID)
async def test_whoever_stood_still_and_was_not_replaced_goes_on(language: str) -> None:
    async with at_work() as world:
        await world.pass_time(4)
        world.freeze(60)
        await world.say(SAID[language])
        assert len(world.outlet.finals) == 1
        await world.pass_time(4)
        assert world.lost == 0


async def test_a_holder_in_good_order_asks_nobody_before_it_speaks() -> None:
    async with at_work() as world:
        await world.pass_time(2)
        asked = world.leases.asked
        await asyncio.gather(*(world.say("네") for _ in range(50)))
        assert world.leases.asked == asked
        world.freeze(6)
        await asyncio.gather(*(world.say("네") for _ in range(50)))
        assert world.leases.asked <= asked + 2, "one question for all that wait"
        assert len(world.outlet.finals) == 100


async def test_while_the_database_is_away_nobody_else_can_have_it_and_the_room_is_told() -> None:
    async with at_work() as world:
        await world.pass_time(2)
        world.record.available = False
        await world.pass_time(20)
        await world.say("출시일")
        world.freeze(10)
        await world.say("second server")
        assert len(world.outlet.finals) == 2
        world.record.available = True
        await world.pass_time(3)
        assert not world.keeper.away
        assert world.lost == 0


@pytest.mark.parametrize("language", SAID)
async def test_whoever_stood_still_while_the_database_came_back_falls_silent_at_once(language: str) -> None:
    async with at_work() as world:
        await world.pass_time(2)
        world.record.available = False
        await world.pass_time(20)
        await world.say(SAID[language])
        assert len(world.outlet.finals) == 1
        world.record.available = True
        world.freeze(10)
        assert await world.leases.acquire("m-1", OTHER, LEASE_S) == 2
        with pytest.raises(Unavailable, match="another holder"):
            await world.say(SAID[language])
        assert len(world.outlet.finals) == 1


def test_whom_people_wait_for_is_told_first() -> None:
    told: list[str] = []

    class Named(FakeOutlet):
        async def say(self, text: str, *, to: str | None = None) -> None:
            told.append(f"{self.others[0][0]}: {text}")
            await super().say(text, to=to)

    outlets = Outlets()
    outlets.add(Named(others=[("followers", None)]))
    outlets.add(Named(others=[("room", None)]), first=True)
    outlets.add(Named(others=[("voice", None)]))
    asyncio.run(outlets.say("회의를 마칩니다 · Goodbye"))
    assert told == [f"{who}: 회의를 마칩니다 · Goodbye" for who in ("room", "followers", "voice")]


def test_an_outlet_out_of_reach_costs_the_others_nothing() -> None:
    room, followers = FakeOutlet(reachable=False), FakeOutlet()
    outlets = Outlets(followers)
    outlets.add(room, first=True)
    asyncio.run(outlets.say("네 · Yes"))
    assert followers.said == [("네 · Yes", None)]
