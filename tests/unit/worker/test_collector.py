"""When the garbage collector runs."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest

from worker.collector import at_rest, collect_in_full_rarely


class Ring:
    """Garbage that only a collection finds."""

    def __init__(self) -> None:
        self.itself = self


def test_building_much_is_not_disturbed_by_it() -> None:
    assert gc.isenabled()
    with at_rest():
        assert not gc.isenabled()
    assert gc.isenabled()


async def test_a_full_collection_comes_when_it_is_due_and_not_before() -> None:
    before = gc.get_threshold()
    ring = Ring()
    gone = asyncio.Event()
    weakref.finalize(ring, gone.set)
    gc.collect()  # it is old from here on: young collections leave it alone
    rarely = asyncio.ensure_future(collect_in_full_rarely(0.05))
    await asyncio.sleep(0)
    assert gc.get_threshold()[:2] == before[:2]
    del ring
    assert gc.get_threshold()[2] > 1_000_000
    assert not gone.is_set()
    async with asyncio.timeout(60):
        await gone.wait()
    rarely.cancel()
    with pytest.raises(asyncio.CancelledError):
        await rarely
    assert gc.get_threshold() == before
