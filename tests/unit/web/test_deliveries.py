"""What was told is remembered while it could be told again, and no longer."""

from __future__ import annotations

import asyncio

import pytest

from worker.web.errors import ApiError
from worker.web.livekit_webhook import Deliveries


class Time:
    s = 1_000.0

    def __call__(self) -> float:
        return self.s


async def deliver(deliveries: Deliveries, digest: bytes, until_s: float = 1_300.0) -> bool:
    try:
        async with deliveries.once(digest, until_s):
            return True
    except ApiError as error:
        if error.status != 409:
            raise
        return False


async def test_once_each_until_the_token_is_over() -> None:
    time = Time()
    deliveries = Deliveries(time)
    assert [await deliver(deliveries, b"a"), await deliver(deliveries, b"b")] == [True, True]
    assert [await deliver(deliveries, b"a"), await deliver(deliveries, b"b")] == [False, False]
    time.s = 1_301.0
    assert await deliver(deliveries, b"c", 1_600.0)
    assert len(deliveries) == 1, "what is over is forgotten"


async def test_what_failed_is_not_remembered() -> None:
    deliveries = Deliveries(Time())
    with pytest.raises(OSError, match="away"):
        async with deliveries.once(b"a", 1_300.0):
            raise OSError("away")
    assert await deliver(deliveries, b"a")


async def test_a_second_one_waits_for_the_first_and_takes_over_where_that_fails() -> None:
    deliveries, began, go = Deliveries(Time()), asyncio.Event(), asyncio.Event()

    async def failing() -> None:
        async with deliveries.once(b"a", 1_300.0):
            began.set()
            await go.wait()
            raise OSError("away")

    first = asyncio.ensure_future(failing())
    await began.wait()
    second = asyncio.ensure_future(deliver(deliveries, b"a"))
    await asyncio.sleep(0)
    assert not second.done()
    go.set()
    assert await second
    with pytest.raises(OSError, match="away"):
        await first
    assert not await deliver(deliveries, b"a")


async def test_its_memory_is_bounded() -> None:
    deliveries = Deliveries(Time(), most=100)
    for number in range(1_000):
        assert await deliver(deliveries, number.to_bytes(4, "big"))
    assert len(deliveries) == 100
    assert not await deliver(deliveries, (999).to_bytes(4, "big"))
