"""What is in another language than it had to be stands only in the words that were spoken."""

from __future__ import annotations

import pytest

from context.evidence.words import comparable, written_in
from tests.unit.cases import cases

KO, EN = "김민지: 출시일은 십이월 이십이일로 결정하겠습니다.", "Alice: We will add a second server this week."


@cases
def test_a_language_is_told_by_its_letters(text: str, language: str, own: bool) -> None:
    assert written_in(text, language) is own


@pytest.mark.parametrize(
    ("text", "spoken", "language", "can_be"),
    [
        ("Everybody agreed to fire Ben.", KO, "ko", False),
        ("모두 벤을 해고하기로 했습니다.", EN, "en", False),
        ("Everybody agreed to fire Ben.", KO, "en", True),  # asked in English: nothing else can be told
        ("We will add a second server.", EN, "ko", True),
        ("출시일은 십이월 이십이일로 결정하겠습니다", KO, "en", True),
        ("...", KO, "ko", True),
    ],
)
def test_what_can_be_compared(text: str, spoken: str, language: str, can_be: bool) -> None:
    assert comparable(text, spoken, language) is can_be
