"""A meeting's session: what is published was recorded first, in order, once."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.events import events
from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.privacy_events import Erased
from context.export.document import document
from context.fold.meeting import Meeting
from context.fold.window import RoughTokenizer
from context.manager import ContextManager
from context.models import Reply
from context.ports import Fenced
from context.question import Question
from tests.fakes.meeting import SETTINGS, asked, meeting_at_work
from tests.fakes.store import FakeStore
from tests.fakes.thinking import SlowThinking
from tests.fakes.virtual_time import in_virtual_time, run_virtual
from tests.fakes.waiting import until
from worker.agent.reply.speaking import ReplyOpener
from worker.bootstrap.thinking import Thinking
from worker.outlets import ReplyStream
from worker.record.restoring import rebuild
from worker.record.spool import Spool

pytestmark = in_virtual_time

KO = [
    "안녕하세요. 첫 번째 안건은 출시 일정입니다.",
    "출시일은 십이월 이십이일로 결정하겠습니다.",
    "그럼 다음 안건으로 넘어가겠습니다. 내년 예산 이야기를 해 보죠.",
    "마케팅 예산은 이억 원을 요청했습니다.",
]
EN = ["Let us begin with the search latency.", "We will add a second server this week."]


async def test_finals_go_out_in_order_and_on_the_record() -> None:
    async with meeting_at_work() as world:
        await world.say(*KO + EN)
        assert world.outlet.texts == KO + EN
        assert all(durable for _, _, durable in world.outlet.finals)
        assert len({segment for _, segment, _ in world.outlet.finals}) == len(KO + EN)
        stored = await world.store.load("m-test")
    spoken = [r.event.text for r in stored.events if isinstance(r.event, events.UtteranceSpoken)]
    assert spoken == KO + EN


async def test_a_final_waits_for_its_commit() -> None:
    async with meeting_at_work() as world:
        await world.settle()
        gate = asyncio.Event()
        world.store.slow = gate.wait
        world.speak(KO[0])
        for _ in range(20):
            await asyncio.sleep(0.01)
        assert world.outlet.finals == []
        gate.set()
        await world.settle()
        assert world.outlet.texts == [KO[0]]


@pytest.mark.parametrize(
    ("lines", "question"), [(KO, "출시일이 언제로 결정됐지?"), (EN, "What about the second server?")]
)
async def test_an_answer_is_thought_of_while_its_question_is_committed(
    lines: list[str], question: str
) -> None:
    gate, thought = asyncio.Event(), asyncio.Event()

    thinker = Thinking(None, RoughTokenizer(), SETTINGS)
    answer = thinker.answer

    async def watched(
        invocation: Question, manager: ContextManager, opener: ReplyOpener, **named: Any
    ) -> Reply:
        async def opened(*args: Any, **how: Any) -> ReplyStream:
            thought.set()
            return await opener(*args, **how)

        return await answer(invocation, manager, opened, **named)

    thinker.answer = watched
    async with meeting_at_work(thinker=thinker) as world:
        await world.say(*lines)
        world.store.slow = gate.wait
        world.ask(question)
        await thought.wait()
        await asyncio.sleep(0.1)
        assert world.outlet.replies == []
        gate.set()
        await world.settle()
        assert len(world.outlet.replies) == 1
        stored = await world.store.load("m-test")
    kinds = [r.event.kind for r in stored.events]
    assert kinds.index("question_asked") < kinds.index("answer_given")


async def test_what_arrives_during_a_commit_is_grouped_into_the_next() -> None:
    async with meeting_at_work() as world:
        await world.settle()
        world.store.slow = partial(asyncio.sleep, 0.05)
        before = world.store.appends
        for number in range(50):
            world.speak(f"{number}번째 말입니다")
        await world.settle()
        assert len(world.outlet.finals) == 50
        assert world.store.appends - before <= 3


def test_without_the_store_the_meeting_goes_on_and_catches_up(tmp_path: Path) -> None:
    async def scenario() -> None:
        spool = Spool(tmp_path, "m-test")
        async with meeting_at_work(spool=spool) as world:
            await world.say(KO[0])
            world.store.record.available = False
            world.speak(KO[1])
            await world.say(EN[0])
            assert [durable for _, _, durable in world.outlet.finals] == [True, False, False]
            assert world.session.recorder.away
            assert [e.event.text for e in spool.read() if hasattr(e.event, "text")] == [KO[1], EN[0]]
            world.store.record.available = True
            world.speak(EN[1])
            await until(lambda: not (world.session.recorder.away or spool.read()))
            stored = await world.store.load("m-test")
            assert stored is not None
            meeting, _ = rebuild(stored, "m-test", world.session.manager.config)
            assert [u.text for u in meeting.utterances] == [KO[0], KO[1], EN[0], EN[1]]

    asyncio.run(scenario())


def test_a_job_that_dies_while_the_store_is_away_leaves_its_words_to_the_next(tmp_path: Path) -> None:
    async def scenario() -> None:
        spool = Spool(tmp_path, "m-test")
        store = FakeStore()
        async with meeting_at_work(store, spool=spool) as world:
            await world.say(*KO[:1])
            store.record.available = False
            await world.say(*KO[1:2])
            await world.kill()
        store.record.available = True
        async with meeting_at_work(store, spool=spool) as successor:
            await successor.settle()
            meeting = successor.session.manager.meeting
            assert [u.text for u in meeting.utterances] == KO[:2]

    asyncio.run(scenario())


def test_a_higher_epoch_ends_the_session() -> None:
    async def scenario(store: FakeStore) -> None:
        async with meeting_at_work(store) as world:
            await world.say(*KO[:1])
            store.record.open_meeting("m-test")
            world.speak(KO[1])
            await asyncio.sleep(1)

    store = FakeStore()
    with pytest.raises(ExceptionGroup) as caught:
        run_virtual(scenario(store))
    assert caught.group_contains(Fenced)
    assert all(KO[1] not in stored.payload for stored in store.record.meetings["m-test"].events)


@pytest.mark.parametrize(
    ("lines", "question", "quoted"),
    [
        (KO, "출시일이 언제로 결정됐지?", "이십이일"),
        (EN, "What did we decide about the second server?", "second server"),
    ],
)
async def test_a_question_is_answered_with_quotes(lines: list[str], question: str, quoted: str) -> None:
    async with meeting_at_work() as world:
        await world.say(*lines)
        world.ask(question)
        world.ask(question)  # delivered twice
        await world.settle()
        (reply,) = world.outlet.replies
        assert reply.closed
        assert quoted in reply.text
        assert reply.evidence
        (recorded,) = world.session.manager.meeting.replies
        assert recorded.text == reply.text.strip()


async def test_a_question_that_its_holder_did_not_survive_is_answered_by_the_next() -> None:
    store = FakeStore()
    async with meeting_at_work(store) as world:
        await world.say(*EN)
        world.session.fold_now(asked("What did we decide about the second server?"))
        await world.session.recorder.drain(1)
        await world.kill()
    async with meeting_at_work(store) as successor:
        await successor.settle()
        (reply,) = successor.outlet.replies
        assert reply.invocation_id == "q1"
        assert "second server" in reply.text


async def test_the_end_is_recorded_and_said() -> None:
    store = FakeStore()
    async with meeting_at_work(store) as world:
        await world.say(*KO)
        closing = await world.session.close_topics()
        assert "이십이일" in closing
        await world.session.end("room_closed")
        assert world.outlet.statuses()[-1] == "ended"
    stored = await store.load("m-test")
    assert stored is not None
    meeting, _ = rebuild(stored, "m-test", world.session.manager.config)
    assert meeting.ended is not None
    assert all(segment.version > 0 for segment in meeting.segments)


@settings(max_examples=25, deadline=None)
@given(cut=st.integers(min_value=2, max_value=40))
def test_killed_anywhere_and_restored_it_is_the_same_meeting(cut: int) -> None:
    """The record's first `cut` events are what a killed job has acknowledged; the next one goes on.

    From the second on: the meeting's day is on it."""
    lines = KO + EN + KO[::-1]

    async def whole() -> Meeting:
        async with meeting_at_work() as world:
            for line in lines:
                await world.say(line)
            return world.session.manager.meeting

    async def broken() -> Meeting:
        store = FakeStore()
        async with meeting_at_work(store) as world:
            for line in lines:
                await world.say(line)
        record = store.record.meetings["m-test"]
        del record.events[cut:]
        record.snapshot = None
        async with meeting_at_work(store) as world:
            await world.settle()
            for line in lines[len(world.session.manager.meeting.utterances) :]:
                await world.say(line)
            return world.session.manager.meeting

    one, other = document(run_virtual(whole())), document(run_virtual(broken()))
    assert one["utterances"] == other["utterances"]
    assert one["topics"] == other["topics"]


async def test_a_successor_erases_what_a_dead_job_had_erased_and_could_not_record() -> None:
    async with meeting_at_work() as world:
        session = world.session
        spooled = [
            events.UtteranceSpoken(
                key="k1", speaker_id="ben", speaker_name="Ben", text="비밀", start_ms=0, end_ms=900
            ),
            Erased(
                id="e1",
                by="Ben",
                at_ms=5_000,
                target=Target(what="person", person="ben"),
                state={"of": "then"},
            ),
        ]
        session.take_up(spooled)
        session.take_up(spooled)
        meeting = session.manager.meeting
        assert [u.text for u in meeting.utterances] == [""]
        assert [mark.id for mark in meeting.erasures] == ["e1"]


@pytest.mark.parametrize("lines", [KO, EN])
async def test_what_an_erasure_sets_off_again_comes_though_its_wish_is_looked_at_once_more(
    lines: list[str],
) -> None:
    first = Target(what="utterances", utterances=(1,))
    async with meeting_at_work(thinker=SlowThinking(10)) as world:
        for number in range(30):
            world.speak(lines[number % len(lines)])
        await asyncio.sleep(1)
        assert await world.session.erase(first, id_="e1", actor=operator("ben"))
        await asyncio.sleep(1)
        assert not await world.session.erase(first, id_="e1", actor=operator("ben"))
        assert not await world.session.erase(first, id_="e2", actor=operator("ben"))
        await world.settle()
        meeting = world.session.manager.meeting
        assert meeting.summaries.jobs == {}
        assert any(topic.notes.text for topic in meeting.segments)
