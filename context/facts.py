"""What a statement is about, and what of it is either so or otherwise: days, figures, a denial."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from context.evidence.polarity import is_negated
from context.language.closed_lists import closed_lists
from context.language.dates import due_in, lone_days, month_days, weekdays
from context.language.korean import has_hangul
from context.language.numbers import NATIVE_TO_TWELVE, spelled, stated
from context.language.questions import sentences
from context.retrieval.lexical import STOPWORDS, stem, words

_FIGURE: Final = frozenset(closed_lists("evidence")["figures"])
_SINO: Final = re.compile(r"[일이삼사오육칠팔구십백천만억]{3,}|원(?:[은이을에]|으로|$)")
_VERBS: Final = ("기로", "하는", "되는", "있는")
_PARTICLE: Final = re.compile(
    r"(?:^|(?<=..))(?:으로|에서|에는|까지|부터|이나|하고)$|(?<=..)(?:은|는|이|가|을|를|로|에|의|도|와|과|만)$"
)
_NORMAL: Final = re.compile(r"\W+")
_DAYS: Final = re.compile(r"((?:mon|tues|wednes|thurs|fri|satur|sun)day)s\b", re.IGNORECASE)
_HOUR: Final = re.compile(
    r"(?<![가-힣])(열한|열두|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s?시(?=[\s에로까쯤반이부요.,?!으]|$)"
)
"""일곱 시: hours by their native names."""
_REMEMBERED: Final = 512
"""So many texts: each statement is compared with many others."""


@lru_cache(maxsize=_REMEMBERED)
def normal(text: str) -> str:
    """Two sentences with the same normal form say the same."""
    return _NORMAL.sub("", text).lower()


@lru_cache(maxsize=_REMEMBERED)
def matter(text: str) -> frozenset[str]:
    """The stems of what a statement is about, days and figures apart. See `matter_in_order`."""
    return frozenset(matter_in_order(text))


@lru_cache(maxsize=_REMEMBERED)
def matter_in_order(text: str) -> tuple[str, ...]:
    """The same, as they are said. A Korean sentence ends with its verb, which says what is done with it."""
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
    """What of a statement is either so or otherwise."""

    dates: frozenset[tuple[int, int]]
    days: frozenset[int]
    """Days of a month without one."""
    weekdays: frozenset[int]
    numbers: frozenset[float]
    negated: bool

    def __bool__(self) -> bool:
        return bool(self.dates or self.days or self.weekdays or self.numbers)


@lru_cache(maxsize=_REMEMBERED)
def facts(text: str) -> Facts:
    """The days, figures and negation of a statement."""
    text = _DAYS.sub(r"\1", text)
    dates = month_days(text)
    of_dates = {float(part) for date in dates for part in date}
    hours = {float(NATIVE_TO_TWELVE[hour]) for hour in _HOUR.findall(text)}
    return Facts(
        dates=frozenset(dates),
        days=frozenset(lone_days(text)) - {day for _, day in dates},
        weekdays=frozenset(weekdays(text)),
        numbers=frozenset((stated(text) | spelled(text) | hours) - of_dates),
        negated=is_negated(text),
    )


def agree(one: Facts, other: Facts) -> bool:
    """Whether both name the same figure or day."""
    names = ("numbers", "weekdays", "dates", "days")
    return any(getattr(one, name) & getattr(other, name) for name in names)


def clash(said: Facts, decided: Facts) -> bool:
    """Whether both name a day or a figure of the same sort, and none in common."""
    days = {day for _, day in decided.dates} | decided.days
    said_days = {day for _, day in said.dates} | said.days
    pairs = (
        (said.dates, decided.dates) if said.dates and decided.dates else (said_days, days),
        (said.weekdays, decided.weekdays),
        (said.numbers - said_days, decided.numbers - days) if not (said_days and days) else (set(), set()),
    )
    return any(one and other and not one & other for one, other in pairs)
