"""The two evidences of a check, and how days and figures of two texts are held against each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from context.extractive.subjects import Facts
from context.models import Frozen, Statement, Utterance
from context.quoting.record import Record

Verdict = Literal[
    "changed",
    "contradicted",
    "confirmed",
    "followed",
    "overtaken",
    "related",
    "otherwise",
    "mentioned",
    "corrected",
    "unchanged",
]
"""`changed`: decided, then decided anew · `contradicted`: spoken against later · `confirmed`: it is so ·
`followed`: it was said, and another figure of its sort soon after, which may or may not take its place ·
`overtaken`: it was decided, and for some trouble another since, which may or may not take its place ·
`related`: something was decided on it that does not say it in so many words ·
`otherwise`: it is decided or said otherwise · `mentioned`: it was said, and decided otherwise ·
`corrected`: it was said, and put right soon after ·
`unchanged`: a decision stands and nothing speaks against it."""


class Side(Frozen):
    """One of the two evidences."""

    text: str
    utterance: Utterance
    decided: bool
    """A decision, and not only said."""
    superseded: bool = False


class Check(Frozen):
    """What came of it: `first` was said before `second`."""

    verdict: Verdict
    first: Side
    second: Side | None = None

    @property
    def sides(self) -> tuple[Side, ...]:
        """One or two, in order of time."""
        return (self.first,) if self.second is None else (self.first, self.second)

    @property
    def evidence(self) -> tuple[int, ...]:
        """The utterances quoted."""
        return tuple(dict.fromkeys(side.utterance.id for side in self.sides))


def side_of(decision: Statement, record: Record) -> Side | None:
    """A decision as an evidence; None where nobody's words for it are on the record."""
    quoted = record.said_by(decision)
    if not quoted:
        return None
    said = quoted[-1][1]
    return Side(text=decision.text, utterance=said, decided=True, superseded=bool(decision.superseded_by))


def _days(named: Facts) -> set[int]:
    return {day for _, day in named.dates} | named.days


def _figures(named: Facts) -> set[float]:
    return set(named.numbers) - {float(day) for day in _days(named)}


def _pairs(one: Facts, other: Facts) -> Iterator[tuple[set[int] | set[float], set[int] | set[float]]]:
    yield set(_days(one)), set(_days(other))
    yield set(one.weekdays), set(other.weekdays)
    if not (_days(one) and _days(other)):
        yield _figures(one), _figures(other)


def same_sort(one: Facts, other: Facts) -> bool:
    """Both name a day, a weekday or a figure."""
    return any(bool(first) and bool(second) for first, second in _pairs(one, other))


def agrees(claimed: Facts, said: Facts) -> bool:
    """Whatever day, weekday or figure the claim names is named there too."""
    months = {month for month, _ in claimed.dates}, {month for month, _ in said.dates}
    if months[0] and months[1] and not months[0] & months[1]:
        return False
    named = [(first, second) for first, second in _pairs(claimed, said) if first]
    return bool(named) and all(set(first) <= set(second) for first, second in named)
