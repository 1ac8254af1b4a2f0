"""A lease is kept while its meeting is slow, and lost where it hangs; Postgres may be away meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import pytest

from context.ports import Unavailable
from tests.fakes.leases import FakeLeases
from tests.fakes.record import Record
from tests.fakes.registry import FakeRegistry
from tests.fakes.virtual_time import in_virtual_time
from tests.fakes.waiting import beside
from worker.holder.lease_keeper import HANGS_S, LEASE_S, RENEW_EVERY_S, LeaseKeeper, Renewing
from worker.ports import Holder, Renewal

pytestmark = in_virtual_time

ME, OTHER = Holder(host="a", worker_pid=1, job_pid=2), Holder(host="b", worker_pid=1, job_pid=2)
SLOW_S = 12.0


class SlowLoop:
    """The meeting's loop, as seen from another thread: what is called on it waits while it is busy."""

    def __init__(self) -> None:
        self.busy = False
        self._waiting: list[Callable[[], object]] = []

    def call(self, what: Callable[[], object]) -> None:
        self._waiting.append(what)
        if not self.busy:
            self.go_on()

    def go_on(self) -> None:
        self.busy = False
        for what in self._waiting:
            what()
        self._waiting.clear()


class World:
    """A meeting with its holder, whose loop can be busy while time passes and the lease is renewed beside it."""

    keeper: LeaseKeeper

    def __init__(self) -> None:
        self.record, self.loop = Record(), SlowLoop()
        self.leases = self.beside = FakeLeases(self.record)
        self.lost = self.ended = 0
        self.lags: list[float] = []
        self.now_ms, self.unwritten = 0, {}

    async def run(self, renewing: Renewing) -> None:
        """`Beside`: the fake thread, on the same virtual time."""
        del renewing
        await self.keeper.renewing(self, self.loop.call)

    async def acquire(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        return await self.beside.acquire(meeting_id, holder, ttl_s)

    async def release(self, meeting_id: str, epoch: int) -> None:
        await self.beside.release(meeting_id, epoch)

    async def renew(
        self, meeting_id: str, epoch: int, ttl_s: float, *, unwritten: Mapping[str, int] | None = None
    ) -> Renewal:
        """`LeaseStore`: the thread's own, on the same record."""
        return await self.beside.renew(meeting_id, epoch, ttl_s, unwritten=unwritten)

    async def open(self) -> None:
        await FakeRegistry(self.record).want("회의실", meeting_id="m-1")
        epoch = await self.leases.acquire("m-1", ME, LEASE_S)
        assert epoch is not None
        self.keeper = LeaseKeeper(
            self.leases,
            "m-1",
            epoch,
            beside=self,
            on_lost=self._lose,
            on_end_requested=self._end,
            on_lag=self.lags.append,
            unwritten=lambda: dict(self.unwritten),
            heard=lambda: {"minji": self.now_ms, "junho": self.now_ms},
        )

    def _lose(self) -> None:
        self.lost += 1

    def _end(self) -> None:
        self.ended += 1

    @property
    def left_s(self) -> float:
        """How long the lease still stands by the record."""
        return (self.record.meetings["m-1"].expires_at - self.record.clock.now).total_seconds()

    async def pass_time(self, seconds: float) -> float:
        """Let time pass; give the shortest that was left of the lease meanwhile."""
        least_s = self.left_s
        for _ in range(round(seconds / 0.25)):
            self.record.clock.advance(0.25)
            self.now_ms += 250
            await asyncio.sleep(0.25)
            least_s = min(least_s, self.left_s)
        return least_s


@asynccontextmanager
async def at_work() -> AsyncIterator[World]:
    world = World()
    await world.open()
    async with beside(world.keeper.run()):
        yield world


async def test_a_slow_loop_keeps_its_lease() -> None:
    async with at_work() as world:
        await world.pass_time(4)
        world.loop.busy = True
        assert await world.pass_time(SLOW_S) > 0
        assert await world.leases.acquire("m-1", OTHER, LEASE_S) is None
        assert await world.keeper.sure(), "and says so, without having to ask"
        world.loop.go_on()
        await world.pass_time(4)
        assert world.lost == 0
        assert max(world.lags) == pytest.approx(SLOW_S, abs=RENEW_EVERY_S + 0.25)


async def test_a_loop_that_hangs_loses_it() -> None:
    async with at_work() as world:
        await world.pass_time(4)
        world.loop.busy = True
        assert await world.pass_time(HANGS_S - RENEW_EVERY_S) > 0
        await world.pass_time(LEASE_S + 2 * RENEW_EVERY_S + 0.5)
        assert world.left_s <= 0
        assert await world.leases.acquire("m-1", OTHER, LEASE_S) == 2
        world.loop.go_on()
        assert not await world.keeper.sure(), "it is asked before anything is said"
        await world.pass_time(1)
        assert world.lost == 1


async def test_a_loop_that_hung_and_was_not_replaced_goes_on() -> None:
    async with at_work() as world:
        await world.pass_time(4)
        world.loop.busy = True
        await world.pass_time(60)
        world.loop.go_on()
        await world.pass_time(2 * RENEW_EVERY_S)
        assert world.left_s > 0
        assert world.lost == 0


@pytest.mark.parametrize("busy", [False, True])
async def test_while_postgres_is_away_the_lease_waits_and_is_renewed_when_it_is_back(busy: bool) -> None:
    async with at_work() as world:
        await world.pass_time(2)
        world.record.available = False
        await world.pass_time(8)
        assert world.keeper.away
        assert await world.keeper.sure(), "nobody else can take it"
        world.loop.busy = busy
        await world.pass_time(8)
        world.record.available = True
        await world.pass_time(RENEW_EVERY_S + 1)
        assert not world.keeper.away
        assert world.left_s > 0
        assert world.lost == 0


async def test_a_slow_loop_tells_that_it_hears_nothing() -> None:
    """So that the gap begins there, should it die before it goes on."""
    async with at_work() as world:
        await world.pass_time(4)
        world.unwritten = {"minji": 500}
        await world.pass_time(2 * RENEW_EVERY_S)
        assert world.record.meetings["m-1"].unwritten == {"minji": 500}
        world.loop.busy, stopped_ms = True, world.now_ms
        await world.pass_time(SLOW_S)
        told = world.record.meetings["m-1"].unwritten
        assert told["minji"] == 500
        assert stopped_ms - RENEW_EVERY_S * 1000 - 250 <= told["junho"] <= stopped_ms
        world.loop.go_on()
        await world.pass_time(2 * RENEW_EVERY_S)
        assert world.record.meetings["m-1"].unwritten == {"minji": 500}


async def test_who_is_still_reading_a_dead_holders_record_changes_nothing_that_it_told() -> None:
    """Neither while its loop is late, as long as it knows nobody."""
    world = World()
    await world.open()
    world.record.meetings["m-1"].unwritten = {"minji": 500}
    world.keeper, world.loop.busy = LeaseKeeper(world.leases, "m-1", 1, beside=world), True
    async with beside(world.keeper.run()):
        assert await world.pass_time(SLOW_S) > 0
        assert world.record.meetings["m-1"].unwritten == {"minji": 500}


async def test_where_only_the_threads_connection_fails_the_meetings_own_renew_it() -> None:
    """A server that is out of connections has none for the thread, and others could take the lease."""
    async with at_work() as world:
        await world.pass_time(4)
        world.beside = FakeLeases(world.record)

        async def no_connection(*_: object, **__: object) -> Renewal:
            raise Unavailable("too many connections")

        world.beside.renew = no_connection  # type: ignore[method-assign]  # the fault
        assert await world.pass_time(30) > 0
        assert not world.keeper.away
        world.record.meetings["m-1"].end_requested = True
        await world.pass_time(2 * RENEW_EVERY_S)
        assert (world.lost, world.ended) == (0, 1)


async def test_an_end_that_was_asked_for_is_told_once() -> None:
    async with at_work() as world:
        world.record.meetings["m-1"].end_requested = True
        await world.pass_time(3 * RENEW_EVERY_S)
        assert world.ended == 1


async def test_a_renewal_that_takes_its_time_delays_no_other() -> None:
    async with at_work() as world:
        renew = world.leases.renew

        async def slow(*args: object, **more: object) -> object:
            await asyncio.sleep(2)
            return await renew(*args, **more)  # type: ignore[arg-type]  # passed on as it came

        world.leases.renew = slow  # type: ignore[method-assign, assignment]  # the fault
        assert await world.pass_time(60) > LEASE_S - RENEW_EVERY_S - 2 - 0.5
