"""The places of figures and days in a text, and what each says.

What is a figure, and what a day, `context.evidence.figures` and `context.language.dates` know: they name them
without their places. A word belongs to one if the text names less without it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from context.evidence.figures import figures
from context.language.dates import lone_days, month_days, months, weekdays

_WORD: Final = re.compile(r"\S+")
_MARKS: Final = ".,;:!?…)]}\"'”’"
_REACH_WORDS: Final = 3
"""Words before and behind one that may belong to the same figure: three hundred and twelve thousand."""

Named = tuple[Literal["figure", "day", "month", "weekday"], float]
"""One thing that a text names: its kind, and its value (Monday = 0)."""


@dataclass(frozen=True, slots=True)
class FigurePlace:
    """A figure or day of a text, `text[start:end]`, and what it names."""

    start: int
    end: int
    named: frozenset[Named]

    @property
    def says(self) -> frozenset[Named]:
        """What it names, as what it is: 22일 is a day, and its 22 no other figure beside that."""
        return frozenset(each for each in self.named if each[0] != "figure") or self.named


def named(text: str) -> frozenset[Named]:
    """The figures and days that a text certainly names."""
    days = lone_days(text) | {day for _, day in month_days(text)}
    return frozenset(
        (
            *(("figure", value) for value in figures(text)),
            *(("day", float(day)) for day in days),
            *(("month", float(month)) for month in months(text)),
            *(("weekday", float(day)) for day in weekdays(text)),
        )
    )


@lru_cache(maxsize=512)
def figure_places(text: str) -> tuple[FigurePlace, ...]:
    """Find the words of a text that bear its figures and days, in its order."""
    if not named(text):
        return ()
    words = [match.span() for match in _WORD.finditer(text)]
    places: list[FigurePlace] = []
    glued = False  # whether the word before bears one as well
    for index, (start, end) in enumerate(words):
        window = slice(
            words[max(0, index - _REACH_WORDS)][0], words[min(len(words) - 1, index + _REACH_WORDS)][1]
        )
        without = f"{text[window.start : start]}·{text[end : window.stop]}"
        alone = named(text[start:end])
        if not alone and named(text[window]) == named(without):
            glued = False
            continue
        if glued and (together := named(text[places[-1].start : end])) != places[-1].named | alone:
            places[-1] = FigurePlace(places[-1].start, end, together)
        else:
            places.append(FigurePlace(start, end, alone))
        glued = True
    return tuple(_bare(text, place) for place in places if place.named)


def _bare(text: str, place: FigurePlace) -> FigurePlace:
    """A place without the marks before and behind its words."""
    end = place.end - len(text[place.start : place.end]) + len(text[place.start : place.end].rstrip(_MARKS))
    return replace(place, end=end)
