"""The agent's thread in a session: summaries beside the answers, on the record, taken over by the next."""

from __future__ import annotations

import asyncio
import json

import pytest

from context.events import events
from context.fold.window import RoughTokenizer
from context.language.korean import has_hangul
from tests.fakes.llm import Hang, ScriptedModel, Step
from tests.fakes.meeting import SETTINGS, World, meeting_at_work
from tests.fakes.store import FakeStore
from tests.fakes.virtual_time import in_virtual_time
from worker.agent.calls.calling import CalledModel
from worker.bootstrap.language_models import LanguageModels
from worker.bootstrap.thinking import Thinking
from worker.configuration.settings import Settings
from worker.record.restoring import rebuild

pytestmark = in_virtual_time

KO = (
    ["안녕하세요.", "출시일은 십이월 이십이일로 결정하겠습니다."],
    "출시일이 언제로 결정됐어요?",
    "이십이일",
)
EN = (["Hello.", "We will add a second server this week."], "What did we decide about the server?", "second")
BOTH = pytest.mark.parametrize(("lines", "question", "fact"), [KO, EN], ids=["ko", "en"])


def thinking(
    *summaries: list[Step], answers: list[Step] | None = None
) -> tuple[Thinking, ScriptedModel, ScriptedModel]:
    """By models: what is answered (citing utterance 2), and what a thread summary says."""
    answering = ScriptedModel(answers or ["It is as was said. [#2]"], name="answers")
    summing = ScriptedModel(*summaries, name="summaries")
    judging = ScriptedModel(['{"verdicts": [{"claim": 1, "verdict": "supported"}]}'])
    models = LanguageModels(CalledModel(answering), CalledModel(summing), CalledModel(judging))
    return Thinking(models, RoughTokenizer(), SETTINGS), answering, summing


def summary(text: str) -> list[Step]:
    return [json.dumps({"summary": text}, ensure_ascii=False)]


async def ask(world: World, numbers: range, text: str, pause_s: float | None = None) -> None:
    """The same again and again, each once the last is answered or `pause_s` later."""
    for number in numbers:
        world.ask(text, f"q{number}")
        await (world.settle() if pause_s is None else asyncio.sleep(pause_s))


@BOTH
async def test_without_a_model_three_turns_are_summarised_in_their_own_words(
    lines: list[str], question: str, fact: str
) -> None:
    async with meeting_at_work() as world:
        await world.say(*lines)
        await ask(world, range(1, 4), question)
        thread = world.session.manager.meeting.thread
        (entry,) = thread.summary_history
        assert entry["turns"] == [1, 2, 3]
        assert fact in entry["summary"]
        assert entry["summary_chars"] <= max(40, entry["original_chars"] * 0.3)
        assert [row.status for row in thread.summaries.rows] == ["COMPLETED"]
    stored = await world.store.load("m-test", use_snapshot=False)
    kinds = [recorded.event.kind for recorded in stored.events]
    begun = kinds.index("thread_summary_started")
    assert kinds.index("answer_given") < begun < kinds.index("thread_summary_ready")


@BOTH
async def test_another_worker_takes_over_with_the_same_history(
    lines: list[str], question: str, fact: str
) -> None:
    store = FakeStore()
    async with meeting_at_work(store) as world:
        await world.say(*lines)
        world.session.post(events.ThreadTuned(by="minji", compression_rate=0.5))
        await ask(world, range(1, 6), question)
        before = world.session.manager.meeting.thread.state
        await world.session.recorder.drain(1)
        await world.kill()
    assert len(before["summary_history"]) == 1
    for keep_snapshot in (True, False):
        stored = await store.load("m-test", use_snapshot=keep_snapshot)
        meeting, _ = rebuild(stored, "m-test", world.session.manager.config, tokenizer=RoughTokenizer())
        assert meeting.thread.state == before
    async with meeting_at_work(store) as successor:
        successor.ask(question, "q6")
        await successor.settle()
        history = successor.session.manager.meeting.thread.summary_history
        assert [entry["turns"] for entry in history] == [[1, 2, 3], [4, 5, 6]]
        assert [entry["compression_rate"] for entry in history] == [0.5, 0.5]
        assert fact in history[1]["summary"]


async def test_a_summary_that_died_with_its_holder_is_written_by_the_next() -> None:
    store = FakeStore()
    async with meeting_at_work(store, thinker=thinking([Hang])[0]) as world:
        await world.say(*KO[0])
        await ask(world, range(1, 4), KO[1], 1)
        assert len(world.session.manager.meeting.thread.in_progress()) == 1
        await world.session.recorder.drain(1)
        await world.kill()
    successor_thinks, _, summing = thinking(summary("출시일이 언제로 결정됐는지 물었다."))
    async with meeting_at_work(store, thinker=successor_thinks) as successor:
        await successor.settle()
        (entry,) = successor.session.manager.meeting.thread.summary_history
        assert entry["summary"] == "출시일이 언제로 결정됐는지 물었다."
        assert len(summing.calls) == 1
        rows = successor.session.manager.meeting.thread.summaries.rows
        assert [(row.id, row.status, row.error) for row in rows] == [
            ("m-test/v1.1", "FAILED", "superseded"),
            ("m-test/v1.2", "COMPLETED", None),
        ]


@BOTH
async def test_a_late_summary_delays_no_answer_and_its_turns_go_in_raw(
    lines: list[str], question: str, fact: str
) -> None:
    thinks, answering, _ = thinking([30.0, *summary(question)])
    async with meeting_at_work(thinker=thinks) as world:
        await world.say(*lines)
        for number in range(1, 6):
            world.ask(f"{question} {number}", f"q{number}")
            await asyncio.sleep(0.5)
            assert len(world.session.manager.meeting.replies) == number, "answered at once"
        prompt = answering.calls[-1][-1].content
        assert "[CONVERSATION CONTEXT]" not in prompt
        assert all(f"{question} {number}" in prompt for number in range(1, 5)), "case B, all of it"
        await world.settle()
        world.ask(question, "q6")
        await asyncio.sleep(0.5)
        after = answering.calls[-1][-1].content
        assert "[CONVERSATION CONTEXT]" in after
        assert question in after.split("[RECENT MESSAGES]")[0]
        assert after.index("[RECENT MESSAGES]") < after.index("[CURRENT MESSAGE]") < after.index("<question>")
        await world.settle()


async def test_the_first_question_goes_out_alone() -> None:
    thinks, answering, _ = thinking(summary("x"))
    async with meeting_at_work(thinker=thinks) as world:
        await world.say(*EN[0])
        world.ask(EN[1], "q1")
        await world.settle()
        assert "<thread>" not in answering.calls[0][-1].content
        assert "[CURRENT MESSAGE]" not in answering.calls[0][-1].content


@pytest.mark.parametrize(("seconds", "status"), [(59.0, "COMPLETED"), (61.0, "FAILED")])
@BOTH
async def test_a_summary_has_sixty_seconds_and_is_tried_again_after_the_next_answer(
    lines: list[str], question: str, fact: str, seconds: float, status: str
) -> None:
    thinks, _, summing = thinking([seconds, *summary(question)], summary(question))
    async with meeting_at_work(thinker=thinks) as world:
        rows = world.session.manager.meeting.thread.summaries.rows
        await world.say(*lines)
        await ask(world, range(1, 4), question, 0.5)
        await asyncio.sleep(58)
        assert [row.status for row in rows] == ["IN_PROGRESS"]
        await asyncio.sleep(5)
        assert [row.status for row in rows] == [status]
        assert ("60 s" in str(rows[0].error)) == (status == "FAILED")
        world.ask(question, "q4")
        await world.settle()
        assert [row.status for row in rows] == [status, *(["COMPLETED"] if status == "FAILED" else [])]
        assert len(summing.calls) == len(rows), "a completed one is not made again"


async def test_the_closing_summary_waits_for_no_summary_of_the_thread() -> None:
    async with meeting_at_work(thinker=thinking([Hang])[0]) as world:
        await world.say(*KO[0])
        await ask(world, range(1, 4), KO[1], 1)
        began = asyncio.get_running_loop().time()
        # The closing topic's summary hangs too: its own 12 s are all that is waited for.
        await world.session.close_topics()
        assert asyncio.get_running_loop().time() - began <= 12.5
        assert world.session.manager.meeting.thread.in_progress() == [], "given up, to be tried again"


async def test_a_hand_over_waits_for_no_summary_and_the_next_holder_writes_it() -> None:
    store = FakeStore()
    async with meeting_at_work(store, thinker=thinking([Hang])[0]) as world:
        await world.say(*KO[0])
        await ask(world, range(1, 4), KO[1], 1)
        began = asyncio.get_running_loop().time()
        await world.session.leave("handed over")
        assert asyncio.get_running_loop().time() - began < 0.5
    async with meeting_at_work(
        store, thinker=thinking(summary("출시일이 언제로 결정됐는지 물었다."))[0]
    ) as successor:
        await successor.settle()
        (entry,) = successor.session.manager.meeting.thread.summary_history
        assert entry["summary"] == "출시일이 언제로 결정됐는지 물었다."


@BOTH
async def test_what_was_asked_privately_reaches_no_other_prompt(
    lines: list[str], question: str, fact: str
) -> None:
    thinks, answering, summing = thinking(summary("x"))
    async with meeting_at_work(thinker=thinks) as world:
        await world.say(*lines)
        world.ask(f"{question} 비밀secret", "q1", "ben", private=True)
        await world.settle()
        await ask(world, range(2, 7), question)
        assert all("비밀secret" not in call[-1].content for call in answering.calls[1:] + summing.calls)
        world.ask(question, "q9", "ben", private=True)
        await world.settle()
        assert "비밀secret" in answering.calls[-1][-1].content


@pytest.mark.parametrize(
    ("text", "answer"), [("모임아 고마워", "다행"), ("thanks!", "welcome"), ("안녕하세요", "물어보세요")]
)
async def test_small_talk_takes_the_fast_path(text: str, answer: str) -> None:
    thinks, answering, _ = thinking(summary("x"))
    async with meeting_at_work(thinker=thinks) as world:
        await world.say(*EN[0])
        world.ask(text, "q1")
        await world.settle()
        (reply,) = world.session.manager.meeting.replies
        assert answer in reply.text
        assert (reply.declined, reply.degraded, reply.evidence) == (False, False, ())
        assert answering.calls == []
        assert world.session.manager.meeting.thread.turn_count == 1


@pytest.mark.parametrize("shows_none", ["Ok!", "👍", "2026?"])
@pytest.mark.parametrize(
    ("lines", "before", "korean"),
    [
        (KO[0], "", True),
        (EN[0], "", False),
        ([], "", True),
        ([*KO[0], "OK."], "", True),
        (KO[0], EN[1], False),
        (EN[0], KO[1], True),
        (KO[0], "Thanks!", False),
    ],
)
async def test_what_shows_no_language_is_answered_in_that_of_the_asker_before_else_of_the_meeting(
    lines: list[str], before: str, korean: bool, shows_none: str
) -> None:
    async with meeting_at_work() as world:
        await world.say(*lines)
        if before:
            world.ask(before, "q1")
            await world.settle()
        world.ask(shows_none, "q2")
        await world.settle()
        reply = world.session.manager.meeting.replies[-1]
        assert reply.invocation_id == "q2"
        assert has_hangul(reply.text.splitlines()[0]) == korean  # what is quoted below is as it was said


def settings(**environ: str) -> Thinking:
    return Thinking(None, RoughTokenizer(), Settings.from_env(environ))


async def test_the_settings_of_seed_003_take_effect_through_the_record() -> None:
    thinks = settings(APP_CONTEXT_ENABLED="0", APP_CONTEXT_THRESHOLD="300", APP_CONTEXT_RECENT_MESSAGES="2")
    async with meeting_at_work(thinker=thinks) as world:
        thread = world.session.manager.meeting.thread
        assert (thread.policy.enabled, thread.policy.threshold) == (True, 8000)
        tuned = thinks.thread_tuning(thread)
        assert tuned is not None
        world.session.fold_now(tuned)
        assert thinks.thread_tuning(thread) is None, "said once"
        told = thread.policy.model_dump(exclude={"compression_rate"})
        # A quarter of the transcript's share of 8K is the thread's.
        assert told == {"enabled": False, "threshold": 300, "recent_messages": 2, "share_tokens": 750}
        await world.say(*KO[0])
        await ask(world, range(1, 5), KO[1])
        assert thread.summary_history == []
    assert not any(kind == "status" and value[0] == "thread" for kind, value in world.outlet.others)


async def test_a_rate_that_people_set_outlives_a_takeover() -> None:
    store = FakeStore()
    async with meeting_at_work(store) as world:
        world.session.post(events.ThreadTuned(by="ben", compression_rate=0.15))
        await world.settle()
    async with meeting_at_work(store) as world:
        tuned = settings().thread_tuning(world.session.manager.meeting.thread)
        assert tuned is not None
        world.session.fold_now(tuned)
        assert world.session.manager.meeting.thread.policy.compression_rate == 0.15
