# ruff: noqa: E501  # patterns read better unbroken
"""Follow-ups: questions that need the turn before them to mean anything ("그럼 누가 해요?", "and when?")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.call_types import call_type
from context.korean import has_hangul
from context.retrieval.questions import coverage, take_apart

_OPENS: Final = re.compile(
    r"^(?:그럼|그러면|그래서|그리고|그런데|근데|또)(?=[\s,])|^(?:and|so|then|but)\b", re.IGNORECASE
)
_POINTS_KO: Final = re.compile(
    r"(?:^|\s)(?:그거|그것|그건|그게|그때|그분|그 사람|거기|그 일|이거|이건|그 날|그날|그걸)(?:[은는이가을를도에]|\s|$)"
)
_POINTS_EN: Final = re.compile(r"\b(?:it|that|this|they|them|those|these|he|she|him|her)\b", re.IGNORECASE)
_POINTERS: Final = frozenset(
    [
        "그럼",
        "그러면",
        "그래서",
        "그리고",
        "그런데",
        "근데",
        "또",
        "그거",
        "그것",
        "그건",
        "그게",
        "그때",
        "그걸",
        "이거",
        "이건",
        "해요",
        "한",
    ]
)
_MOST_WORDS: Final = 8
_CARRIED: Final = 6

Turn = tuple[str, str]
"""A question, and its answer."""


def is_follow_up(question: str) -> bool:
    """Whether a short question points at something that it does not name."""
    if len(question.split()) > _MOST_WORDS:
        return False
    named = len(_topic(question))
    if _points(question):
        return True
    if _OPENS.search(question.strip()) and named <= 2:
        return True
    return not named and not take_apart(question).deciding and call_type(question) == "IMMEDIATE_RESPONSE"


def _points(question: str) -> bool:
    """Whether it says "that" of something that was said before."""
    if has_hangul(question):
        return _POINTS_KO.search(question.strip()) is not None
    return _POINTS_EN.search(question) is not None and len(_topic(question)) <= 1


def _topic(question: str) -> tuple[str, ...]:
    return tuple(word for word in take_apart(question).topic if word not in _POINTERS)


def read_in_context(question: str, history: Sequence[Turn]) -> str:
    """The question with what the last question was about, where it is a follow-up that leaves it out.

    "그럼 출시일은요?" and "and the release?" name their own subject: nothing of the last one's is added.
    """
    if not history or not is_follow_up(question):
        return question
    named = set(_topic(question))
    if named and not _points(question):
        return question
    carried = [word for word in take_apart(history[-1][0]).topic if word not in named][:_CARRIED]
    return f"{question} ({' '.join(carried)})" if carried else question


def answered_by_history(question: str, history: Sequence[Turn]) -> bool:
    """Whether the last answer holds everything that a follow-up names (seed 002 §3.4)."""
    if not history or not is_follow_up(question):
        return False
    asked = take_apart(question).model_copy(update={"topic": _topic(question)})
    return bool(asked.topic) and coverage(asked, history[-1][1]) >= 1.0
