"""Two dispatchers over one real Postgres: each meeting is asked for once, and none is forgotten."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from tests.conftest import Database
from tests.unit.worker.test_dispatcher import FakePlacement
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.clock import SystemClock
from worker.fleet.dispatcher import Dispatcher
from worker.ports import Holder
from worker.ticket import Ticket

pytestmark = pytest.mark.postgres


async def _no_closing(meeting_id: str) -> None:
    raise AssertionError(f"{meeting_id} has its room")


class HangingPlacement(FakePlacement):
    """LiveKit answers nobody: whoever asks waits, until he is killed."""

    async def place(self, room: str, ticket: Ticket) -> None:
        await asyncio.Event().wait()


def _dispatcher(pool: PostgresPool, placement: FakePlacement) -> Dispatcher:
    return Dispatcher(
        PostgresRegistry(pool), placement, tenant=pool.tenant, clock=SystemClock(), close_meeting=_no_closing
    )


async def test_two_side_by_side_ask_for_each_meeting_once(database: Database) -> None:
    one, two, placement = PostgresPool(database.url), PostgresPool(database.url), FakePlacement()
    registry, leases = PostgresRegistry(one), PostgresLeases(two)
    wanted = [await registry.want(f"회의실 {number}") for number in range(60)]
    running = [asyncio.ensure_future(_dispatcher(pool, placement).run()) for pool in (one, two)]
    async with asyncio.timeout(60):
        while len(placement.placed) < len(wanted):
            await asyncio.sleep(0.01)
    for row in wanted:
        assert await leases.acquire(row.id, Holder(host="a", worker_pid=1, job_pid=2), 60)
    await asyncio.sleep(0.6)  # one more pass of each
    asked = Counter(ticket.meeting_id for _, ticket in placement.placed)
    assert asked == {row.id: 1 for row in wanted}
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    await one.aclose()
    await two.aclose()


async def test_what_a_killed_dispatcher_had_claimed_the_other_asks_for(database: Database) -> None:
    one, two, placement = PostgresPool(database.url), PostgresPool(database.url), FakePlacement()
    row = await PostgresRegistry(one).want("회의실")
    hanging = HangingPlacement()
    dying = asyncio.ensure_future(_dispatcher(one, hanging).run())
    async with asyncio.timeout(60):
        while row.room not in hanging.rooms:
            await asyncio.sleep(0.01)
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    running = asyncio.ensure_future(_dispatcher(two, placement).run())
    async with asyncio.timeout(60):
        while not placement.placed:
            await asyncio.sleep(0.05)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert [ticket.meeting_id for _, ticket in placement.placed] == [row.id]
    await one.aclose()
    await two.aclose()
