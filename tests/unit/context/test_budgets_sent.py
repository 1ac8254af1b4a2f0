"""What was sent to models, folded from the record: the same as counted live, after any takeover."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context import events
from context.budget import ExactTokenizer
from context.budgets.configuration import BudgetConfig
from context.budgets.output import CompressionLevel
from context.budgets.sent import RULES, SentPrompts, producers_of, sent
from context.meeting import Meeting
from context.models import AnswerRun, PromptRecord, Summary
from context.ports import ChatMessage
from context.topic_events import SummaryFailed, SummaryReady, TopicJudged
from tests.unit.context.meetings import answered, asked

START = datetime(2026, 11, 25, 9, tzinfo=UTC)
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


@given(SENT, st.sets(st.integers(0, 12)), st.integers(1_000, 60_000))
def test_the_tracker_of_a_record_is_the_tracker_that_counted_live(
    told: list[tuple[str, tuple[PromptRecord, ...]]], takeovers: set[int], total: int
) -> None:
    config = BudgetConfig(total_budget=total)
    live = config.tracker()
    meeting = Meeting("m")
    meeting.receive(events.MeetingStarted(at=START))
    for number, (kind, prompts) in enumerate(told):
        for record in prompts:
            for producer, tokens in producers_of(record).items():
                assert tokens > 0
                live.track(producer, tokens)
        for event in recorded(kind, prompts, number):
            meeting.receive(event)
        if number in takeovers:
            snapshot = json.loads(json.dumps(meeting.snapshot()))
            meeting = Meeting.restore("m", None, snapshot, meeting.utterances)
        folded = meeting.prompts.tracker(config)
        assert folded.report() == live.report()
        assert folded.compression_mode == live.compression_mode
        assert folded.level_for_next() == live.level_for_next()
    sum_of_all = sum(record.tokens for _, prompts in told for record in prompts)
    assert live.used == sum_of_all == sum(spent.tokens for spent in meeting.prompts.by_purpose.values())


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


def test_above_the_share_of_the_meetings_budget_the_next_answer_is_held_to_level_2() -> None:
    prompts = SentPrompts()
    config = BudgetConfig(total_budget=1_000, compression_share=0.5)
    prompts.add([PromptRecord(purpose="answer", tokens=500)])
    assert prompts.tracker(config).level_for_next() is CompressionLevel.FULL
    prompts.add([PromptRecord(purpose="verification", tokens=1)])
    assert prompts.tracker(config).level_for_next() is CompressionLevel.BRIEF
    assert prompts.shown is not None
    assert prompts.shown.purpose == "answer"


def test_a_snapshot_from_before_prompts_were_kept_still_loads() -> None:
    meeting = Meeting("m")
    state = meeting.snapshot()
    del state["prompts"]
    assert Meeting.restore("m", None, state, []).prompts.shown is None
