"""Summaries without a model: quotes with evidence, decisions that are decisions, nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.budgets.tokens import EstimateTokenizer
from context.models import Summary, Utterance
from context.plain.facade import summarise
from tests.unit.cases import cases
from tests.unit.context.samples import load, load_lines, utter

MEETINGS = ("ko-release-planning", "en-sprint-review")
LINES = [line for name in MEETINGS for line in load_lines(name)]


def fold(utterances: list[Utterance], step: int) -> Summary:
    summary = Summary()
    for first in range(0, len(utterances), step):
        summary = summarise(summary, utterances[first : first + step])
    return summary


@pytest.mark.parametrize("step", [5, 9, 100])
def test_korean_decisions_and_tasks(step: int) -> None:
    summary = fold(load("ko-release-planning"), step)
    assert [(d.text, d.evidence) for d in summary.decisions] == [
        ("출시일은 십이월 이십이일로 결정하겠습니다.", (9,)),
        ("마케팅 예산은 일억 팔천만 원으로 확정합니다.", (18,)),
    ]
    assert [(p.owner, p.due, p.evidence[0]) for p in summary.pending] == [
        ("박준호", "금요일까지", 10),
        (None, "다음 달", 18),
        ("이서연", "다음 회의까지", 19),
        ("박준호", None, 23),  # the first interview; the second one is hers
        ("최하나", None, 24),
        ("김민지", "이번 주 수요일", 25),
        ("박준호", None, 32),
        ("이서연", "내일까지", 33),
    ]


@pytest.mark.parametrize("step", [5, 9, 100])
def test_english_decisions_and_tasks(step: int) -> None:
    summary = fold(load("en-sprint-review"), step)
    assert [d.evidence[-1] for d in summary.decisions] == [7, 14, 22]
    assert {(p.owner, p.due, p.evidence[-1]) for p in summary.pending} >= {
        ("Ben Carter", "Thursday", 8),
        ("Chloe Park", "by Monday", 15),
        (None, "next meeting", 17),
    }


@cases
def test_when_they_meet_next_is_neither_a_task_nor_left_open(text: str) -> None:
    assert not summarise(Summary(), [utter(1, "a", text)]).pending


@cases
def test_whether_they_meet_next_on_a_day_is_left_open(text: str) -> None:
    (point,) = summarise(Summary(), [utter(1, "a", text)]).pending
    assert (point.kind, point.text) == ("open", text)


@cases
def test_a_task_for_the_next_meeting_is_one(text: str, due: str | None) -> None:
    (task,) = summarise(Summary(), [utter(1, "a", text)]).pending
    assert (task.kind, task.due) == ("action", due)


@cases
def test_an_echo_decides_what_was_said_before_it(proposal: str, echo: str) -> None:
    summary = summarise(Summary(), [utter(1, "a", proposal), utter(2, "b", echo)])
    (decision,) = summary.decisions
    assert decision.evidence == (1, 2)
    assert decision.text.startswith(proposal)


@cases
def test_a_later_decision_takes_up_an_earlier_one_and_both_stand(first: str, second: str) -> None:
    summary = summarise(Summary(), [utter(1, "a", first)])
    summary = summarise(summary, [utter(2, "a", second)])
    old, new = summary.decisions
    assert (old.status, old.superseded_by, old.takes_up) == ("decided", None, ())
    assert (new.status, new.superseded_by, new.takes_up) == ("decided", None, (1,))


@cases
def test_decisions_on_other_subjects_stand_side_by_side(first: str, second: str) -> None:
    summary = summarise(Summary(), [utter(1, "a", first), utter(2, "a", second)])
    assert [d.status for d in summary.decisions] == ["decided", "decided"]


@cases
def test_words_to_the_agent_are_not_the_meetings_business(text: str, called: str, told: bool) -> None:
    """`told`: whether the same would be the meeting's business where the agent had another name."""
    for name, business in ((called, False), ("다른이름", told)):
        summary = summarise(Summary(), [utter(1, "a", text)], wake_words=(name,))
        assert bool(summary.decisions or summary.pending or summary.sentences) is business


@given(st.lists(st.sampled_from(LINES), max_size=25), st.integers(1, 8), st.integers(20, 200))
@settings(max_examples=60, deadline=None)
def test_every_statement_is_a_quote_nothing_is_lost_and_the_text_fits(
    lines: list[tuple[str, str]], step: int, max_tokens: int
) -> None:
    said = [utter(number, speaker, text) for number, (speaker, text) in enumerate(lines, 1)]
    words = {u.id: u.text for u in said}
    summary, kept = Summary(), set()
    for first in range(0, len(said), step):
        summary = summarise(summary, said[first : first + step], max_tokens=max_tokens)
        now = {s.text for s in (*summary.decisions, *summary.pending)}
        assert kept <= now, "a decision or a pending item was dropped"
        kept = now
        for group in (summary.sentences, summary.key_points, summary.decisions, summary.pending):
            assert len({s.text for s in group}) == len(group), "a sentence stands twice"
            for statement in group:
                source = " ".join(words[i] for i in statement.evidence)
                assert statement.evidence
                assert all(word.strip("…") in source for word in statement.text.split())
        assert EstimateTokenizer().count(summary.text) <= max_tokens
        again = summarise(summary, [], max_tokens=max_tokens)
        assert (again.decisions, again.pending) == (summary.decisions, summary.pending)


def test_what_nobody_should_have_to_read_is_cleaned() -> None:
    summary = summarise(
        Summary(), [utter(1, "a", "Um, {vocalsound} the \x00 server costs three hundred dollars a month.")]
    )
    assert summary.text == "the server costs three hundred dollars a month."
