"""What gives way to what people say, in which order, for how long, and why."""

from __future__ import annotations

import asyncio

import pytest

from tests.fakes.virtual_time import in_virtual_time
from tests.unit.worker.pressures import behind, fresh
from worker.pressure import BACKLOG_S, CALM_S, LAG_S, YIELDING

pytestmark = in_virtual_time


async def test_nothing_gives_way_while_all_is_well() -> None:
    pressure = fresh()
    assert (pressure.giving_way, pressure.cause) == ((), "")
    pressure.lagged(0.01)
    pressure.waiting(2)
    assert (pressure.giving_way, pressure.cause) == ((), "")


@pytest.mark.parametrize("number", range(len(YIELDING)))
async def test_the_further_behind_the_more_gives_way_in_order(number: int) -> None:
    by_lag = fresh()
    what = YIELDING[number]
    by_lag.lagged(LAG_S[what])
    await asyncio.sleep(1.5)
    by_lag.lagged(LAG_S[what])
    by_backlog = behind(BACKLOG_S[what])
    for pressure in (by_backlog, by_lag):
        giving_way = pressure.giving_way
        assert what in giving_way
        assert giving_way == YIELDING[: len(giving_way)], "never the later without the earlier"
    assert by_backlog.giving_way == YIELDING[: number + 1]
    assert by_backlog.cause == f"{BACKLOG_S[what]:.0f} s of speech wait for their text"
    assert by_lag.cause == f"it comes {LAG_S[what]:.1f} s late to what is due"


async def test_one_late_moment_is_no_pressure() -> None:
    pressure = fresh()
    for lag_s in (0.0, 9.0, 0.0, 9.0, 0.0):
        for _ in range(200):  # meetings of one process
            pressure.lagged(lag_s)
        await asyncio.sleep(1.5)
    assert pressure.giving_way == ()


async def test_one_long_turn_that_is_read_at_once_is_no_pressure() -> None:
    pressure = fresh()
    for backlog_s in (0.0, 25.0, 25.0, 0.0, 25.0, 25.0, 25.0, 0.0):
        pressure.waiting(backlog_s)
        assert pressure.giving_way == ()


async def test_what_gives_way_waits_until_it_was_calm_for_a_while() -> None:
    pressure = behind(30)
    await asyncio.sleep(CALM_S - 1)
    pressure.waiting(0)
    assert pressure.giving_way == YIELDING
    assert pressure.cause == "it could not keep up a moment ago"
    await asyncio.sleep(2)
    assert pressure.giving_way == ()


async def test_who_waits_for_room_gets_it_then_and_at_a_deadline_at_the_latest() -> None:
    pressure, loop = behind(30), asyncio.get_running_loop()
    began_s = loop.time()
    await pressure.room_for("summaries", 3)
    assert loop.time() - began_s == pytest.approx(3, abs=0.5)
    await pressure.room_for("summaries", 300)
    assert loop.time() - began_s == pytest.approx(CALM_S, abs=0.5)
    await pressure.room_for("summaries", 300)
    assert loop.time() - began_s == pytest.approx(CALM_S, abs=0.5)
