"""What an answer's prompt shows by call type, in which order and room, and what its record says of it."""

from __future__ import annotations

import json
import re
from datetime import timedelta, timezone
from functools import partial
from typing import Any

import pytest
import structlog
from hypothesis import given, settings
from hypothesis import strategies as st

from context.answering.planning import Plan
from context.answering.question_meaning import read
from context.budgets.configuration import BudgetConfig
from context.budgets.output import CompressionLevel
from context.budgets.sent import producers_of
from context.budgets.tokens import EstimateTokenizer, custom_budget
from context.config import ContextConfig
from context.manager import ContextManager
from context.models import PromptRecord, Statement, Summary, TopicSegment
from context.prompts.quoting import summary_line, utterance_line
from tests.fakes.llm import ScriptedModel
from tests.fakes.outlet import FakeOutlet
from tests.languages import BOTH
from tests.unit.worker.agent.meetings import EN, KO, LINES, START, Room, asked, meeting_of, said, say
from worker.agent.calls.calling import CalledModel
from worker.agent.graph.answering import Answerer
from worker.agent.prompt.producers import TextBlock, ThreadBlock, UtteranceLines
from worker.agent.question.question_context import QuestionContext, QuestionContextSettings

TOKENS = EstimateTokenizer()
QUESTION = {
    "IMMEDIATE_RESPONSE": {"ko": "출시일이 언제예요?", "en": "What does the server cost?"},
    "SUMMARY": {"ko": "회의 요약해 줘", "en": "Summarise the meeting"},
    "ACTION_EXTRACTION": {"ko": "할 일 알려 줘", "en": "What are the action items?"},
    "SEARCH": {"ko": "지난 회의에서 찾아 줘", "en": "Search for the budget"},
}
SAID = {"ko": "사람들이 이 일을 두고 이야기했다.", "en": "People talked about this matter."}
DECIDED = {"ko": "{}번 서버를 바꾸기로 했다.", "en": "Server {} is to be replaced."}


@BOTH
def test_a_short_thread_is_shown_whole_within_its_own_size(language: str) -> None:
    """What is shorter than the least that a thread is worth cutting to still fits as it is."""
    text = SAID[language]
    block = ThreadBlock(lambda room: text if room >= 100 else "", 500, TOKENS)
    told = block.told(block.wanted(CompressionLevel.FULL, frozenset()), CompressionLevel.FULL, frozenset())
    assert text in told.text
    assert block.text == text


def meeting(language: str, *, topics: int = 2, config: ContextConfig | None = None) -> ContextManager:
    """Sixty utterances; all topics but the last have a summary and a decision."""
    said = [
        (who, name, f"{number}: {text}") for number, (who, name, text) in enumerate(LINES[language] * 12, 1)
    ]
    manager = meeting_of(said, opened={"title": "weekly"}, config=config)
    last = manager.meeting.segments[-1].model_copy(update={"start_utterance_id": 40})
    named = [_topic(language, number) for number in range(1, topics)]
    manager.meeting.topics.segments[:] = [*named, last]
    return manager


def _topic(language: str, number: int) -> TopicSegment:
    notes = Summary(
        sentences=tuple(Statement(text=SAID[language], evidence=(n,)) for n in range(1, 6)),
        decisions=(Statement(text=DECIDED[language].format(number), evidence=(7,)),),
    )
    return TopicSegment(
        id=f"t{number}",
        name=f"{language} {number}",
        start_utterance_id=1,
        end_utterance_id=39,
        notes=notes,
        version=1,
    )


async def context_for(manager: ContextManager, text: str, **options: Any) -> QuestionContext:
    question_context = QuestionContextSettings(TOKENS, **options).question_context(
        read(asked(text), manager.meeting), manager
    )
    await question_context.prepare()
    return question_context


def block(text: str, tag: str) -> str:
    found = re.search(rf"<{tag}>\n(.*?)\n</{tag}>", text, re.DOTALL)
    return found.group(1) if found else ""


@BOTH
@pytest.mark.parametrize(("call", "turns"), [("IMMEDIATE_RESPONSE", 10), ("SUMMARY", 5), ("SEARCH", 5)])
async def test_the_table_rules_the_live_window(language: str, call: str, turns: int) -> None:
    question_context = await context_for(meeting(language), QUESTION[call][language])
    assert question_context.call_type == call
    text = question_context.prompt().messages[1].content
    lines = block(text, "utterances").split("\n")
    assert [line.partition("]")[0] for line in lines] == [f"[#{n}" for n in range(61 - turns, 61)]
    assert "(facilitator)" in block(text, "speakers") or "(participant)" in block(text, "speakers")
    shown = {int(id_) for id_ in re.findall(r"^\[#(\d+)\]", block(text, "found"), re.MULTILINE)}
    assert shown, "what fits beside is evidence"
    assert not shown & set(range(61 - turns, 61)), "nothing stands twice"


@BOTH
async def test_actions_are_taken_from_the_open_topics_utterances_and_all_topics(language: str) -> None:
    manager = meeting(language)
    question_context = await context_for(manager, QUESTION["ACTION_EXTRACTION"][language])
    assert question_context.call_type == "ACTION_EXTRACTION"
    text = question_context.prompt().messages[1].content
    own = [utterance.id for utterance in manager.get_topic_utterances()]
    assert len(own) > 10
    assert [int(n) for n in re.findall(r"^\[#(\d+)\]", block(text, "utterances"), re.MULTILINE)] == own
    assert f"{language} 1:\n- {SAID[language]}" in block(text, "topics")


@BOTH
async def test_decisions_stand_for_every_call_and_summaries_where_the_table_or_the_room_has_them(
    language: str,
) -> None:
    manager = meeting(language, topics=30)
    texts = {
        call: (await context_for(manager, question[language])).prompt().messages[1].content
        for call, question in QUESTION.items()
    }
    for text in texts.values():
        topics = block(text, "topics")
        assert all(DECIDED[language].format(n) in topics for n in range(1, 30))
    assert SAID[language] not in block(texts["IMMEDIATE_RESPONSE"], "topics")
    assert SAID[language] in block(texts["ACTION_EXTRACTION"], "topics")


@BOTH
async def test_what_changes_last_stands_last_and_what_stands_is_the_same_for_two_questions(
    language: str,
) -> None:
    manager = meeting(language, topics=30)
    first = (await context_for(manager, QUESTION["IMMEDIATE_RESPONSE"][language])).prompt()
    other = {"ko": "결제 테스트는 누가 맡았어요?", "en": "Who orders the machine?"}[language]
    second = (await context_for(manager, other)).prompt()
    assert first.messages[0] == second.messages[0]
    texts = [prompt.messages[1].content for prompt in (first, second)]
    tags = re.findall(r"^<(\w+)>$", texts[0], re.MULTILINE)
    assert tags == ["topics", "speakers", "utterances", "found", "meeting", "question"]
    stable = texts[0].index("<found>")
    assert stable > len(texts[0]) // 3
    assert texts[0][:stable] == texts[1][:stable]


@BOTH
@pytest.mark.parametrize("shown", [True, False])
async def test_times_of_day_stand_in_prompts_as_the_setting_says(language: str, shown: bool) -> None:
    manager = meeting(language, config=ContextConfig(l0_include_timestamps=shown))
    question_context = await context_for(manager, QUESTION["IMMEDIATE_RESPONSE"][language])
    text = question_context.prompt().messages[1].content
    for tag in ("utterances", "found"):
        assert bool(re.search(r"\d\d:\d\d:\d\d", block(text, tag))) == shown
    assert bool(re.search(r"\[\d\d:\d\d:\d\d\]", question_context.planning_input(2_000))) == shown


@BOTH
async def test_the_record_says_what_each_producer_brought(language: str) -> None:
    question_context = await context_for(meeting(language), QUESTION["IMMEDIATE_RESPONSE"][language])
    prompt = question_context.prompt()
    assert prompt.record.tokens == sum(TOKENS.count(message.content) for message in prompt.messages)
    brought = producers_of(prompt.record)
    assert sum(brought.values()) == prompt.record.tokens
    text = prompt.messages[1].content
    whole = f"<utterances>\n{block(text, 'utterances')}\n</utterances>"
    assert prompt.record.producers["transcript"] == TOKENS.count(whole)
    assert set(brought) == {"topics", "speakers", "transcript", "evidence", "rules"}


@BOTH
async def test_the_thirtieth_question_sees_as_much_as_the_first(language: str) -> None:
    manager = meeting(language, topics=12)
    question = QUESTION["SUMMARY"][language]
    first = (await context_for(manager, question)).prompt()
    manager.meeting.prompts.add([PromptRecord(purpose="answer", tokens=10_000)] * 29, at_ms=60_000)
    thirtieth = (await context_for(manager, question)).prompt()
    assert thirtieth.messages == first.messages
    assert SAID[language] in thirtieth.messages[1].content


@BOTH
async def test_where_topics_exceed_the_prompt_a_plan_names_those_that_it_shows_in_full(language: str) -> None:
    manager = meeting(language, topics=40)
    wanted = f"{language} 3"
    plan = json.dumps(Plan(required_topics=[wanted, "nothing of ours"]).model_dump())
    answer = {"ko": "서버를 바꾸기로 했습니다. [#7]\n", "en": "The server is to be replaced. [#7]\n"}[
        language
    ]
    model = ScriptedModel([plan], [answer])
    called = CalledModel(model)
    question = asked(QUESTION["IMMEDIATE_RESPONSE"][language])
    answerer = Answerer(called, QuestionContextSettings(TOKENS), judge=called)
    with structlog.testing.capture_logs() as logs:
        reply = await answerer.answer(question, manager, Room().open_reply, now_ms=lambda: 99_999)
    planned, prompt = (call[-1].content for call in model.calls[:2])
    assert f"- {wanted} (utterances 1~39)" in planned, "the planner reads the topics by name"
    required = (
        QuestionContextSettings(TOKENS)
        .question_context(read(question, manager.meeting), manager)
        .required_topics([wanted])[0]
    )
    told = required.split("\n")[1:]
    assert len(told) > 5
    assert "\n".join(told) in block(prompt, "required_topics")
    assert f"{language} 4" not in block(prompt, "required_topics")
    assert {"event": "topics_missing_named", "missing": ["nothing of ours"], "log_level": "debug"} in logs
    assert [each.purpose for each in reply.run.prompts][:2] == ["plan", "answer"]
    assert reply.run.prompts[1].producers["required_topics"] > 50


@BOTH
@pytest.mark.parametrize("window", [2_048, 4_096, 8_192, 128_000])
async def test_question_rules_newest_turn_and_decisions_stand_in_any_window(
    language: str, window: int
) -> None:
    manager = meeting(language, topics=3)
    question = QUESTION["IMMEDIATE_RESPONSE"][language]
    budget = custom_budget("m", window)
    prompt = (await context_for(manager, question, budget=budget)).prompt()
    assert question in prompt.messages[1].content
    assert 60 in {said.id for said in prompt.shown}
    assert all(DECIDED[language].format(n) in prompt.messages[1].content for n in (1, 2))
    assert prompt.tokens <= budget.system + budget.shown


@BOTH
async def test_a_users_budgets_rule_the_prompt(language: str) -> None:
    """A workflow in the place of a call type's, and a limit of what one producer may bring."""
    own = BudgetConfig.from_mapping(
        {
            "workflows": {
                "review": {
                    "agents": ["evidence", "transcript", "topics"],
                    "critical_agents": {"transcript": "what people talk about", "topics": "what was decided"},
                    "compressible_agents": ["evidence"],
                    "total_budget": 4_000,
                }
            },
            "call_types": {"IMMEDIATE_RESPONSE": "review"},
            "limits": {"full": {"max_output": 120}},
        }
    )
    question = QUESTION["IMMEDIATE_RESPONSE"][language]
    usual = (await context_for(meeting(language), question)).prompt().record
    record = (await context_for(meeting(language), question, budgets=own)).prompt().record
    for name in ("transcript", "evidence"):
        assert record.producers.get(name, 0) <= 120 < usual.producers[name]
    assert record.producers["topics"] > 0


FULL = CompressionLevel.FULL
TEXTS = st.text(alphabet="가나다 abc[#]<>\n0123.", max_size=300)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(TEXTS, min_size=1, max_size=12),
    st.randoms(use_true_random=False),
    st.integers(0, 900),
    st.booleans(),
)
def test_lines_keep_their_room_in_any_order(texts: list[str], dice: object, room: int, stands: bool) -> None:
    lines = list(said([("a", "김민지", text) for text in texts]))
    dice.shuffle(lines)  # type: ignore[attr-defined]  # a list, by this case
    block = UtteranceLines(
        "evidence", "found", lines, utterance_line, TOKENS, stands=stands, line_behind=summary_line
    )
    told = block.told(room, FULL, frozenset())
    assert told.tokens <= max(0, room)
    ids = [int(found) for found in re.findall(r"^\[#(\d+)\]", told.text, re.MULTILINE)]
    assert ids == sorted(ids)
    assert set(ids) == told.shows == told.said
    whole = block.told(block.wanted(FULL, frozenset()), FULL, frozenset())
    assert len(whole.shows) == len(texts)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="가나다 abc-(:)\n0123.", min_size=1, max_size=120).filter(str.strip))
def test_a_text_stands_whole_in_the_room_that_it_wants(text: str) -> None:
    """The asker's profile once asked for a token less than it told, and was left out of every prompt."""
    brought = TextBlock("profile", "asker", text, TOKENS)
    room = brought.wanted(FULL, frozenset())
    told = brought.told(room, FULL, frozenset())
    assert told.tokens <= room
    assert text in told.text


@pytest.mark.parametrize("lines", [KO, EN])
def test_a_line_that_follows_the_one_before_has_no_time_of_its_own(lines: list[tuple[str, str, str]]) -> None:
    utterances = said(lines)
    block = UtteranceLines(
        "evidence", "found", [utterances[place] for place in (3, 1, 0)], utterance_line, TOKENS,
        line_behind=partial(summary_line),
    )  # fmt: skip
    told = block.told(1_000, FULL, frozenset()).text.split("\n")[1:-1]
    assert [bool(re.match(r"\[#\d\] \(14:32:0\d\)", line)) for line in told] == [True, False, True]


@pytest.mark.parametrize(("lines", "topic"), [(KO, "## 현재 토픽: "), (EN, "## Current topic: ")])
def test_what_a_planner_reads_is_in_the_meetings_language_and_time_zone(
    lines: list[tuple[str, str, str]], topic: str
) -> None:
    zone = timezone(timedelta(hours=9))
    planning = (
        QuestionContextSettings(TOKENS, zone=zone)
        .question_context(asked("?"), meeting_of(lines))
        .planning_input(1000)
    )
    assert planning.startswith(topic)
    assert f"[{START.astimezone(zone):%H:%M}:01] {lines[0][1]}" in planning


@pytest.mark.parametrize(
    ("lines", "question", "now"),
    [(KO, "출시일이 언제예요?", "현재 시각: "), (EN, "When is the server ordered?", "Now: ")],
)
async def test_a_prompt_tells_the_moment_of_the_question_and_shows_the_newest_turn(
    lines: list[tuple[str, str, str]], question: str, now: str
) -> None:
    zone = timezone(timedelta(hours=9))
    manager = meeting_of([*lines * 200, ("z", "Zoe", "펭귄 penguins.")])
    late = asked(question).model_copy(update={"at_ms": 7_200_000})
    question_context = QuestionContextSettings(TOKENS, zone=zone).question_context(
        read(late, manager.meeting), manager
    )
    await question_context.prepare()
    prompt = question_context.prompt()
    assert f"{now}2026-03-03 01:32:00" in prompt.messages[1].content
    assert 5 * 200 + 1 in {said.id for said in prompt.shown}


async def test_what_is_said_between_two_questions_is_found() -> None:
    manager = meeting_of(EN)
    await context_for(manager, "?")
    say(manager, ("zoe", "Zoe", "The penguin exhibition opens on Sunday."))
    assert (await context_for(manager, "When does the penguin exhibition open?")).quotes().evidence == (6,)


async def test_an_empty_meeting_shows_nothing_and_declines() -> None:
    question_context = await context_for(ContextManager("m"), "언제예요?")
    assert question_context.prompt().shown == ()
    assert question_context.quotes().declined


@pytest.mark.parametrize(("lines", "question"), [(KO, "언제예요?"), (EN, "When is it?")])
async def test_without_a_model_no_prompt_is_counted_since_nobody_is_sent_one(
    lines: list[tuple[str, str, str]], question: str
) -> None:
    told: list[int] = []
    answerer = Answerer(None, QuestionContextSettings(TOKENS, on_prompt=told.append))
    await answerer.answer(asked(question), meeting_of(lines), FakeOutlet().open_reply, now_ms=lambda: 9_000)
    assert told == []
