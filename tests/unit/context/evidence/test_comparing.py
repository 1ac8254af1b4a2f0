"""What is in another language than it had to be stands only in the words that were spoken."""

from __future__ import annotations

from context.evidence.claim_words import comparable, written_in
from tests.unit.cases import cases


@cases
def test_a_language_is_told_by_its_letters(text: str, language: str, own: bool) -> None:
    assert written_in(text, language) is own


@cases
def test_what_can_be_compared(text: str, spoken: str, language: str, can_be: bool) -> None:
    assert comparable(text, spoken, language) is can_be
