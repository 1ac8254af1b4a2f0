"""A briefing stays within its bounds, shows whole lines, and finds what the question needs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.answering.evidence_lines import briefing
from context.budgets.tokens import EstimateTokenizer, ExactTokenizer
from context.retrieval.lexical import LexicalIndex
from tests.unit.context.samples import LINES, load, utter

EXACT = ExactTokenizer()


@given(
    st.lists(st.sampled_from(LINES), max_size=60), st.sampled_from(LINES), st.integers(0, 600), st.booleans()
)
@settings(max_examples=80, deadline=None)
def test_bounds_hold_and_lines_are_whole(said: list[str], query: str, budget: int, exact: bool) -> None:
    utterances = [utter(number, "a", text, name="김민지") for number, text in enumerate(said, 1)]
    made = briefing(query, utterances, [], budget, EXACT if exact else EstimateTokenizer())
    assert EXACT.count(made.text) <= made.tokens <= budget
    assert len(made.text.split()) * 1.3 <= 1.1 * budget
    assert list(made.utterances) == sorted(made.utterances)
    shown = [line for line in made.text.splitlines() if line]
    assert len(shown) == len(made.utterances)
    for line, number in zip(shown, made.utterances, strict=True):
        spoken = utterances[number - 1]
        prefix = line.removesuffix(spoken.text)
        assert prefix in (f"[{spoken.absolute_timestamp:%H:%M:%S}] 김민지: ", "  ")


@pytest.mark.parametrize(
    ("meeting", "query", "wanted"),
    [
        ("ko-release-planning", "출시일이 언제로 결정됐지?", 9),
        ("en-sprint-review", "what did we decide about the second server?", 7),
    ],
)
def test_the_evidence_and_the_newest_line_share_the_room(meeting: str, query: str, wanted: int) -> None:
    said = load(meeting)
    made = briefing(query, said, [], 260, EXACT, LexicalIndex(said))
    assert wanted in made.utterances
    assert said[-1].id in made.utterances


def test_a_meeting_that_fits_is_shown_whole() -> None:
    said = load("en-sprint-review")
    assert briefing("anything", said, [], 5000, EXACT).utterances == tuple(u.id for u in said)


def test_later_lines_in_the_index_are_not_shown() -> None:
    said = load("en-sprint-review")
    made = briefing("export to Excel", said[:10], [], 300, EXACT, LexicalIndex(said))
    assert made.utterances
    assert max(made.utterances) <= 10


@pytest.mark.parametrize(
    ("line", "query"),
    [("{}번 표는 지금 은행에 있습니다.", "1222번 표는 누가 갖고 있어?"), ("Ticket {} is with the bank now.", "Who has ticket 1222?")],
)  # fmt: skip
def test_of_lines_that_are_alike_but_for_a_number_the_one_that_is_asked_for_stands(
    line: str, query: str
) -> None:
    said = [utter(number, "a", line.format(1000 + number), name="Kim") for number in range(1, 400)]
    made = briefing(query, said, [], 600, EXACT)
    assert 222 in made.utterances
    assert made.wanted[0] == 222
