"""An answer reads as plain text, however its pieces are cut."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from context.primitives.text import MarkdownStripper
from tests.unit.cases import cases


def stripped(*pieces: str) -> str:
    stripper = MarkdownStripper()
    return "".join(map(stripper.feed, pieces)) + stripper.flush()


@cases
def test_the_signs_are_gone_and_the_words_are_not(marked: str, plain: str) -> None:
    assert stripped(marked) == plain


@given(st.text("ab*~`#> \n-가"), st.lists(st.integers(0, 40)))
def test_where_it_is_cut_changes_nothing(text: str, cuts: list[int]) -> None:
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    assert stripped(*(text[a:b] for a, b in pairwise(places))) == stripped(text)
