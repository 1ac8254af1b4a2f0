"""What is remembered of words changes nothing about what is read."""

from __future__ import annotations

import pytest

from context.topics.boundary import words
from context.topics.boundary.model import word_table
from context.topics.boundary.words import Reader, Turn


def _told(turn: Turn) -> tuple[object, ...]:
    return turn.keys, turn.weight, turn.words, turn.hangul, turn.question, turn.cues, turn.vector.tolist()


@pytest.mark.parametrize(
    "lines",
    [
        ["예산은 4312억 원으로 확정하겠습니다.", "마케팅 예산은 요청했습니다.", "예산은 4312억 원인가요?"],
        ["We need 4312 more servers.", "The search cluster is slow.", "Why 4312 servers?"],
    ],
)
def test_forgotten_words_are_read_as_before(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    patient = Reader(word_table())
    monkeypatch.setattr(words, "_CACHED", 2)
    forgetful = Reader(word_table())
    for line in lines * 2:
        assert _told(forgetful.read(line)) == _told(patient.read(line))
    assert len(forgetful._words) <= 2


def test_numbers_are_not_remembered() -> None:
    reader = Reader(word_table())
    for number in range(1000, 1200):
        reader.read(f"서버 {number} 대가 필요합니다, server {number}")
    assert len(reader._words) < 10
