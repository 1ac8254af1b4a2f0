# ruff: noqa: E501  # patterns read better unbroken
"""Follow-ups: questions that need the turn before them to mean anything ("그럼 누가 해요?", "and when?")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.korean import has_hangul
from context.retrieval.questions import coverage, take_apart

_REFERS_KO: Final = re.compile(
    r"^(?:그럼|그러면|그래서|그리고|그런데|근데|또)(?=[\s,])|(?:^|\s)(?:그거|그것|그건|그게|그때|그분|그 사람|거기|그 일|이거|이건|그 날|그날|그걸)(?:[은는이가을를도에]|\s|$)"
)
_REFERS_EN: Final = re.compile(
    r"^(?:and|so|then|but)\b|\b(?:it|that|this|they|them|those|these|he|she|him|her|there|then)\b(?!\s+(?:is|was|are|were)\s+(?:a|an|any|the)\b)",
    re.IGNORECASE,
)
_MOST_WORDS: Final = 8
_CARRIED: Final = 6

Turn = tuple[str, str]
"""A question, and its answer."""


def is_follow_up(question: str) -> bool:
    """Whether a short question points at something that it does not name."""
    if len(question.split()) > _MOST_WORDS:
        return False
    asked = take_apart(question)
    if has_hangul(question):
        return _REFERS_KO.search(question.strip()) is not None or not asked.topic
    return _REFERS_EN.search(question.strip()) is not None or not asked.topic


def read_in_context(question: str, history: Sequence[Turn]) -> str:
    """The question with what the last question was about, where it is a follow-up."""
    if not history or not is_follow_up(question):
        return question
    named = set(take_apart(question).topic)
    carried = [word for word in take_apart(history[-1][0]).topic if word not in named][:_CARRIED]
    return f"{question} ({' '.join(carried)})" if carried else question


def answered_by_history(question: str, history: Sequence[Turn]) -> bool:
    """Whether the last answer holds everything that a follow-up names (seed 002 §3.4)."""
    if not history or not is_follow_up(question):
        return False
    asked = take_apart(question)
    return bool(asked.topic) and coverage(asked, history[-1][1]) >= 1.0
