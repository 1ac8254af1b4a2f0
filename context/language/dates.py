"""The days that a text names: of the week and of a month, in words or digits, Korean or English."""

from __future__ import annotations

import re
from typing import Final

_WEEKDAY: Final = re.compile(
    r"([월화수목금토일])요일|\b(mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE
)
_KO: Final = "월화수목금토일"
_EN: Final = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
MONTHS: Final = "january|february|march|april|may|june|july|august|september|october|november|december"
"""For a pattern."""
_MONTH: Final = {name: number for number, name in enumerate(MONTHS.split("|"), 1)}
_ORDINALS: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
    " fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ORDINAL: Final = {
    **{word: number for number, word in enumerate(_ORDINALS.split(), 1)},
    **{f"twenty-{word}": 20 + number for number, word in enumerate(_ORDINALS.split()[:9], 1)},
    "thirtieth": 30,
    "thirty-first": 31,
}
_DAY_EN: Final = rf"(\d{{1,2}}(?:st|nd|rd|th)?|{'|'.join(sorted(_ORDINAL, key=len, reverse=True))})"
_MONTH_DAY: Final = re.compile(rf"\b({'|'.join(_MONTH)})\s+(?:the\s+)?{_DAY_EN}\b")
_DAY_MONTH: Final = re.compile(rf"\b{_DAY_EN}\s+(?:of\s+)?({'|'.join(_MONTH)})\b")
_LATE_ORDINALS: Final = "|".join(word for word, day in _ORDINAL.items() if day > 10)
"""A second server is no day; the twenty-second is."""
_BARE_DAY: Final = re.compile(rf"\b(?:the\s+)?(\d{{1,2}}(?:st|nd|rd|th)|{_LATE_ORDINALS})\b")
_EARLY_ORDINALS: Final = "third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
EARLY_DAY: Final = (
    rf"(?:(?<=\bon )|(?<=\bby )|(?<=\bbefore )|(?<=\buntil )|(?<=\btill )|(?<=[,-] )(?=the \w+\s?\?)|^(?=the \w+\s?\?)|(?<=\bto ))"  # noqa: E501 - a pattern reads better unbroken
    rf"the (?:{_EARLY_ORDINALS})(?=\s*(?:[,.?!;]|$|then\b|instead\b|at\b))"
)
"""On the seventh, moved to the fourth; the fourth time is none."""
_EARLY_DAY: Final = re.compile(EARLY_DAY)
_SINO: Final = "일이삼사오육유칠팔구십시영공"
_KO_DATE: Final = re.compile(
    rf"(\d{{1,2}}|[{_SINO}비]{{1,3}})\s?월\s?(\d{{1,2}}|[{_SINO}비]{{1,4}}?)\s?일(?!일)"
)
_KO_DAY: Final = re.compile(
    # One syllable that is glued to a word is none of its days: 출시일, 기일.
    rf"(?<![월\d{_SINO}])(?!(?<=[가-힣])[{_SINO}비]일)\s?(\d{{1,2}}|[{_SINO}비]{{1,4}}?)\s?일(?![일월요])"
)
_ISO: Final = re.compile(r"\b\d{4}-(\d{2})-(\d{2})\b")

MonthDay = tuple[int, int]


def weekdays(text: str) -> set[int]:
    """Days of the week, Monday = 0."""
    found: set[int] = set()
    for korean, english in _WEEKDAY.findall(text):
        found.add(_KO.index(korean) if korean else _EN.index(english.lower()))
    return found


def month_days(text: str) -> set[MonthDay]:
    """(month, day) of each date that names both."""
    lowered = text.lower().replace("twenty ", "twenty-").replace("thirty ", "thirty-")
    found = {(int(month), int(day)) for month, day in _ISO.findall(lowered)}
    found |= {(_MONTH[month], _day_en(day)) for month, day in _MONTH_DAY.findall(lowered)}
    found |= {(_MONTH[month], _day_en(day)) for day, month in _DAY_MONTH.findall(lowered)}
    found |= {(_sino(month), _sino(day)) for month, day in _KO_DATE.findall(lowered)}
    return {(month, day) for month, day in found if 1 <= month <= 12 and 1 <= day <= 31}


def lone_days(text: str) -> set[int]:
    """Days of a month that stand without one: the 22nd, 이십이일."""
    lowered = text.lower().replace("twenty ", "twenty-").replace("thirty ", "thirty-")
    return (
        {_day_en(day) for day in _BARE_DAY.findall(lowered)}
        | {_day_en(day.removeprefix("the ")) for day in _EARLY_DAY.findall(lowered)}
        | {_sino(day) for day in _KO_DAY.findall(lowered)}
    )


def _day_en(text: str) -> int:
    return _ORDINAL[text] if text in _ORDINAL else int(re.sub(r"\D", "", text))


def _sino(text: str) -> int:
    """Up to 99: digits, or Sino-Korean, also as it is heard (시비월, 유월)."""
    if text.isdigit():
        return int(text)
    text = text.replace("시비", "십이").replace("유", "육").replace("시", "십").replace("비", "이")
    tens, ten, units = text.partition("십")
    values = {"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "칠": 7, "팔": 8, "구": 9}
    if not ten:
        return values.get(tens, 0)
    return values.get(tens, 1) * 10 + values.get(units, 0)
