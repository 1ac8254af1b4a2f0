"""Several outlets as one: who is told first."""

from __future__ import annotations

import asyncio

from tests.fakes.outlet import FakeOutlet
from worker.outlets import Outlets


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
