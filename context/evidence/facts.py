"""The terms in which statements are compared: stems of their matter, and facts: days, figures, a denial."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from context.evidence.polarity import is_negated
from context.language.closed_lists import closed_lists
from context.language.dates import due_in, lone_days, month_days, weekdays
from context.language.hours import clock_minutes
from context.language.korean import has_hangul
from context.language.numbers import spelled, stated
from context.language.questions import sentences
from context.retrieval.index_terms import STOPWORDS, stem, words

_FIGURE: Final = frozenset(closed_lists("evidence")["figures"])
_SINO: Final = re.compile(r"[일이삼사오육칠팔구십백천만억]{3,}|원(?:[은이을에]|으로|$)")
_VERBS: Final = ("기로", "하는", "되는", "있는")
_PARTICLE: Final = re.compile(
    r"(?:^|(?<=..))(?:으로|에서|에는|까지|부터|이나|하고)$|(?<=..)(?:은|는|이|가|을|를|로|에|의|도|와|과|만)$"
)
_NOT_LETTERS: Final = re.compile(r"\W+")
_DAYS: Final = re.compile(r"((?:mon|tues|wednes|thurs|fri|satur|sun)day)s\b", re.IGNORECASE)
_CACHE_SIZE: Final = 512
"""Texts whose results are cached: each statement is compared with many others."""


@lru_cache(maxsize=_CACHE_SIZE)
def normal(text: str) -> str:
    """A text without blanks and marks, in lower case: sentences with the same normal form say the same."""
    return _NOT_LETTERS.sub("", text).lower()


@lru_cache(maxsize=_CACHE_SIZE)
def matter(text: str) -> frozenset[str]:
    """The stems of what a statement is about, without days and figures. See `matter_in_order`."""
    return frozenset(matter_in_order(text))


@lru_cache(maxsize=_CACHE_SIZE)
def matter_in_order(text: str) -> tuple[str, ...]:
    """The stems of what a statement is about, in the order of the text; repeated ones are repeated.

    Days, figures and stop words are left out, and so is the verb that ends a Korean sentence.
    """
    for moment in (due_in(text) or "").split(", "):
        text = text.replace(moment, " ") if moment else text
    found: list[str] = []
    for sentence in sentences(text):
        said, korean = words(sentence), has_hangul(sentence)
        for word in said[:-1] if korean and len(said) > 1 else said:
            # Without its particle: 콜타임부터 and 콜타임을 speak of one thing.
            bare = _PARTICLE.sub("", word) if has_hangul(word) else word
            if bare and _is_matter(bare):
                found.append(stem(bare))
    return tuple(found)


def _is_matter(word: str) -> bool:
    if word in STOPWORDS | _FIGURE or word[0].isdigit() or stated(word) or spelled(word):
        return False
    return not (_SINO.match(word) or word.endswith(_VERBS)) and (len(word) > 1 or not has_hangul(word))


@dataclass(frozen=True, slots=True)
class Facts:
    """The days and figures that a statement names, and whether it denies; true where it names any."""

    dates: frozenset[tuple[int, int]]
    """(month, day)."""
    days: frozenset[int]
    """Days of a month that is not named."""
    weekdays: frozenset[int]
    """0 for Monday to 6 for Sunday."""
    numbers: frozenset[float]
    """All other figures, those of hours included."""
    hours: frozenset[int]
    """Hours of the day, in minutes by a dial of twelve."""
    negated: bool

    def __bool__(self) -> bool:
        return bool(self.dates or self.days or self.weekdays or self.numbers or self.hours)


@lru_cache(maxsize=_CACHE_SIZE)
def facts(text: str) -> Facts:
    """The days, figures and negation of a statement."""
    text = _DAYS.sub(r"\1", text)
    dates = month_days(text)
    of_dates = {float(part) for date in dates for part in date}
    hours = clock_minutes(text)
    on_dial = {float(minutes // 60 or 12) for minutes in hours}
    return Facts(
        dates=frozenset(dates),
        days=frozenset(lone_days(text)) - {day for _, day in dates},
        weekdays=frozenset(weekdays(text)),
        numbers=frozenset((stated(text) | spelled(text) | on_dial) - of_dates),
        hours=hours,
        negated=is_negated(text),
    )


def agree(one: Facts, other: Facts) -> bool:
    """Whether both name a figure or day in common."""
    names = ("numbers", "weekdays", "dates", "days")
    return any(getattr(one, name) & getattr(other, name) for name in names)


def names_another(said: Facts, decided: Facts) -> bool:
    """Whether one names a value that the other has not, of a sort that it has: eight or nine, eight."""
    names = ("numbers", "weekdays", "dates", "days", "hours")
    pairs = ((getattr(said, name), getattr(decided, name)) for name in names)
    return any(there and one - there for one, there in pairs)


def clash(said: Facts, decided: Facts) -> bool:
    """Whether both name days, weekdays or figures, and of one of these sorts none in common."""
    days = {day for _, day in decided.dates} | decided.days
    said_days = {day for _, day in said.dates} | said.days
    pairs: list[tuple[AbstractSet[object], AbstractSet[object]]] = [
        (said.weekdays, decided.weekdays),
        (said.hours, decided.hours),
    ]
    if said.dates and decided.dates:
        pairs.append((said.dates, decided.dates))
    else:
        pairs.append((said_days, days))
    if not (said_days and days):  # else their figures may count something else
        pairs.append((said.numbers - said_days, decided.numbers - days))
    return any(one and other and not one & other for one, other in pairs)
