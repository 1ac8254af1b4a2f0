"""What comes of a wish by somebody in the meeting: it is done, it waits for a hold, or they are told that it failed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from context.events.actors import participant
from context.events.erasure_target import Target
from context.ports import Refused, Unavailable
from tests.fakes.erasures import FakeErasures
from tests.fakes.meeting import World, meeting_at_work
from tests.fakes.virtual_time import in_virtual_time
from worker.meeting.erasing import MeetingErasures

pytestmark = in_virtual_time
BEN = participant("ben")
LINES = {"ko": "감사는 두루미재단에 맡기죠.", "en": "Give it to Heronwood."}


@asynccontextmanager
async def said(line: str, wishes: FakeErasures) -> AsyncIterator[tuple[World, MeetingErasures]]:
    """A meeting in which Ben has said one line, and what takes words out of it."""
    async with meeting_at_work() as world:
        world.speak(line, "ben")
        await world.settle()
        yield world, MeetingErasures(world.session, wishes, world.store, world.epoch)  # type: ignore[arg-type] # what is used of it


def texts(world: World) -> list[str]:
    return [each.text for each in world.session.manager.meeting.utterances]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("fault", [Unavailable("Postgres is away"), Refused("a right is missing")], ids=str)
async def test_what_only_the_record_can_do_fails_while_it_is_away(language: str, fault: Exception) -> None:
    wishes = FakeErasures("m-test")
    async with said(LINES[language], wishes) as (world, erasing):
        hide = Target(what="stretch", person="minji", others="hide")
        assert await erasing.take_out(hide, participant("minji"), "Minji") == "done"
        show = Target(what="utterances", utterances=(1,), show=True)
        wishes.fault = fault
        assert await erasing.take_out(show, BEN, "Ben") == "failed"
        assert texts(world) == [""]
        assert wishes.asked == {}, "and nothing waits of which nobody was told"
        wishes.fault = None
        assert await erasing.take_out(show, BEN, "Ben") == "done"
        assert [receipt.target for receipt in wishes.asked.values()] == [show]


async def test_words_are_taken_out_while_the_record_is_away() -> None:
    wishes = FakeErasures("m-test")
    async with said(LINES["en"], wishes) as (world, erasing):
        wishes.fault = Unavailable("Postgres is away")
        assert await erasing.take_out(Target(what="person", person="ben"), BEN, "Ben") == "done"
        assert texts(world) == [""]


async def test_on_hold_it_waits_also_if_the_record_goes_away() -> None:
    wishes = FakeErasures("m-test")
    async with said(LINES["ko"], wishes) as (world, erasing):
        await wishes.hold("m-test", held=True)
        for wanted, fault in ((1, None), (1, Unavailable("Postgres is away"))):
            wishes.fault = fault
            assert await erasing.take_out(Target(what="person", person="ben"), BEN, "Ben") == "held"
            assert texts(world) == [LINES["ko"]]
            assert len(wishes.asked) == wanted
