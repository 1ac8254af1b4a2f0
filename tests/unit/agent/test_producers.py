"""What producers show keeps their room, by their own count, whatever they are given."""

from __future__ import annotations

import re
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.budget import EstimateTokenizer
from context.budgets.output import CompressionLevel
from tests.unit.agent.meetings import EN, KO, said
from worker.agent.producers import UtteranceLines
from worker.agent.quoting import summary_line, utterance_line

TOKENS = EstimateTokenizer()
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
    dice.shuffle(lines)  # type: ignore[attr-defined]
    block = UtteranceLines(
        "evidence", "found", lines, utterance_line, TOKENS, stands=stands, going_on=summary_line
    )
    told = block.told(room, FULL, frozenset())
    assert told.tokens <= max(0, room)
    ids = [int(found) for found in re.findall(r"^\[#(\d+)\]", told.text, re.MULTILINE)]
    assert ids == sorted(ids)
    assert set(ids) == told.shows == told.said
    whole = block.told(block.wanted(FULL, frozenset()), FULL, frozenset())
    assert len(whole.shows) == len(texts)


@pytest.mark.parametrize("lines", [KO, EN])
def test_a_line_that_follows_the_one_before_has_no_time_of_its_own(lines: list[tuple[str, str, str]]) -> None:
    utterances = said(lines)
    block = UtteranceLines(
        "evidence", "found", [utterances[place] for place in (3, 1, 0)], utterance_line, TOKENS,
        going_on=partial(summary_line),
    )  # fmt: skip
    told = block.told(1_000, FULL, frozenset()).text.split("\n")[1:-1]
    assert [bool(re.match(r"\[#\d\] \(14:32:0\d\)", line)) for line in told] == [True, False, True]
