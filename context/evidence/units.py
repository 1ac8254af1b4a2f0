"""What a claim's figures count, held against what they were said to count: three weeks are no three months.

Only what is certain speaks against a claim: its figure was said with a unit of the list, and never with the
claim's. A figure that was said bare may count anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from context.evidence.figures import OWN_COUNTS, is_heard
from context.language.closed_lists import closed_lists
from context.language.numbers import CARDINALS, NATIVE_TENS, NATIVE_UNITS, heard, spelled, stated

_UNITS: Final = {word: unit for unit, words in closed_lists("units").items() for word in words}
_MEASURES: Final = frozenset(_UNITS.values()) - {"person", "piece", "time"}
_SIGNS: Final = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "₩": "won"}


def _one_of(words: Iterator[str] | list[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_DIGITS: Final = r"\d[\d,]*(?:\.\d+)?\s?(?:[백천만억조]+|(?:hundred|thousand|million|billion|[km])\b)?"
_ENGLISH: Final = (
    rf"(?:\b(?:{_one_of([*CARDINALS, 'hundred', 'thousand', 'million', 'billion'])})\b[\s-]?(?:and\s)?)+"
)
_SINO: Final = r"(?<![가-힣])(?:[일이삼사오육륙칠팔구십백천만억조]\s?){2,}"
_NATIVE_FIGURE: Final = rf"(?<![가-힣])(?:(?:{_one_of([*NATIVE_TENS])})?(?:{_one_of([*NATIVE_UNITS])})?)"
_NATIVELY: Final = re.compile(rf"({_one_of([*NATIVE_TENS])})?({_one_of([*NATIVE_UNITS])})?")
_COUNTED_FIGURE: Final = re.compile(
    rf"(?P<figure>{_DIGITS}|{_ENGLISH}|{_SINO}|{_NATIVE_FIGURE})[\s-]?(?P<unit>{_one_of([*_UNITS])})(?![a-z])"
    r"(?!기|문|소|차|형|부분|말|석|야|신|번|리)"
)
"""A figure with its unit right behind it. 원래, 주소, 분기, 대형, 개발, 번호 only begin as a unit does."""
_SIGNED: Final = re.compile(rf"([$€£¥₩])\s?({_DIGITS})")


def units_heard(text: str, spoken: str) -> bool:
    """Whether each figure of the claim `text` counts what it was said to count, where that was said.

    A measure up to ten (three hours, $4) has to have been said: it is no count of the claim's own.
    """
    said = _units_by_figure(spoken.lower())
    claimed = [(value, unit) for figure, unit in _pairs(text.lower()) for value in _certain(figure)]
    small = (value for value, unit in claimed if unit in _MEASURES and value in OWN_COUNTS)
    if not all(is_heard(value, spoken) for value in small):
        return False
    return all(unit in said.get(value, {unit}) for value, unit in claimed)


@lru_cache(maxsize=512)
def _units_by_figure(spoken: str) -> dict[float, set[str]]:
    """The units of each figure that was said with one each time."""
    found: dict[float, set[str]] = {}
    for figure, unit in _pairs(spoken):
        for value in {*heard(f"{figure} "), *_certain(figure)}:
            found.setdefault(value, set()).add(unit)
    bare = heard(_COUNTED_FIGURE.sub(" ", _SIGNED.sub(" ", spoken)))
    return {value: units for value, units in found.items() if value not in bare}


def _certain(figure: str) -> set[float]:
    """The value that a figure certainly has; a Korean one may be native (서른셋)."""
    if (native := _NATIVELY.fullmatch(figure)) is not None:
        tens, ones = native.groups()
        return {float(NATIVE_TENS.get(tens, 0) + NATIVE_UNITS.get(ones, 0))}
    return stated(figure) | spelled(f"{figure}명")


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Each figure that stands with a unit, and that unit."""
    for sign, digits in _SIGNED.findall(text):
        yield digits, _SIGNS[sign]
    for match in _COUNTED_FIGURE.finditer(text):
        if figure := match["figure"].strip():
            yield figure, _UNITS[match["unit"]]
