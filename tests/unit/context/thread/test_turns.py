"""Turns, the cadence, the rate: the arithmetic of seed 001."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.events.message import Message, ToolCall, line_of, truncated
from context.thread.summaries import SummaryEntry, checked_rate, statistics, target_length
from context.thread.turn import (
    completed_turns,
    extract_current_turn,
    extract_last_n_turns,
    should_summarize,
    span_end,
)


def user(text: str) -> Message:
    return Message(role="user", content=text)


def said(text: str) -> Message:
    return Message(role="assistant", content=text)


def calls(name: str) -> Message:
    return Message(role="assistant", tool_calls=(ToolCall(name=name, arguments='{"q": 1}'),))


def result(text: str) -> Message:
    return Message(role="tool", content=text, name="search")


SEARCHED = [
    *(user("검색해서 분석해줘"), calls("search"), result("결과 " * 40)),
    *(calls("think"), result("분석"), said("주요 내용은 …")),
]
PLAIN = [user("what time is it?"), said("Three.")]


def test_a_summary_is_due_at_turns_4_7_10_and_so_on() -> None:
    assert [turn for turn in range(-2, 60) if should_summarize(turn)] == list(range(4, 60, 3))


def test_a_turn_ends_at_an_answer_without_tool_calls_none_and_empty_alike() -> None:
    assert all(m.ends_turn for m in (said("x"), Message(role="assistant", content="x", tool_calls=())))
    assert not any(m.ends_turn for m in (calls("search"), result("x"), user("x")))


def test_the_last_turns_come_whole_and_without_the_running_one() -> None:
    messages = [*SEARCHED, *PLAIN, user("그리고?"), calls("search")]
    assert extract_last_n_turns(messages, 1) == PLAIN
    assert extract_last_n_turns(messages, 2) == [*SEARCHED, *PLAIN]
    assert extract_last_n_turns(messages, 9) == [*SEARCHED, *PLAIN]
    assert extract_last_n_turns(messages, 0) == []
    assert extract_current_turn(messages) == [user("그리고?"), calls("search")]


@given(
    st.lists(st.sampled_from([SEARCHED, PLAIN]), max_size=8), st.sampled_from([[], [user("?")], SEARCHED[:3]])
)
def test_finished_turns_and_the_current_one_are_everything_in_order(
    turns: list[list[Message]], rest: list[Message]
) -> None:
    messages = [message for turn in turns for message in turn] + rest
    assert completed_turns(messages) == turns
    assert [*extract_last_n_turns(messages, len(turns)), *extract_current_turn(messages)] == messages


def test_spans_are_1_to_3_4_to_6_and_so_on() -> None:
    assert [span_end(first) for first in (1, 2, 3, 4, 6, 7)] == [3, 3, 3, 6, 6, 9]


@pytest.mark.parametrize(
    ("original", "rate", "target"),
    [(100, 0.3, 30), (500, 0.3, 150), (1500, 0.3, 450), (0, 0.5, 0), (99, 0.1, 9)],
)
def test_the_target_is_the_share_of_the_original(original: int, rate: float, target: int) -> None:
    assert target_length(original, rate) == target


def test_a_rate_goes_in_steps_from_a_tenth_to_a_half() -> None:
    assert [checked_rate(rate) for rate in (0.1, 0.12, 0.3, 0.33, 0.5)] == [0.1, 0.1, 0.3, 0.35, 0.5]
    for wrong in (0.09, 0.51, -1, 3):
        with pytest.raises(ValueError, match=r"0\.1 to 0\.5"):
            checked_rate(wrong)


def entry(first: int, original: int, written: int) -> SummaryEntry:
    return SummaryEntry(
        thread_id="s", turns=(first, first + 1, first + 2), turn_length=3, original_chars=original,
        summary_chars=written, compression_rate=0.3, summary="요약",
    )  # fmt: skip


def test_the_panel_adds_up_as_in_the_seed() -> None:
    totals = statistics([entry(1, 1500, 450), entry(4, 100, 30), entry(7, 800, 240)])
    assert (totals.summaries, totals.turns_covered) == (3, 9)
    assert (totals.original_chars, totals.summary_chars, totals.saved_percent) == (2400, 720, 70.0)
    assert statistics([]).saved_percent == 0.0


def test_an_entry_of_the_history_has_the_seeds_keys() -> None:
    assert entry(1, 1500, 450).as_history() == {
        "thread_id": "s", "turns": [1, 2, 3], "turn_length": 3, "original_chars": 1500, "summary_chars": 450,
        "compression_rate": 0.3, "summary": "요약",
    }  # fmt: skip


def test_a_long_message_is_cut_with_a_mark() -> None:
    assert truncated("가" * 2000, 2000) == "가" * 2000
    assert len(truncated("가" * 2001, 2000)) == 2000
    assert truncated("가" * 2001, 2000).endswith("…")
    assert line_of(user("hello")) == "USER: hello"
    assert line_of(Message(role="assistant", content="안녕")) == "ASSISTANT: 안녕"
    assert line_of(Message(role="user", content="언제?", name="김민지")) == "USER (김민지): 언제?"
    assert line_of(calls("search")) == 'ASSISTANT: [search({"q": 1})]'
