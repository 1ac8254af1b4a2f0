"""The thread as a fold: cadence, coverage, retries, folding, private turns, restores."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.events.effects import Effect, SummariseThread
from context.events.events import (
    AnswerDropped,
    Event,
    MeetingStarted,
    ThreadSummaryFailed,
    ThreadSummaryReady,
    ThreadSummaryStarted,
    ThreadTuned,
)
from context.fold.meeting import Meeting
from context.models import ToolUse
from context.question import Question
from context.thread.thread import as_text
from context.thread.turn import SummaryRow
from tests.unit.context.meetings import START, answered, asked
from tests.unit.context.thread.threads import jobs, meeting, ready, turn, turns


@pytest.fixture
def one() -> Meeting:
    return meeting()


@pytest.mark.parametrize(("language", "question", "answer"), [
    ("ko", "파이썬 새 기능 검색해줘", "no-GIL과 JIT입니다."), ("en", "What is new?", "No GIL, and a JIT."),
])  # fmt: skip
def test_ten_turns_are_three_summaries_and_one_raw_turn(
    language: str, question: str, answer: str, one: Meeting
) -> None:
    history: list[int] = []
    for number in range(1, 11):
        one.receive(asked(number, question))
        thread = one.thread
        assert thread.turn_count == number, "counted when the question comes"
        history.append(len(thread.summary_history))
        uncovered = [t for t in thread.turns if t.number > thread.summaries.covered]
        assert len(uncovered) == number - 3 * len(thread.summary_history)
        for job in jobs(one.receive(answered(number, answer, question=question))):
            one.receive(ready(job))
    assert history == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3], "there when turns 4, 7 and 10 begin, one more each time"
    assert [entry["turns"] for entry in one.thread.summary_history] == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    first = one.thread.summary_history[0]
    assert first["thread_id"] == "m"
    assert first["turn_length"] == 3
    assert first["original_chars"] == 3 * (len(question) + len(answer))
    assert first["summary_chars"] == len(first["summary"])
    assert first["compression_rate"] == 0.3


def test_turn_50_has_sixteen_summaries_and_two_raw_turns(one: Meeting) -> None:
    turns(one, 1, 49)
    one.receive(asked(50))
    assert len(one.thread.summary_history) == 16
    assert [t.number for t in one.thread.turns if t.number > one.thread.summaries.covered] == [49, 50]


def test_the_panel_counts_turns_in_plain_words(one: Meeting) -> None:
    turns(one, 1, 1)
    assert "Summaries: 0, of 0 turns; 1 turn raw" in as_text(one.thread)
    turns(one, 2, 3)
    assert "Summaries: 1, of 3 turns; 0 turns raw" in as_text(one.thread)


def test_a_turn_keeps_its_tool_calls_and_their_text_counts(one: Meeting) -> None:
    one.receive(asked(1, "a"))
    used = ToolUse(name="search", arguments='{"q": "출시"}', result="결과" * 50)
    one.receive(answered(1, "b", question="a", tools=(used,)))
    turns(one, 2, 2)
    one.receive(asked(3, "c"))
    (job,) = jobs(one.receive(answered(3, "d", question="c")))
    assert [message.role for message in job.messages[:4]] == ["user", "assistant", "tool", "assistant"]
    assert job.messages[1].tool_calls
    assert job.messages[1].tool_calls[0].name == "search"
    assert job.original_chars == sum(len(message.content) for message in job.messages)
    assert job.target_chars == int(job.original_chars * 0.3)


def test_the_rate_changes_at_run_time_and_counts_from_the_next_summary(one: Meeting) -> None:
    (first,) = turns(one, 1, 3, summarise=False)
    assert one.receive(ThreadTuned(by="minji", compression_rate=0.5))
    assert first.compression_rate == 0.3
    one.receive(ready(first))
    assert one.thread.state["compression_rate"] == 0.5
    (second,) = turns(one, 4, 6)
    assert second.target_chars == int(second.original_chars * 0.5)
    assert [entry["compression_rate"] for entry in one.thread.summary_history] == [0.3, 0.5]


def test_an_event_that_tunes_nothing_new_changes_nothing(one: Meeting) -> None:
    assert one.receive(ThreadTuned(compression_rate=0.3, enabled=True)) == []
    with pytest.raises(ValueError, match=r"less than or equal to 0\.5"):
        ThreadTuned(compression_rate=0.6)


def rows(one: Meeting) -> list[tuple[int, str]]:
    return [(row.summary_version, row.status) for row in one.thread.summaries.rows]


def test_rows_go_from_in_progress_to_completed_or_failed_and_are_versioned(one: Meeting) -> None:
    (first,) = turns(one, 1, 3, summarise=False)
    (row,) = one.thread.summaries.rows
    assert (row.status, row.summary_text, row.summary_version) == ("IN_PROGRESS", None, 1)
    assert row.conversation_id == "m"
    assert (row.covered_until_message_id, row.covered_message_count) == ("r3", 6)
    assert row.covered_token_count == sum(t.tokens for t in one.thread.turns) > 0
    assert row.created_at is not None
    assert (row.created_at - START).total_seconds() == 3.5
    one.receive(ready(first, "첫 요약"))
    assert one.thread.summaries.rows[0].summary_text == "첫 요약"
    (second,) = turns(one, 4, 6, summarise=False)
    assert second.previous == "첫 요약", "the new one goes on from the old one"
    one.receive(ThreadSummaryFailed(version=2, error="timeout"))
    assert rows(one) == [(1, "COMPLETED"), (2, "FAILED")]
    assert one.thread.summaries.rows[1].summary_text is None
    assert one.thread.summaries.rows[1].error == "timeout"
    assert len(one.thread.summary_history) == 1, "FAILED never hides the last COMPLETED"
    (again,) = turn(one, 7)
    assert again.turns == (4, 5, 6), "tried again after the next answer"
    one.receive(ready(again))
    assert rows(one) == [(1, "COMPLETED"), (2, "FAILED"), (2, "COMPLETED")]
    assert len({row.id for row in one.thread.summaries.rows}) == 3
    assert one.thread.summaries.rows[-1].covered_message_count == 12


def test_a_row_has_a_text_only_when_it_is_completed() -> None:
    of = {"covered_until_message_id": "m", "covered_message_count": 2, "covered_token_count": 5}
    assert SummaryRow(id="1", conversation_id="c", **of).status == "IN_PROGRESS"
    for wrong in ({"summary_text": "x"}, {"status": "COMPLETED"}, {"status": "FAILED", "summary_text": "x"}):
        with pytest.raises(ValueError, match="if, and only if"):
            SummaryRow(id="1", conversation_id="c", **of, **wrong)


def test_one_job_at_a_time_and_missed_spans_are_made_up_for(one: Meeting) -> None:
    (first,) = turns(one, 1, 3, summarise=False)
    assert turns(one, 4, 8, summarise=False) == [], "one is IN_PROGRESS"
    assert not one.thread.should_summarize()
    (second,) = jobs(one.receive(ready(first)))
    assert second.turns == (4, 5, 6), "at once, for it is late already"
    assert jobs(one.receive(ready(second))) == []
    assert [t.number for t in one.thread.turns if t.number > one.thread.summaries.covered] == [7, 8]


def test_coverage_comes_from_the_recorded_turns(one: Meeting) -> None:
    (first,) = turns(one, 1, 3, summarise=False)
    one.receive(ready(first))
    one.receive(ready(first))  # delivered twice
    stray = ready(first).model_copy(update={"turns": (7, 8, 9), "version": 5})
    one.receive(stray)
    one.receive(ready(first, "").model_copy(update={"turns": (4, 5, 6)}))
    (second,) = turns(one, 4, 6, summarise=False)
    one.receive(ready(second, "  "))
    assert rows(one) == [(1, "COMPLETED"), (2, "FAILED")]
    assert [entry["turns"] for entry in one.thread.summary_history] == [[1, 2, 3]]
    assert one.thread.summaries.covered == 3


def test_many_unsummarised_tokens_do_not_wait_for_the_third_turn(one: Meeting) -> None:
    one.receive(ThreadTuned(threshold=200))
    assert turn(one, 1) == []
    assert one.thread.unsummarised_tokens > 0
    (early,) = turn(one, 2, answer="긴 답변입니다. " * 40)
    assert early.turns == (1, 2)
    one.receive(ready(early))
    (rest,) = turn(one, 3)
    assert rest.turns == (3,), "the cadence stays: at turn 4 everything before is summarised"
    one.receive(ready(rest))
    assert [entry["turn_length"] for entry in one.thread.summary_history] == [2, 1]
    assert [job.turns for job in turns(one, 4, 6)] == [(4, 5, 6)]


class LetterTokens:
    """A letter is a token."""

    def count(self, text: str) -> int:
        return len(text)


@pytest.mark.parametrize(("share", "trigger"), [(8_000, 8_000), (20_000, 8_000), (5_000, 5_000)])
@pytest.mark.parametrize("letter", ["가", "a"])
def test_more_than_8000_unsummarised_tokens_are_summarised_at_once(
    letter: str, share: int, trigger: int
) -> None:
    """Or more than the thread's share of the window, where that is less; exactly so many wait."""
    for tokens, due in ((trigger - 1, False), (trigger, False), (trigger + 1, True)):
        one = Meeting("m", tokenizer=LetterTokens())
        one.receive(MeetingStarted(at=START))
        one.receive(ThreadTuned(share_tokens=share))
        assert turn(one, 1, letter * 100, letter * 1_900) == []
        wanted = turn(one, 2, letter * 100, letter * (tokens - 2_100))
        assert one.thread.should_summarize() is False, "where it is due it is under way"
        assert [job.turns for job in wanted] == ([(1, 2)] if due else [])
        assert one.thread.unsummarised_tokens == tokens


def test_switched_off_nothing_is_summarised_and_turns_are_still_kept(one: Meeting) -> None:
    one.receive(ThreadTuned(enabled=False))
    assert turns(one, 1, 9) == []
    assert one.thread.turn_count == 9
    one.receive(ThreadTuned(enabled=True))
    assert [job.turns for job in turns(one, 10, 10)] == [(1, 2, 3), (4, 5, 6), (7, 8, 9)]


def test_old_summaries_are_folded_when_they_outgrow_their_share(one: Meeting) -> None:
    one.receive(ThreadTuned(share_tokens=400))
    wanted: list[SummariseThread] = []
    for number in range(1, 40):
        new = turn(one, number)
        while new:
            wanted += new
            text = f"요약 {new[0].turns[0]}: " + "내용 " * (6 if new[0].purpose == "fold" else 12)
            new = jobs(one.receive(ready(new[0], text)))
    entries = one.thread.summaries.entries
    assert any(job.purpose == "fold" for job in wanted)
    assert [number for entry in entries for number in entry.turns] == list(range(1, 40)), "nothing is lost"
    tokens = sum(one.tokenizer.count(entry.summary) + 8 for entry in entries)
    assert tokens <= one.thread.policy.summary_tokens
    folds = [job for job in wanted if job.purpose == "fold"]
    assert all(job.messages == () and job.previous for job in folds)
    assert all(f"[{job.turns[0]}-" in job.previous for job in folds)


@pytest.mark.parametrize("why", ["superseded", "cancelled", "failed"])
def test_an_answer_that_never_came_closes_its_turn_marked(why: Any, one: Meeting) -> None:
    one.receive(asked(1))
    one.receive(AnswerDropped(invocation_id="q1", why=why, at_ms=10))
    (only,) = one.thread.turns
    assert (only.status, only.closed) == (why, True)
    assert only.answer is not None
    assert only.answer.content.startswith("(no answer")
    assert only.messages[-1].ends_turn
    assert turns(one, 2, 3) != []


def test_an_open_turn_holds_its_span_back(one: Meeting) -> None:
    one.receive(asked(1, by="ben"))
    assert turns(one, 2, 4) == []
    (job,) = jobs(one.receive(answered(1)))
    assert job.turns == (1, 2, 3)


def test_private_turns_are_seen_by_their_asker_alone_and_by_no_summary(one: Meeting) -> None:
    turns(one, 1, 2)
    one.receive(asked(50, "비밀 질문", by="ben", private=True))
    one.receive(answered(50, "비밀 답변", by="ben", private=True, question="비밀 질문"))
    (job,) = turns(one, 3, 3, summarise=False)
    assert "비밀" not in json.dumps(job.model_dump(), ensure_ascii=False)
    assert "비밀" not in str(one.thread.state)
    seen = {
        (by, private): any("비밀" in t.question.content for t in one.thread.earlier(
            Question(id="new", by=by, via="chat", text="?", private=private, at_ms=9)))
        for by in ("minji", "ben") for private in (False, True)
    }  # fmt: skip
    assert [who for who, sees in seen.items() if sees] == [("ben", True)]


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize(
    ("question", "answer"),
    [("{}번 안건은 언제죠?", "{}번 답입니다."), ("When is item {}?", "That is answer {}.")],
)
def test_what_was_asked_and_said_stands_once_in_the_state(
    question: str, answer: str, private: bool, one: Meeting
) -> None:
    used = ToolUse(name="search", arguments=question.format("91"), result=answer.format("92"))
    for number, tools in ((11, ()), (12, (used,)), (13, ()), (14, ()), (15, ()), (16, ())):
        words = question.format(number)
        one.receive(asked(number, words, private=private))
        if number == 14:
            one.receive(AnswerDropped(invocation_id="q14", why="failed", at_ms=14_000))
        elif number < 16:
            told = {"question": words, "private": private, "tools": tools}
            one.receive(answered(number, answer.format(number), **told))
    assert (one.thread.in_progress() == []) is private, "a summary of public turns is under way"
    state = json.dumps(one.snapshot(), ensure_ascii=False)
    assert [state.count(question.format(number)) for number in (*range(11, 17), 91)] == [1] * 7
    assert [state.count(answer.format(number)) for number in (11, 12, 13, 15, 92)] == [1] * 5
    for held in (one, Meeting.restore("m", None, json.loads(state), one.utterances)):
        assert len(held.thread.kept) == 6
        assert all(turn.invocation is held.invocations.all[turn.id] for turn in held.thread.kept)


def test_a_question_sees_what_was_asked_before_it(one: Meeting) -> None:
    turns(one, 1, 2)
    one.receive(asked(3))
    one.receive(asked(4, by="ben"))
    earlier = one.thread.earlier(Question(id="q4", by="ben", via="chat", text="?", at_ms=9))
    assert [t.number for t in earlier] == [1, 2], "the one that is still open has no answer to show"


def test_covered_turns_leave_when_they_are_no_longer_recent(one: Meeting) -> None:
    turns(one, 1, 300)
    assert len(one.thread.turns) <= 6
    assert one.thread.turn_count == 300
    for number in range(400, 500):
        one.receive(asked(number, private=True))
    assert len(one.thread.asides) == 20


THREAD_EVENT: st.SearchStrategy[Callable[[int], Event]] = st.sampled_from(
    [
        lambda n: asked(n % 9), lambda n: asked(n % 9, private=True), lambda n: answered(n % 9, "답 " * n),
        lambda n: answered(n % 9), lambda n: AnswerDropped(invocation_id=f"q{n % 9}", why="superseded", at_ms=n),
        lambda n: ThreadTuned(threshold=n * 10 + 1), lambda n: ThreadTuned(share_tokens=n + 1),
        lambda n: ThreadTuned(enabled=bool(n % 2)), lambda n: ThreadSummaryFailed(version=n % 4, error="x"),
        lambda n: ThreadSummaryReady(version=n % 4, turns=tuple(range(1, n % 5)), text="t", original_chars=n,
                                     compression_rate=0.3, engine="e"),
        lambda n: ThreadSummaryStarted(version=n % 4, attempt=n % 3, covered_until_message_id="r1",
                                       covered_message_count=n, covered_token_count=n),
    ]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(THREAD_EVENT, st.integers(0, 40)), max_size=60), st.integers(0, 60), st.booleans())
def test_restored_anywhere_it_goes_on_as_if_nothing_had_happened(
    plan: list[tuple[Callable[[int], Event], int]], cut: int, answer_jobs: bool
) -> None:
    def play(one: Meeting, events: list[tuple[Callable[[int], Event], int]]) -> list[list[Effect]]:
        seen = []
        for make, number in events:
            effects = one.receive(make(number))
            seen.append(effects)
            if answer_jobs and number % 3 == 0:
                seen += [one.receive(ready(job)) for job in jobs(effects)]
        return seen

    whole = meeting()
    play(whole, plan[:cut])
    restored = Meeting.restore("m", None, json.loads(json.dumps(whole.snapshot())), whole.utterances)
    assert restored.outstanding() == whole.outstanding()
    assert play(restored, plan[cut:]) == play(whole, plan[cut:])
    assert restored.snapshot() == whole.snapshot()
    covered = [number for entry in whole.thread.summaries.entries for number in entry.turns]
    assert covered == list(range(1, len(covered) + 1)), "in order, none twice"
    raw = [t.number for t in whole.thread.turns]
    assert set(covered) | set(raw) == set(range(1, whole.thread.turn_count + 1)), "nothing is invisible"
