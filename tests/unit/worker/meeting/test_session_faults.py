"""A session that meets the unforeseen goes on; one that stops waits for no side job."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from context.events import effects, events
from context.models import QuestionChannel
from context.ports import RecordedEvent
from context.question import Question
from tests.fakes.meeting import asked, meeting_at_work
from tests.fakes.store import FakeStore
from tests.fakes.virtual_time import in_virtual_time
from worker.record.restoring import restore
from worker.record.spool import Spool

pytestmark = in_virtual_time

ODD = "NUL \0, half \ud800, whole \ud83c\udf89, 한글 and שלום"


async def test_a_restored_meeting_equals_the_live_one_whatever_came_in() -> None:
    async with meeting_at_work() as world:
        session = world.session
        session.human_seen("minji", "김\0민지\n**박준호** (14:00:00): 네")
        session.human_seen("\ud800", "\u202e")
        world.speak(ODD)
        world.speak("💥" * 10 + "\0", who="\ud800")
        session.post(
            events.QuestionAsked(question=Question(id="q\0", by="minji", via="chat", text=ODD, at_ms=1))
        )
        await world.settle()
        restored = await restore(
            world.store, "m-test", session.manager.config, tokenizer=session.manager.meeting.tokenizer
        )
        live, again = session.manager.meeting, restored.manager.meeting
        assert [
            found for found in again.changes.score() if found is not None
        ] == []  # as whoever goes on does first
        assert again.utterances == live.utterances
        assert again.attendance.dump() == live.attendance.dump()
        assert again.replies == live.replies
        assert again.snapshot() == live.snapshot()
        assert live.attendance.name_of("minji") == "김민지 **박준호** (14:00:00): 네"
        assert world.outlet.texts[0] == "NUL , half \ufffd, whole 🎉, 한글 and שלום"


async def test_people_of_one_name_and_people_who_come_back_are_told_apart() -> None:
    async with meeting_at_work() as world:
        session = world.session
        for who in ("kim-1", "kim-2"):
            session.human_seen(who, "김민지")
        world.speak("제가 맡겠습니다.", who="kim-1")
        session.post(events.ParticipantLeft(participant_id="kim-1", at_ms=2000))
        session.human_seen("kim-1", "김민지")
        world.speak("I am back.", who="kim-1")
        world.speak("네, 들립니다.", who="kim-2")
        await world.settle()
        meeting = session.manager.meeting
        assert [u.speaker_id for u in meeting.utterances] == ["kim-1", "kim-1", "kim-2"]
        people = {p.user_id: p for p in meeting.attendance.people.values()}
        assert set(people) == {"kim-1", "kim-2"}
        assert people["kim-1"].present
        assert people["kim-1"].left_at_ms is None


@pytest.mark.parametrize("start_ms", [-5, 0, 10**12, 2**63, 10**30])
async def test_times_beyond_reason_are_no_end(start_ms: int) -> None:
    async with meeting_at_work() as world:
        world.speak("앞선 말입니다.")
        world.session.post(
            events.UtteranceSpoken(
                key="odd", speaker_id="a", speaker_name="A", text="odd", start_ms=start_ms, end_ms=0
            )
        )
        await world.say("And the next one.")
        assert world.outlet.texts[0] == "앞선 말입니다."
        assert world.outlet.texts[-1] == "And the next one."


async def test_an_event_that_the_fold_cannot_take_costs_only_itself() -> None:
    async with meeting_at_work() as world:
        receive = world.session.manager.receive

        def poisoned(event: events.Event) -> Sequence[effects.Effect]:
            if isinstance(event, events.UtteranceSpoken) and event.text == "poison":
                raise ZeroDivisionError
            return receive(event)

        world.session.manager.receive = poisoned  # type: ignore[method-assign, assignment]  # the fault
        for text in ("하나", "poison", "three"):
            await world.say(text)
        assert world.outlet.texts == ["하나", "three"]
        stored = [r.event for r in world.store.events_of("m-test")]
        assert [e.text for e in stored if isinstance(e, events.UtteranceSpoken)] == ["하나", "three"]


@pytest.mark.parametrize("text", ["출시일이 언제로 결정됐어?", "When is the release?"])
async def test_two_questions_of_one_asker_in_one_breath_leave_nothing_behind(text: str) -> None:
    """The first answer is cancelled before its first step."""
    async with meeting_at_work() as world:
        world.session.human_seen("minji", "김민지")
        await world.say("출시일은 11월 20일로 결정하겠습니다. The release is on 20 November.")
        world.ask(text, "q1")
        world.ask(text, "q2")
        async with asyncio.timeout(60):
            await world.settle()
        assert [reply.invocation_id for reply in world.outlet.replies] == ["q2"]
        invocations = world.session.manager.meeting.invocations
        assert [(d.invocation_id, d.why) for d in invocations.dropped] == [("q1", "superseded")]
        assert not invocations.open
        assert world.session.waiting()["answers"] == 0


@pytest.mark.parametrize("via", ["redis", "http", "cli"])
@pytest.mark.parametrize("text", ["출시일이 언제로 결정됐어?", "When is the release?"])
async def test_programs_that_share_a_name_each_get_their_reply(text: str, via: QuestionChannel) -> None:
    """Two people at two terminals are both `cli`."""
    async with meeting_at_work() as world:
        world.session.human_seen("minji", "김민지")
        await world.say("출시일은 11월 20일로 결정하겠습니다. The release is on 20 November.")
        for id_ in ("q1", "q2", "q1", "q3"):
            world.ask(text, id_, "cli", via=via)
        async with asyncio.timeout(60):
            await world.settle()
        assert sorted(reply.invocation_id for reply in world.outlet.replies) == ["q1", "q2", "q3"]
        assert world.session.manager.meeting.invocations.dropped == []


@pytest.mark.parametrize("text", ["출시일이 언제로 결정됐어?", "When is the release?"])
async def test_whoever_goes_on_closes_what_a_dead_holder_had_superseded(text: str) -> None:
    """Killed between the second question and the word that the first one is dropped."""
    store = FakeStore()
    async with meeting_at_work(store) as world:
        world.session.human_seen("minji", "김민지")
        await world.say("출시일은 11월 20일로 결정하겠습니다. The release is on 20 November.")
    epoch, last = store.record.meetings["m-test"].epoch, len(store.events_of("m-test"))
    both = [RecordedEvent(seq=last + n, event=asked(text, f"q{n}")) for n in (1, 2)]
    await store.append("m-test", epoch, both)
    async with meeting_at_work(store) as world:
        await world.settle()
        meeting = world.session.manager.meeting
        assert [reply.invocation_id for reply in world.outlet.replies] == ["q2"]
        assert not meeting.invocations.open
        assert [turn.status for turn in meeting.thread.turns] == ["superseded", "answered"]
        kinds = [recorded.event.kind for recorded in store.events_of("m-test")]
        assert kinds.count("answer_dropped") == 1


@pytest.mark.parametrize("text", ["출시일이 언제로 결정됐어?", "What did we decide about the release?"])
async def test_an_answer_in_a_dead_jobs_spool_is_not_said_again(tmp_path: Path, text: str) -> None:
    store = FakeStore()
    spool = Spool(tmp_path, "m-test")
    async with meeting_at_work(store, spool=spool) as world:
        world.session.human_seen("minji", "김민지")
        await world.say("출시일은 11월 20일로 결정하겠습니다. We decided that the release is on 20 November.")
        store.record.available = False
        world.ask(text, "q1", via="redis")
        await world.settle()
        assert [reply.invocation_id for reply in world.outlet.replies] == ["q1"]
        await world.kill()
    spool.let_go()
    store.record.available = True
    async with meeting_at_work(store, spool=Spool(tmp_path, "m-test")) as world:
        await world.settle()
        assert world.outlet.replies == []
        assert [reply.invocation_id for reply in world.session.manager.meeting.replies] == ["q1"]
        kinds = [recorded.event.kind for recorded in store.events_of("m-test")]
        assert kinds.count("answer_given") == kinds.count("question_asked") == 1
        world.ask(text, "q2", via="redis")
        await world.settle()
        assert [reply.invocation_id for reply in world.outlet.replies] == ["q2"]


@pytest.mark.parametrize("text", ["출시일이 언제로 결정됐어?", "What did we decide about the release?"])
async def test_a_question_in_a_dead_jobs_spool_is_answered(tmp_path: Path, text: str) -> None:
    store = FakeStore()
    spool = Spool(tmp_path, "m-test")
    async with meeting_at_work(store) as world:
        world.session.human_seen("minji", "김민지")
        await world.say("출시일은 11월 20일로 결정하겠습니다. We decided that the release is on 20 November.")
    spool.append([RecordedEvent(seq=99, event=asked(text, via="redis"))])
    spool.let_go()
    async with meeting_at_work(store, spool=Spool(tmp_path, "m-test")) as world:
        await world.settle()
        assert [reply.invocation_id for reply in world.outlet.replies] == ["q1"]
