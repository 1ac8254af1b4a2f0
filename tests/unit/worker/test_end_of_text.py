"""The word that a text meeting is over reaches whoever holds it, also where a holder died over it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fakes.outlet import FakeOutlet
from tests.unit.worker.test_meeting_job import World
from worker.holder.presence import Presence
from worker.messages import SegmentMessage


@pytest.mark.parametrize(
    "text", ["출시일은 11월 20일로 결정하겠습니다.", "We decided to buy the second server."]
)
async def test_who_takes_over_in_the_middle_of_the_closing_ends_the_meeting(
    tmp_path: Path, text: str
) -> None:
    world = World(tmp_path)
    await world.row(None)
    await world.bus.send_segment(
        "m-1", SegmentMessage(id="s1", speaker="minji", text=text, start_ms=0, end_ms=900)
    )
    await world.bus.end("m-1")
    closing = asyncio.Event()

    async def enter(_presence: Presence) -> None:
        """Nothing to join."""

    async def hang(_text: str, *, to: str | None = None) -> None:
        del to
        closing.set()
        await asyncio.Event().wait()

    world.outlet.say = hang  # type: ignore[assignment, method-assign]  # its death finds it saying the closing summary
    first = await world.job(None)
    dying = asyncio.ensure_future(first.run(world.outlet, enter))
    async with asyncio.timeout(60):
        await closing.wait()
        dying.cancel()
        await asyncio.wait({dying})
        second, outlet = await world.job(None), FakeOutlet()
        outcome = await second.run(outlet, enter)
    assert outcome == ("ended", "input_ended")
    assert outlet.said, "the closing summary"
    stored = await world.store.load("m-1", use_snapshot=False)
    assert stored is not None
    assert [r.event.kind for r in stored.events].count("utterance_spoken") == 1
