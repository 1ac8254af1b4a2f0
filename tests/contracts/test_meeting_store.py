"""The record: nothing acknowledged is lost, nothing counts twice, nobody writes with an old epoch."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from pydantic import JsonValue

from context.events.events import (
    AnswerGiven,
    Event,
    GapNoted,
    InputPosition,
    MeetingEnded,
    MeetingOpened,
    MeetingStarted,
    ParticipantJoined,
    QuestionAsked,
    SpeechWordless,
    TrackEnded,
    UtteranceSpoken,
)
from context.events.topic_events import SummaryFailed, SummaryReady
from context.models import Reply, Statement, Summary
from context.ports import Fenced, RecordedEvent, Refused, Snapshot, StoredMeeting
from context.primitives.text import one_line
from context.question import Question
from tests.contracts.events import NINE, numbered, spoken
from tests.contracts.world import World
from tests.fakes.store import utterances_of

QUESTION = Question(id="q1", by="minji", via="chat", text="출시일이 언제예요?", at_ms=9_000)
ALL_KINDS: tuple[Event, ...] = (
    MeetingOpened(meeting_id="m-1", room="주간", title="Weekly", language="ko"),
    MeetingStarted(at=NINE),
    ParticipantJoined(participant_id="minji", name="김민지", at_ms=0),
    spoken(1, "첫 안건은 출시일입니다.", track_id="TR_1", track_end_ms=1900, speech_ms=950, confidence=0.1 + 0.2),
    spoken(2, "The release is on Friday.", language="en", source=(3, 4)),
    GapNoted(participant_id="minji", start_ms=2, end_ms=5, reason="stt_error"),
    SpeechWordless(participant_id="minji", start_ms=5, end_ms=9, track_id="TR_1", track_end_ms=3000),
    TrackEnded(participant_id="minji", track_id="TR_1", sound_ms=60_000),
    QuestionAsked(question=QUESTION, position=InputPosition(stream="moim:default:ask:m-1", position="1-1")),
    AnswerGiven(
        reply=Reply(
            id="r1", invocation_id="q1", by="minji", via="chat", question=QUESTION.text, text="금요일",
            call_type="SEARCH", evidence=(2,), asked_at_ms=9_000, answered_at_ms=9_100,
        )
    ),
    SummaryFailed(topic_id="t1", version=1, error="timeout"),
    SummaryReady(
        topic_id="t1", version=1, reason="turn_limit", covered_until=2, engine="extractive",
        content=Summary(text="금요일에 출시", decisions=(Statement(text="Friday", evidence=(2,)),)),
    ),
    SummaryFailed(topic_id="t1", version=1, error="a late one changes nothing"),
    MeetingEnded(at_ms=10_000, reason="room closed"),
)  # fmt: skip


async def test_what_was_appended_is_loaded(world: World) -> None:
    epoch = await world.hold()
    events = numbered(*ALL_KINDS)
    await world.store.append("m-1", epoch, events[:3])
    await world.store.append("m-1", epoch, events[3:])
    stored = await world.loaded()
    assert stored.snapshot is None
    assert stored.utterances == ()
    assert list(stored.events) == events


async def test_an_unknown_or_empty_meeting_is_none(world: World) -> None:
    assert await world.store.load("m-nowhere") is None
    await world.registry.want("room", meeting_id="m-1")
    assert await world.store.load("m-1") is None


async def test_the_same_events_again_count_once(world: World) -> None:
    epoch = await world.hold()
    events = numbered(*ALL_KINDS)
    await world.store.append("m-1", epoch, events[:5])
    await world.store.append("m-1", epoch, events[:5])
    await world.store.append("m-1", epoch, events[3:])
    await world.store.append("m-1", epoch, [])
    stored = await world.loaded()
    assert list(stored.events) == events


async def test_another_event_with_a_used_number_is_fenced_and_nothing_of_its_batch_is_written(
    world: World,
) -> None:
    epoch = await world.hold()
    await world.store.append("m-1", epoch, numbered(*ALL_KINDS[:3]))
    with pytest.raises(Fenced):
        await world.store.append("m-1", epoch, numbered(spoken(9), spoken(10), after=2))
    stored = await world.loaded()
    assert len(stored.events) == 3


async def test_a_number_left_out_is_refused_whole(world: World) -> None:
    epoch = await world.hold()
    with pytest.raises(Refused):
        await world.store.append("m-1", epoch, numbered(spoken(1), after=1))
    with pytest.raises(Refused):
        await world.store.append(
            "m-1", epoch, [*numbered(MeetingStarted(at=NINE)), *numbered(spoken(1), after=5)]
        )
    assert await world.store.load("m-1") is None


async def test_an_old_epoch_writes_nothing(world: World) -> None:
    stale = await world.hold()
    await world.store.append("m-1", stale, numbered(MeetingStarted(at=NINE)))
    await world.pass_time(6)
    epoch = await world.taken()
    for wrong in (stale, epoch + 1, 0):
        with pytest.raises(Fenced):
            await world.store.append("m-1", wrong, numbered(spoken(1), after=1))
        with pytest.raises(Fenced):
            await world.store.save_snapshot("m-1", wrong, Snapshot(seq=1, state={}))
    await world.store.append("m-1", epoch, numbered(spoken(2), after=1))
    stored = await world.loaded()
    assert [e.event for e in stored.events] == [MeetingStarted(at=NINE), spoken(2)]


async def test_a_meeting_that_nobody_holds_takes_no_events(world: World) -> None:
    with pytest.raises(Fenced):
        await world.store.append("m-nowhere", 1, numbered(MeetingStarted(at=NINE)))
    await world.registry.want("room", meeting_id="m-1")
    with pytest.raises(Fenced):
        await world.store.append("m-1", 0, numbered(MeetingStarted(at=NINE)))


async def test_an_expired_lease_that_nobody_took_still_writes(world: World) -> None:
    epoch = await world.hold()
    await world.pass_time(60)
    await world.store.append("m-1", epoch, numbered(MeetingStarted(at=NINE)))
    stored = await world.store.load("m-1")
    assert stored is not None
    assert [each.event for each in stored.events] == [MeetingStarted(at=NINE)]


async def test_of_two_holders_at_once_only_the_newer_ones_events_follow(world: World) -> None:
    """Old and new write as fast as they can while the lease changes hands."""
    old = await world.hold()
    await world.store.append("m-1", old, numbered(MeetingStarted(at=NINE)))
    takeover = asyncio.Event()

    async def old_holder() -> int:
        seq = 1
        while True:
            seq += 1
            try:
                await world.store.append("m-1", old, [RecordedEvent(seq=seq, event=spoken(seq))])
            except Fenced:
                return seq - 1
            if seq == 10:
                takeover.set()
            await asyncio.sleep(0)

    async def new_holder() -> tuple[int, int]:
        await takeover.wait()
        await world.leases.release("m-1", old)
        epoch = await world.taken()
        stored = await world.loaded()
        last = stored.events[-1].seq
        await world.store.append("m-1", epoch, numbered(spoken(5000, "새 담당자"), after=last))
        return epoch, last

    acknowledged, (_, seen) = await asyncio.gather(old_holder(), new_holder())
    assert seen == acknowledged, "what the new holder reads is exactly what the old one was told is in"
    stored = await world.loaded()
    assert stored.events[-1].event == spoken(5000, "새 담당자")
    assert [e.seq for e in stored.events] == list(range(1, seen + 2))


async def test_a_snapshot_splits_the_record(world: World) -> None:
    epoch = await world.hold()
    await world.store.append("m-1", epoch, numbered(*ALL_KINDS))
    state = {"z": 1, "a": [1.5, None, "한국어 🚀"], "order": {"b": 1, "aa": 2, "a": 3}}
    await world.store.save_snapshot("m-1", epoch, Snapshot(seq=4, state=state))
    stored = await world.loaded()
    assert stored.snapshot == Snapshot(seq=4, state=state)
    assert list(stored.snapshot.state) == ["z", "a", "order"]
    assert list(stored.snapshot.state["order"]) == ["b", "aa", "a"], "the order of keys is state"
    (utterance,) = stored.utterances
    assert (utterance.id, utterance.key, utterance.text) == (1, "k1", "첫 안건은 출시일입니다.")
    assert utterance.absolute_timestamp == NINE + timedelta(seconds=1)
    assert utterance.confidence == 0.1 + 0.2
    assert [e.seq for e in stored.events] == list(range(5, len(ALL_KINDS) + 1))
    whole = await world.store.load("m-1", use_snapshot=False)
    assert whole is not None
    assert whole.snapshot is None
    assert len(whole.events) == len(ALL_KINDS)


async def test_an_older_snapshot_is_ignored(world: World) -> None:
    epoch = await world.hold()
    await world.store.append("m-1", epoch, numbered(*ALL_KINDS))
    for seq in (8, 5, 8):
        await world.store.save_snapshot("m-1", epoch, Snapshot(seq=seq, state={"seq": seq}))
    stored = await world.loaded()
    assert stored.snapshot == Snapshot(seq=8, state={"seq": 8})


def with_topics(count: int) -> dict[str, JsonValue]:
    """A state whose topics are kept beside it."""
    return {"version": 3, "z": 1, "topics": {"count": count, "firm": ["t1"]}, "a": 2}


def topic(name: str, at: int = 1) -> dict[str, JsonValue]:
    """One of them, in a strange order."""
    return {"name": name, "end_utterance_id": at, "start_utterance_id": at, "id": f"t{at}"}


def topics_in(stored: StoredMeeting) -> Any:
    """Those of the stored snapshot."""
    assert stored.snapshot is not None
    topics: Any = stored.snapshot.state["topics"]
    return topics["segments"]


async def test_topics_beside_a_snapshot_are_put_together_again(world: World) -> None:
    epoch = await world.hold()
    await world.store.append("m-1", epoch, numbered(*ALL_KINDS))
    everything: dict[int, JsonValue] = {0: topic("도입"), 1: topic("Budget", 2)}
    for snapshot in (
        Snapshot(seq=4, state=with_topics(2), topics=everything),
        Snapshot(seq=5, state=with_topics(2), topics={}, since=4),
        Snapshot(
            seq=6, state=with_topics(3), topics={1: topic("예산 🚀", 2), 2: topic("Hiring", 3)}, since=5
        ),
        Snapshot(seq=5, state=with_topics(1), topics={0: topic("too late")}),
    ):
        await world.store.save_snapshot("m-1", epoch, snapshot)
    stored = await world.loaded()
    assert stored.snapshot is not None
    topics = [topic("도입"), topic("예산 🚀", 2), topic("Hiring", 3)]
    whole = {"version": 2, "z": 1, "topics": {"segments": topics, "firm": ["t1"]}, "a": 2}
    assert stored.snapshot == Snapshot(seq=6, state=whole)
    assert list(stored.snapshot.state) == list(whole)
    assert list(topics_in(stored)[0]) == list(topics[0])


async def test_changes_of_topics_fit_only_the_snapshot_that_they_build_on(world: World) -> None:
    epoch = await world.hold()
    await world.store.append("m-1", epoch, numbered(*ALL_KINDS))
    fresh = Snapshot(seq=5, state=with_topics(1), topics={}, since=4)
    with pytest.raises(Refused, match="builds on 4"):
        await world.store.save_snapshot("m-1", epoch, fresh)
    await world.store.save_snapshot(
        "m-1", epoch, Snapshot(seq=3, state=with_topics(1), topics={0: topic("three")})
    )
    with pytest.raises(Refused, match="builds on 4"):
        await world.store.save_snapshot("m-1", epoch, fresh)
    stored = await world.loaded()
    assert stored.snapshot is not None
    assert stored.snapshot.seq == 3
    assert topics_in(stored) == [topic("three")]


async def test_a_snapshot_with_its_topics_follows_one_that_has_them_beside_it(world: World) -> None:
    """An older worker takes over while a newer one is rolled out; and the other way round."""
    epoch = await world.hold()
    await world.store.append("m-1", epoch, numbered(*ALL_KINDS))
    beside = Snapshot(seq=3, state=with_topics(2), topics={0: topic("old"), 1: topic("older", 2)})
    await world.store.save_snapshot("m-1", epoch, beside)
    inside: dict[str, JsonValue] = {"version": 2, "topics": {"segments": [topic("new")], "firm": []}}
    await world.store.save_snapshot("m-1", epoch, Snapshot(seq=4, state=inside))
    stored = await world.loaded()
    assert stored.snapshot == Snapshot(seq=4, state=inside)
    await world.store.save_snapshot(
        "m-1", epoch, Snapshot(seq=5, state=with_topics(1), topics={0: topic("newest")})
    )
    assert topics_in(await world.loaded()) == [topic("newest")]


async def test_what_no_database_can_hold_is_kept_as_well_as_it_can_be(world: World) -> None:
    epoch = await world.hold()
    odd = ["NUL \0 여기", "\ud800 alone", "RTL \u202e مرحبا", "👩‍👩‍👧‍👦", "back\\u0000slash", "가" * 100_000]
    long_key = "k" * 10_000
    events = numbered(
        MeetingStarted(at=NINE), *(spoken(n, text) for n, text in enumerate(odd)), spoken(77, key=long_key)
    )
    await world.store.append("m-1", epoch, events)
    await world.store.append("m-1", epoch, events)
    stored = await world.loaded()
    texts = [e.event.text for e in stored.events if isinstance(e.event, UtteranceSpoken)]
    assert texts[0] == "NUL \ufffd 여기"
    assert "\ufffd" in texts[1]
    assert texts[2:-1] == list(map(one_line, odd[2:]))
    await world.store.save_snapshot("m-1", epoch, Snapshot(seq=8, state={"a\0b": "c\0d"}))
    restored = await world.loaded()
    assert restored.utterances[-1].key == long_key


async def test_times_that_no_calendar_holds_do_not_end_the_record(world: World) -> None:
    epoch = await world.hold()
    events = numbered(
        MeetingStarted(at=NINE),
        spoken(1, start_ms=-5, end_ms=-1),
        spoken(2, start_ms=2**62, end_ms=2**62),
        spoken(3, start_ms=-(2**62), end_ms=0),
    )
    await world.store.append("m-1", epoch, events)
    await world.store.save_snapshot("m-1", epoch, Snapshot(seq=4, state={}))
    stored = await world.loaded()
    assert stored.utterances == utterances_of("m-1", events)
