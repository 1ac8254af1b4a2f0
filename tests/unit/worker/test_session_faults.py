"""A session that meets the unforeseen goes on; one that stops waits for no side job."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import pytest

from context import effects, events
from context.models import Invocation
from context.topic_scoring import scored
from tests.fakes.meeting import meeting_at_work
from tests.fakes.virtual_time import run_virtual
from worker.restoring import restore

ODD = "NUL \0, half \ud800, whole \ud83c\udf89, 한글 and שלום"


def test_a_restored_meeting_equals_the_live_one_whatever_came_in() -> None:
    async def scenario() -> None:
        async with meeting_at_work() as world:
            session = world.session
            session.human_seen("minji", "김\0민지\n**박준호** (14:00:00): 네")
            session.human_seen("\ud800", "\u202e")
            world.speak(ODD)
            world.speak("💥" * 10 + "\0", who="\ud800")
            session.post(
                events.QuestionAsked(
                    invocation=Invocation(id="q\0", by="minji", via="chat", text=ODD, at_ms=1)
                )
            )
            await world.settle()
            restored = await restore(
                world.store, "m-test", session.manager.config, tokenizer=session.manager.meeting.tokenizer
            )
            live, again = session.manager.meeting, restored.manager.meeting
            assert [
                found for found in scored(again) if found is not None
            ] == []  # as whoever goes on does first
            assert again.utterances == live.utterances
            assert again.attendance.dump() == live.attendance.dump()
            assert again.replies == live.replies
            assert again.snapshot() == live.snapshot()
            assert live.attendance.name_of("minji") == "김 민지 **박준호** (14:00:00): 네"
            assert world.outlet.texts[0] == "NUL \ufffd, half \ufffd, whole 🎉, 한글 and שלום"

    run_virtual(scenario())


def test_people_of_one_name_and_people_who_come_back_are_told_apart() -> None:
    async def scenario() -> None:
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

    run_virtual(scenario())


@pytest.mark.parametrize("start_ms", [-5, 0, 10**12, 2**63, 10**30])
def test_times_beyond_reason_are_no_end(start_ms: int) -> None:
    async def scenario() -> None:
        async with meeting_at_work() as world:
            world.speak("앞선 말입니다.")
            world.session.post(
                events.UtteranceSpoken(
                    key="odd", speaker_id="a", speaker_name="A", text="odd", start_ms=start_ms, end_ms=0
                )
            )
            world.speak("And the next one.")
            await world.settle()
            assert world.outlet.texts[0] == "앞선 말입니다."
            assert world.outlet.texts[-1] == "And the next one."

    run_virtual(scenario())


def test_an_event_that_the_fold_cannot_take_costs_only_itself() -> None:
    async def scenario() -> None:
        async with meeting_at_work() as world:
            receive = world.session.manager.receive

            def poisoned(event: events.Event) -> Sequence[effects.Effect]:
                if isinstance(event, events.UtteranceSpoken) and event.text == "poison":
                    raise ZeroDivisionError
                return receive(event)

            world.session.manager.receive = poisoned  # type: ignore[method-assign, assignment]
            for text in ("하나", "poison", "three"):
                world.speak(text)
            await world.settle()
            assert world.outlet.texts == ["하나", "three"]
            stored = [r.event for r in world.store.events_of("m-test")]
            assert [e.text for e in stored if isinstance(e, events.UtteranceSpoken)] == ["하나", "three"]

    run_virtual(scenario())


def test_a_stop_does_not_wait_for_a_summary_that_hangs() -> None:
    async def scenario() -> None:
        async with meeting_at_work() as world:

            async def hang(_effect: effects.Summarise) -> events.SummaryFailed:
                await asyncio.sleep(timedelta(hours=1).total_seconds())
                raise AssertionError

            world.session._thinker.summarise = hang  # type: ignore[method-assign]
            world.speak("출시일은 11월 20일로 결정하겠습니다.")
            await world.settle()
            began_s = world.session.clock.monotonic_s()
            await world.session.close_topics()
            await world.session.end("requested")
            assert world.running is not None
            await asyncio.wait({world.running})
            assert world.session.clock.monotonic_s() - began_s < 30

    run_virtual(scenario())
