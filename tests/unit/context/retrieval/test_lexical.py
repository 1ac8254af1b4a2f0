"""What the index knows of each term is what a look through all lines would find."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from context.models import Utterance
from context.retrieval.index_terms import COARSE_BASE, terms
from context.retrieval.lexical import LexicalIndex
from tests.unit.context.samples import utter

_LINES = (
    "출시일은 3월 20일로 결정하겠습니다.",
    "앱 출시 일정은 4312월 둘째 주가 좋겠습니다.",
    "We decided to buy server number 4312 for the search cluster.",
    "The server, the server and the server's cluster: 사십삼억.",
    "네",
    "",
)


def _said(lines: list[str]) -> list[Utterance]:
    return [utter(number, "minji", text) for number, text in enumerate(lines, 1)]


@given(st.lists(st.sampled_from(_LINES), max_size=12), st.integers(0, 12))
def test_postings_are_where_a_term_was_said(lines: list[str], heard: int) -> None:
    index = LexicalIndex(_said(lines))
    counted = [Counter(terms(text)) for text in lines]
    upto = min(heard, len(lines))
    for term in {term for text in _LINES for term in terms(text)}:
        found = index.posting(term, upto)
        places = [place for place, counts in enumerate(counted[:upto]) if term in counts]
        if not places:
            assert found is None
            continue
        assert found is not None
        assert found.documents.tolist() == places
        assert found.counts.tolist() == [min(15, counted[place][term]) for place in places]


@given(st.lists(st.sampled_from(_LINES), min_size=1, max_size=12))
def test_exact_terms_are_numbered_in_the_order_in_which_they_are_first_said(lines: list[str]) -> None:
    index = LexicalIndex(_said(lines))
    exact = [[term for term in Counter(terms(text)) if ord(term[0]) < COARSE_BASE] for text in lines]
    numbers: dict[str, int] = {}
    expected = [numbers.setdefault(term, len(numbers)) for own in exact for term in own]
    found, owners = index.terms_of(0, len(lines))
    assert found.tolist() == expected
    assert owners.tolist() == np.repeat(range(len(lines)), [len(own) for own in exact]).tolist()
    assert index.numbers_of(numbers, len(numbers)) == list(numbers.values())
