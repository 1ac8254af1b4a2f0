"""What a holder saves: everything once, then what changed; and whoever goes on has the same meeting."""

from __future__ import annotations

import json
from typing import Any

import pytest

from context.fold.meeting import Meeting
from context.fold.snapshot import changed_topics, stamps, with_topics
from context.ports import Refused, Snapshot
from tests.fakes.meeting import World, meeting_at_work
from tests.fakes.store import FakeStore
from tests.fakes.virtual_time import in_virtual_time
from tests.unit.cases import beside
from worker.configuration.settings import Settings
from worker.record.restoring import read_meeting

pytestmark = in_virtual_time

TALK = beside(__file__)["TALK"]
SUBJECTS = {
    "ko": ("예산", "마케팅", "디자인", "채용", "보안"),
    "en": ("the budget", "marketing", "design", "hiring", "security"),
}


class Counting(FakeStore):
    """Remembers what it was given; `lost_answers` of them are kept and answered with an error."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[Snapshot] = []
        self.lost_answers = 0

    async def save_snapshot(self, meeting_id: str, epoch: int, snapshot: Snapshot) -> None:
        self.given.append(snapshot)
        await super().save_snapshot(meeting_id, epoch, snapshot)
        if self.lost_answers:
            self.lost_answers -= 1
            raise Refused("kept, and nobody was told")


async def discussed(world: World, subject: str, language: str) -> None:
    await world.say(*(line.format(subject) for line in TALK[language]))
    await world.session._snapshots.save()


async def stored_as(store: FakeStore, meeting: Meeting) -> bool:
    """Whether the stored snapshot is the meeting's whole state."""
    stored = await store.load("m-test")
    return bool(stored.snapshot.state == json.loads(json.dumps(meeting.snapshot())))


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_after_the_first_snapshot_only_changed_topics_are_saved(language: str) -> None:
    store = Counting()
    async with meeting_at_work(store) as world:
        meeting = world.session.manager.meeting
        for subject in SUBJECTS[language]:
            await discussed(world, subject, language)
            assert await stored_as(store, meeting)
        assert len(meeting.segments) >= 4
        first, *later = store.given
        assert first.since is None
        assert [each.since for each in later] == [each.seq for each in store.given[:-1]]
        last = store.given[-1]
        assert last.topics is not None
        assert 0 not in last.topics
        assert len(last.topics) < len(meeting.segments)


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_after_one_of_unknown_outcome_everything_is_saved(language: str) -> None:
    store = Counting()
    async with meeting_at_work(store) as world:
        meeting = world.session.manager.meeting
        await discussed(world, SUBJECTS[language][0], language)
        store.lost_answers = 2  # the one that builds on the last, and the complete one in its place
        await discussed(world, SUBJECTS[language][1], language)
        await discussed(world, SUBJECTS[language][2], language)
        last = store.given[-1]
        assert last.since is None
        assert last.topics is not None
        assert len(last.topics) == len(meeting.segments)
        assert await stored_as(store, meeting)


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_a_database_that_went_back_gets_the_whole_at_once(language: str) -> None:
    """A crash of Postgres may take back the newest snapshots: they do not wait for the disk."""
    store = Counting()
    async with meeting_at_work(store) as world:
        await discussed(world, SUBJECTS[language][0], language)
        before = store.record.meetings["m-test"].snapshot
        await discussed(world, SUBJECTS[language][1], language)
        store.record.meetings["m-test"].snapshot = before
        await discussed(world, SUBJECTS[language][2], language)
        assert await stored_as(store, world.session.manager.meeting)
        assert [each.since is None for each in store.given[-2:]] == [False, True]


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_a_successor_goes_on_from_topics_that_lay_beside(language: str) -> None:
    store = Counting()
    async with meeting_at_work(store) as world:
        for subject in SUBJECTS[language][:3]:
            await discussed(world, subject, language)
        left = world.session.manager.meeting
    epoch = store.record.open_meeting("m-test")
    async with meeting_at_work(store, epoch=epoch) as again:
        await again.settle()
        meeting = again.session.manager.meeting
        assert meeting.segments == left.segments
        await discussed(again, SUBJECTS[language][3], language)
        assert store.given[-1].since is None, "a holder's first has everything"
        assert await stored_as(store, meeting)


def test_a_state_without_its_topics_is_no_snapshot() -> None:
    meeting = Meeting("m")
    state: dict[str, Any] = json.loads(json.dumps(meeting.snapshot(topics=False)))
    assert with_topics(state, []) == json.loads(json.dumps(meeting.snapshot()))
    with pytest.raises(ValueError, match="replay the events"):
        Meeting.restore("m", None, state, [])
    with pytest.raises(ValueError, match="replay the events"):
        Meeting.restore("m", None, with_topics(state, [{"id": "t1"}]), [])
    assert changed_topics(meeting.segments) == {}


def test_a_store_leaves_the_snapshot_of_a_newer_worker_as_it_is() -> None:
    newer = {"version": 99, "topics": {"segments": [{"until": 7}]}}
    assert with_topics(newer, [{"until": 7}]) == newer
    assert next(stamps(newer)) == (None, None)


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("newer", [{"version": 99}, {"thread": {"rounds": []}}, {"speakers": {}}], ids=str)
async def test_a_snapshot_of_a_newer_worker_hides_the_record_from_no_reader(
    language: str, newer: dict[str, Any]
) -> None:
    store = Counting()
    async with meeting_at_work(store) as world:
        await discussed(world, SUBJECTS[language][0], language)
        told = [said.text for said in world.session.manager.meeting.utterances]
    seq, state = store.record.meetings["m-test"].snapshot
    store.record.meetings["m-test"].snapshot = seq, json.dumps(json.loads(state) | newer)
    meeting = await read_meeting(store, "m-test", Settings())
    assert meeting is not None
    assert [said.text for said in meeting.utterances] == told
    assert await read_meeting(store, "m-other", Settings()) is None


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_a_fault_in_saving_is_no_end_of_the_meeting(language: str) -> None:
    class Faulty(FakeStore):
        async def save_snapshot(self, meeting_id: str, epoch: int, snapshot: Snapshot) -> None:
            raise ZeroDivisionError

    store = Faulty()
    async with meeting_at_work(store) as world:
        for subject in SUBJECTS[language]:
            await discussed(world, subject, language)
        assert not world.running.done()
        said = len(world.outlet.texts)
    async with meeting_at_work(store) as successor:
        assert len(successor.session.manager.meeting.utterances) == said
