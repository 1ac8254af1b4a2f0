"""What was sent to models, folded from the record: the same after any takeover; a budget is one prompt's."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.budgets.configuration import BudgetConfig
from context.budgets.output import CompressionLevel
from context.budgets.sent import RULES, SentPrompts, producers_of, sent
from context.budgets.tokens import ExactTokenizer
from context.events import events
from context.events.topic_events import SummaryFailed, SummaryReady, TopicJudged
from context.fold.meeting import Meeting
from context.models import AnswerRun, PromptRecord, Summary
from context.ports import ChatMessage
from tests.unit.context.meetings import answered, asked

START = datetime(2026, 11, 25, 9, tzinfo=UTC)
MINUTE_MS = 60_000
PRODUCERS = ("transcript", "topics", "thread", "memory", "profile", "passages", "documents", "회의록")
RECORDS = st.builds(
    PromptRecord,
    purpose=st.sampled_from(["answer", "plan", "quality", "verification", "summary", "thread_summary"]),
    tokens=st.integers(0, 9_000),
    producers=st.dictionaries(st.sampled_from(PRODUCERS), st.integers(0, 4_000), max_size=5),
    level=st.sampled_from([0, 2]),
)
SENT = st.lists(
    st.tuples(
        st.sampled_from(["answer", "summary", "failed", "thread", "thread_failed", "topic"]),
        st.lists(RECORDS, max_size=4).map(tuple),
    ),
    max_size=12,
)


def recorded(kind: str, prompts: tuple[PromptRecord, ...], number: int) -> list[events.Event]:
    """The events that carry such prompts."""
    ready = {"version": number, "prompts": prompts, "engine": "m"}
    failed = {"version": number, "prompts": prompts, "error": "x"}
    match kind:
        case "answer":
            return [asked(number), answered(number, run=AnswerRun(prompts=prompts))]
        case "summary":
            content = {"topic_id": "t9", "reason": "turn_limit", "covered_until": 1, "content": Summary()}
            return [SummaryReady(**content, **ready)]
        case "failed":
            return [SummaryFailed(topic_id="t9", **failed)]
        case "thread":
            content = {"turns": (1,), "text": "x", "original_chars": 1, "compression_rate": 0.3}
            return [events.ThreadSummaryReady(**content, **ready)]
        case "thread_failed":
            return [events.ThreadSummaryFailed(**failed)]
        case _:
            return [TopicJudged(at_utterance=1, changed=False, prompts=prompts)]


@given(SENT, st.sets(st.integers(0, 12)))
def test_what_was_sent_is_the_same_after_any_takeover(
    told: list[tuple[str, tuple[PromptRecord, ...]]], takeovers: set[int]
) -> None:
    meeting = Meeting("m")
    meeting.receive(events.MeetingStarted(at=START))
    for number, (kind, prompts) in enumerate(told):
        for event in recorded(kind, prompts, number):
            meeting.receive(event)
        if number in takeovers:
            snapshot = json.loads(json.dumps(meeting.snapshot()))
            meeting = Meeting.restore("m", None, snapshot, meeting.utterances)
    sum_of_all = sum(record.tokens for _, prompts in told for record in prompts)
    assert sum_of_all == sum(spent.tokens for spent in meeting.prompts.by_purpose.values())
    assert sum_of_all == meeting.prompts.of_last_hour()


@given(SENT)
def test_whatever_was_sent_before_the_next_prompt_has_its_whole_budget(
    told: list[tuple[str, tuple[PromptRecord, ...]]],
) -> None:
    prompts, config = SentPrompts(), BudgetConfig()
    for number, (_, records) in enumerate(told):
        prompts.add(records, at_ms=number * MINUTE_MS)
    prompts.add([PromptRecord(purpose="answer", tokens=900, producers={"topics": 40}, budget=800)], at_ms=0)
    tracker = prompts.tracker(config)
    assert (tracker.total_budget, tracker.used, tracker.get_remaining()) == (800, 40, 760)
    assert tracker.level_for_next() is CompressionLevel.FULL


def test_what_an_hour_cost_is_forgotten_with_the_hour() -> None:
    prompts = SentPrompts()
    for minute in range(0, 200, 10):
        prompts.add([PromptRecord(purpose="answer", tokens=1)], at_ms=minute * MINUTE_MS)
    assert prompts.of_last_hour(190 * MINUTE_MS) == prompts.of_last_hour() == 6
    assert prompts.of_last_hour(219 * MINUTE_MS) == 4
    assert prompts.of_last_hour(300 * MINUTE_MS) == 0
    for minute in range(1_000, 1_100):
        prompts.add([PromptRecord(purpose="answer", tokens=1)], at_ms=minute * MINUTE_MS)
    assert len(prompts.dump()["by_minute"]) == 60, "the state stays small"


def test_what_is_dated_ahead_of_the_clock_does_not_count_for_ever() -> None:
    prompts = SentPrompts()
    prompts.add([PromptRecord(purpose="answer", tokens=7)], at_ms=5 * MINUTE_MS)
    prompts.add([PromptRecord(purpose="summary", tokens=100)], at_ms=90_000 * MINUTE_MS)
    assert prompts.of_last_hour(6 * MINUTE_MS) == 7
    assert prompts.of_last_hour(66 * MINUTE_MS) == 0


def test_an_answer_that_nobody_waits_for_is_not_counted() -> None:
    meeting = Meeting("m")
    _, given_ = recorded("answer", (PromptRecord(purpose="answer", tokens=10),), 1)
    meeting.receive(given_)
    assert meeting.prompts.by_purpose == {}


@pytest.mark.parametrize("text", ["출시일은 5월 3일로 정했습니다.", "The release is on May 3."])
def test_a_record_is_made_of_the_messages_as_they_are(text: str) -> None:
    tokens = ExactTokenizer()
    messages = (ChatMessage(role="system", content="Answer."), ChatMessage(role="user", content=text))
    record = sent("answer", messages, tokens, {"transcript": text, "topics": 0}, level=CompressionLevel.BRIEF)
    assert record.tokens == tokens.count("Answer.") + tokens.count(text)
    assert producers_of(record) == {"transcript": tokens.count(text), RULES: tokens.count("Answer.")}
    assert record.level == 2


def test_the_last_answers_prompt_is_shown() -> None:
    prompts = SentPrompts()
    prompts.add([PromptRecord(purpose="answer", tokens=500)], at_ms=0)
    prompts.add([PromptRecord(purpose="verification", tokens=1)], at_ms=0)
    assert prompts.shown is not None
    assert prompts.shown.purpose == "answer"
