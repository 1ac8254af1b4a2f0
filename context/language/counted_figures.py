"""Figures that stand with their unit, Korean or English: 여덟 명, three weeks, $700, 30%.

The units and their words are a closed list; a figure that was said bare, or of a thing that has no counter
("four stands"), has none here.
"""

from __future__ import annotations

import re
from typing import Final

from context.language.closed_lists import closed_lists, one_of
from context.language.numbers import CARDINALS, NATIVE_TENS, NATIVE_UNITS, spelled, stated

_UNITS: Final = {word: unit for unit, words in closed_lists("units").items() for word in words}
_SIGNS: Final = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "₩": "won"}


_DIGITS: Final = r"\d[\d,]*(?:\.\d+)?\s?(?:[백천만억조]+|(?:hundred|thousand|million|billion|[km])\b)?"
_NUMBER_WORDS_EN: Final = (
    rf"(?:\b{one_of([*CARDINALS, 'hundred', 'thousand', 'million', 'billion'])}\b[\s-]?(?:and\s)?)+"
)
_SINO_KOREAN_FIGURE: Final = r"(?<![가-힣])(?:[일이삼사오육륙칠팔구십백천만억조]\s?){2,}"
_NATIVE_FIGURE: Final = rf"(?<![가-힣])(?:{one_of(NATIVE_TENS)}?{one_of(NATIVE_UNITS)}?)"
_NATIVE_NUMBER: Final = re.compile(rf"({one_of(NATIVE_TENS)})?({one_of(NATIVE_UNITS)})?")
_COUNTED_FIGURE: Final = re.compile(
    rf"(?P<figure>{_DIGITS}|{_NUMBER_WORDS_EN}|{_SINO_KOREAN_FIGURE}|{_NATIVE_FIGURE})[\s-]?(?P<unit>{one_of(_UNITS)})(?![a-z])"
    r"(?!기|문|소|차|형|부분|말|석|야|신|번|리)"
)
"""A figure with its unit right behind it. 원래, 주소, 분기, 대형, 개발, 번호 only begin as a unit does."""
_SIGNED_FIGURE: Final = re.compile(rf"([$€£¥₩])\s?({_DIGITS})")
_COUNTED_NATIVELY: Final = {"minute": "person", "degree": ""}
"""What a unit is behind a native number: 여덟 분 are people, and 하나도 has no unit."""


def counted_figures(text: str) -> list[tuple[str, str]]:
    """Each figure of `text`, in small letters, that stands with a unit, in its words, and the unit's name."""
    found = [(digits, _SIGNS[sign]) for sign, digits in _SIGNED_FIGURE.findall(text)]
    for match in _COUNTED_FIGURE.finditer(text):
        if figure := match["figure"].strip():
            unit = _UNITS[match["unit"]]
            native = _NATIVE_NUMBER.fullmatch(figure.replace(" ", "")) is not None
            if unit := _COUNTED_NATIVELY.get(unit, unit) if native else unit:
                found.append((figure, unit))
    return found


def without_counted(text: str) -> str:
    """A text in small letters with a comma in the place of each figure that stands with a unit."""
    return _COUNTED_FIGURE.sub(
        lambda match: " , " if match["figure"].strip() else match[0], _SIGNED_FIGURE.sub(" , ", text)
    )


def unit_named(word: str) -> str | None:
    """The name of the unit that a word is, or that a Korean word begins with: hour of hours, won of 원이."""
    if word in _UNITS:
        return _UNITS[word]
    begun = (unit for unit in _UNITS if unit[0] >= "가" and word.startswith(unit))
    longest = max(begun, key=len, default=None)
    return _UNITS[longest] if longest is not None else None


def certain_values(figure: str) -> set[float]:
    """The value that a figure with a unit certainly has; a Korean one may be native (서른셋)."""
    if (native := _NATIVE_NUMBER.fullmatch(figure)) is not None:
        tens, ones = native.groups()
        return {float(NATIVE_TENS.get(tens, 0) + NATIVE_UNITS.get(ones, 0))}
    return stated(figure) | spelled(f"{figure}명")
