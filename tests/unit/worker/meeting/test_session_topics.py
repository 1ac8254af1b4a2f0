"""Topics scored beside the fold of a session: in bursts, on the record, by whoever takes over."""

from __future__ import annotations

import asyncio

import pytest

from context.events.actors import operator
from context.events.erasure_target import Target
from context.export.document import document
from tests.fakes.meeting import World, meeting_at_work
from tests.fakes.store import FakeStore
from tests.fakes.virtual_time import in_virtual_time
from tests.unit.context.topic_talk import EN, KO

pytestmark = in_virtual_time


def starts(world: World) -> list[int]:
    return [s.start_utterance_id for s in world.session.manager.meeting.segments]


@pytest.mark.parametrize("lines", [KO, EN])
async def test_in_a_burst_of_words_it_does_not_fall_behind(lines: list[str]) -> None:
    async with meeting_at_work() as slow, meeting_at_work() as burst:
        for line in lines:
            await slow.say(line)
            burst.speak(line)  # one after the other, without a pause
        await burst.settle()
        assert len(starts(slow)) == 2
        assert starts(burst) == starts(slow)
        decided = burst.session.manager.meeting.segments[1].decided_after
        assert decided - starts(burst)[1] <= 40
        assert burst.outlet.texts == lines


@pytest.mark.parametrize("lines", [KO, EN])
async def test_scoring_that_an_erasure_drops_before_its_first_step_is_set_off_again(lines: list[str]) -> None:
    async with meeting_at_work() as world:
        world.speak(lines[0])
        await asyncio.sleep(0)  # it is folded, and its scoring has not begun
        assert await world.session.erase(
            Target(what="utterances", utterances=(1,)), id_="e", actor=operator("ops")
        )
        await world.say(*lines[1:])
        assert len(starts(world)) == 2


@pytest.mark.parametrize("lines", [KO, EN])
@pytest.mark.parametrize("snapshot", [True, False])
async def test_a_finding_that_died_with_its_holder_is_made_by_the_next(
    lines: list[str], snapshot: bool
) -> None:
    store = FakeStore()
    async with meeting_at_work(store) as whole:
        for number, line in enumerate(lines, 1):
            await whole.say(line)
            if number == 60:
                await whole.session._snapshots.save()
                saved = store.record.meetings["m-test"].snapshot
    record = store.record.meetings["m-test"]
    kinds = [each.event.kind for each in store.events_of("m-test")]
    lost = kinds.index("topics_scored")
    assert saved[0] < lost
    del record.events[lost:]  # killed before the finding was on the record
    record.snapshot = saved if snapshot else None
    epoch = store.record.open_meeting("m-test")
    async with meeting_at_work(store, epoch=epoch) as again:
        await again.settle()
        assert starts(again) == starts(whole)
        for line in lines[again.said :]:
            await again.say(line)
        assert (
            document(again.session.manager.meeting)["topics"]
            == (document(whole.session.manager.meeting)["topics"])
        )


@pytest.mark.parametrize("lines", [KO[:62], EN[:62]])
async def test_the_closing_decides_what_is_undecided_and_summarises_every_topic(lines: list[str]) -> None:
    store = FakeStore()
    async with meeting_at_work(store) as world:
        await world.say(*lines)
        assert len(starts(world)) == 1
        await world.session.close_topics()
        segments = world.session.manager.meeting.segments
        assert len(segments) == 2
        assert all(s.covered_until == s.end_utterance_id for s in segments)
