"""A question as the cache compares it: its words, and the facts by which two alike ones may still differ."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from context.answering.follow_up import is_follow_up
from context.checking import is_negated
from context.evidence.figures import moments_named
from context.evidence.names import is_called
from context.language.closed_lists import closed_lists
from context.language.dates import lone_days, month_days, weekdays
from context.language.first_person import says_i
from context.language.korean import has_hangul
from context.language.numbers import spelled, stated
from context.reading.requests import LISTS, Wish, request_in
from context.retrieval.answer_kinds import AnswerKind, question_words
from context.retrieval.terms import stem

_LONGEST: Final = 600
"""Characters that are read; what is longer is only compared letter for letter."""
_MOST_WORDS: Final = 16
"""A longer question is a task of its own."""
_NOT_LETTERS: Final = re.compile(r"[^\w%€$£+#.,:/-]+|(?<!\d)[.,:/-]+|[.,:/-]+(?!\d)")
_LISTS: Final = closed_lists("moving")
_POINTS_EN: Final = _LISTS["points_en"]
_POINTS_KO: Final = _LISTS["points_ko"]
"""It means something that another turn named."""
_NOW_EN: Final = _LISTS["now_en"]
_NOW_KO: Final = _LISTS["now_ko"]
"""The state of things as of now: anything said since may change it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question says, as far as the cache can tell."""

    normal: str
    """The text in lower case without punctuation: equal ones were asked in the same words."""
    words: tuple[str, ...]
    """In order, English ones without their endings."""
    korean: bool
    figures: frozenset[float]
    moments: tuple[frozenset[Any], ...]
    """Days of the week and of a month, today and tomorrow, this week and next year."""
    negated: bool
    names: frozenset[str]
    """Of the participants that it names."""
    kind: AnswerKind | None
    """A day, an amount, a person, a place, a reason; None where it does not say."""
    wish: Wish
    leaning: bool
    """It can't be understood without the turn before it."""
    own: bool
    """Its answer may depend on who asks."""
    moving: bool
    """It asks for the state of things as of now."""

    @property
    def long(self) -> bool:
        """Whether it is more than a question, and nothing is like it but itself."""
        return len(self.words) > _MOST_WORDS

    @property
    def of_everything(self) -> bool:
        """Whether it asks for a list that all of the meeting goes into."""
        return self.wish in LISTS


def read(question: str, names: Iterable[str] = ()) -> Reading:
    """Take `question` apart, asked among participants called `names`."""
    return _read(question, tuple(names))


@lru_cache(maxsize=2048)
def _read(question: str, names: tuple[str, ...]) -> Reading:
    normal = normalised(question)
    question = question[:_LONGEST]
    wish = request_in(question).wish
    return Reading(
        normal=normal,
        words=tuple(stem(word) if word.isascii() and word.isalpha() else word for word in normal.split()),
        korean=has_hangul(question),
        figures=frozenset(stated(question) | spelled(question)),
        moments=_moments(question),
        negated=is_negated(question),
        names=frozenset(name for name in names if is_called(name, question)),
        kind=next((kind for _, kind in question_words(question)), None),
        wish=wish,
        leaning=_leans(question, normal, wish),
        own=says_i(question) or "저" in normal.split(),
        moving=_has_one(normal, _NOW_EN) or any(word in normal for word in _NOW_KO),
    )


def _leans(question: str, normal: str, wish: Wish) -> bool:
    """Of what has a number of its own ("item 4"), only a pointing word says that it leans."""
    if not normal or _has_one(normal, _POINTS_EN):
        return True
    if any(word.startswith(_POINTS_KO) for word in normal.split()):
        return True
    return is_follow_up(question, wish) and not stated(question)


def _has_one(normal: str, phrases: Iterable[str]) -> bool:
    return any(f" {phrase} " in f" {normal} " for phrase in phrases)


def _moments(question: str) -> tuple[frozenset[Any], ...]:
    """Days of the week, days with their month, days without one, and what is told from today."""
    dated = month_days(question)
    alone = lone_days(question) - {day for _, day in dated}
    return frozenset(weekdays(question)), frozenset(dated), frozenset(alone), moments_named(question)


def normalised(text: str) -> str:
    """Lower case, one blank, no punctuation but in numbers: the seed's exact key, a little wider."""
    return " ".join(_NOT_LETTERS.sub(" ", text.lower()).split())
