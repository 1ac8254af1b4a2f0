"""Whoever asks how many people come is not told what they pay: a value has the sort that is asked for."""

from __future__ import annotations

from context.retrieval.measures import tells, tells_another
from tests.unit.cases import cases


@cases
def test_a_text_tells_the_sort_of_value_that_is_asked_for(question: str, text: str, does: bool) -> None:
    assert tells(question, text) is does
    assert not (does and tells_another(question, text))


@cases
def test_a_value_of_another_sort_is_told(question: str, text: str) -> None:
    assert tells_another(question, text)


@cases
def test_no_value_of_another_sort_is_told(question: str, text: str) -> None:
    """A text without a value, or with a bare one, which may be of any sort."""
    assert not tells_another(question, text)
