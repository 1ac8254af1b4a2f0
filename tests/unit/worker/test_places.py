"""A place that comes free reaches who waits for it, and one meeting for each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from livekit import agents

from context.ports import Unavailable
from tests.fakes.virtual_time import in_virtual_time
from worker.fleet.places import LOOK_EVERY_S, Places

pytestmark = in_virtual_time


class Queue:
    """The meetings that wait, and LiveKit: what each is told, in order."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.away = False
        self.registered = asyncio.Event()

    async def hurry(self) -> None:
        self._tell("all")

    async def offer(self, places: int) -> None:
        self._tell(str(places))

    async def tell_livekit(self) -> None:
        self.told.append("load")

    def _tell(self, what: str) -> None:
        if self.away:
            raise Unavailable("the record is away")
        self.told.append(what)


@asynccontextmanager
async def offering(places: Places, queue: Queue) -> AsyncIterator[None]:
    running = asyncio.ensure_future(places.offer(queue, queue.registered, queue.tell_livekit))
    try:
        yield
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def look(places: Places, taken: float) -> None:
    places.seen(taken)
    await asyncio.sleep(LOOK_EVERY_S)


async def test_each_place_that_comes_free_is_offered_once_and_livekit_hears_of_it_first() -> None:
    places, queue = Places(42), Queue()
    async with offering(places, queue):
        await asyncio.sleep(60)
        assert queue.told == [], "not registered: LiveKit would send nobody"
        queue.registered.set()
        await look(places, 1.0)
        assert queue.told == ["all"]
        await look(places, 1.0)
        await look(places, 41 / 42)
        assert queue.told == ["all", "load", "1"]
        await look(places, 41 / 42)
        await look(places, 38 / 42)
        assert queue.told[3:] == ["load", "3"]
        await look(places, 40 / 42)
        await look(places, 39 / 42)
        assert queue.told[5:] == ["load", "1"], "taken, and one of them free again"


async def test_a_place_that_the_record_did_not_hear_of_is_offered_again() -> None:
    places, queue = Places(4), Queue()
    queue.registered.set()
    async with offering(places, queue):
        await look(places, 1.0)
        queue.away = True
        await look(places, 0.75)
        await look(places, 0.75)
        queue.away = False
        await look(places, 0.75)
        await look(places, 0.75)
    assert queue.told == ["all", "load", "load", "load", "1"]


def test_livekit_can_be_told_between_its_looks() -> None:
    """Two names of livekit-agents that are not public: an update that renames them is seen here."""
    assert asyncio.iscoroutinefunction(agents.AgentServer._refresh_worker_load)
    assert asyncio.iscoroutinefunction(agents.AgentServer._update_worker_status)
