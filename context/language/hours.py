"""Hours of the day that a text names, Korean or English, in its own words (`hours_in`) and by the clock.

An English number is an hour by what stands beside it: "at" before it, "o'clock", "am" or minutes behind it,
or "before", "until" and the like where nothing is counted behind it. A Korean one is an hour by 시 behind it.
How long something takes (두 시간, half an hour) is none.
"""

from __future__ import annotations

import re
from typing import Final

from context.language.closed_lists import closed_lists, one_of
from context.language.korean import has_hangul
from context.language.numbers import CARDINALS, NATIVE_TO_TWELVE, SINO_TO_FIFTY_NINE

_LISTS: Final = closed_lists("hours")
_HOURS_A_DIAL: Final = 12


_HOUR: Final = rf"(?:{one_of(_LISTS['hours'])}|\d{{1,2}})"
_MINUTES: Final = one_of(_LISTS["minutes"])
_SPOKEN_HOUR: Final = (
    rf"(?:half|(?:a )?quarter|{_MINUTES})(?: minutes)? (?:past|to|after) {_HOUR}|half {_HOUR}"
)
_DAY_HALF: Final = rf"(?:\s?(?:am|pm|a\.m\.|p\.m\.)|{'|'.join(f' {each}' for each in _LISTS['halves'])})"
_HOUR_STOP: Final = rf"(?= |[,.?!]|$)(?! {one_of(_LISTS['counted'])}\b)"
_CLOCK_HOUR: Final = (
    rf"\d{{1,2}}[:.]\d{{2}}{_DAY_HALF}?|{_HOUR} o'clock|{_HOUR}{_DAY_HALF}|{_HOUR} {_MINUTES}{_HOUR_STOP}"
)
_NAMED_HOUR: Final = rf"(?:{_SPOKEN_HOUR}|{_CLOCK_HOUR}|noon|midnight)"
_BARE_HOUR: Final = rf"{_HOUR}(?=[,.?!]|$| {one_of(_LISTS['behind_en'])}\b)"
_HOUR_LIMIT: Final = rf"{one_of(_LISTS['limits'])} {_BARE_HOUR}"
LIMIT_EN: Final = rf"(?:{_NAMED_HOUR}(?:{_DAY_HALF})?|{_BARE_HOUR})"
"""A pattern for an hour behind "by" or "until": half past ten, noon, four."""
_HOUR_EN: Final = re.compile(
    rf"(?<![\w.:])(?:(?:at |from )?{_NAMED_HOUR}(?:{_DAY_HALF})?|at {_HOUR}{_HOUR_STOP}|{_HOUR_LIMIT})(?!\w)",
    re.IGNORECASE,
)

_NUMBER_KO: Final = rf"(?:[0-9]{{1,2}}|{one_of(NATIVE_TO_TWELVE)}|{one_of(_LISTS['hours_sino'])})"
_MINUTES_KO: Final = rf"(?:[0-9]{{1,2}}|{one_of(SINO_TO_FIFTY_NINE)})\s?분(?:\s?전(?!까지))?"
HOUR_KO: Final = rf"(?:{_NUMBER_KO}\s?시(?:\s?반|\s?{_MINUTES_KO})?)"
"""A pattern for 10시, 열 시 반, 세 시 이십 분; what stands behind it is the reader's to look at."""
_BEHIND_KO: Final = rf"(?=\s|[,.?!~]|$|{one_of(_LISTS['behind_ko'])})"
_HOUR_OR_NOON_KO: Final = re.compile(
    rf"(?<![가-힣\d])(?:{one_of(closed_lists('moments')['halves_ko'])}\s?)?(?:{HOUR_KO}|{one_of(_LISTS['names_ko'])}){_BEHIND_KO}"
)

_PARTS_KO: Final = re.compile(rf"({_NUMBER_KO})\s?시\s?({_MINUTES_KO})?(반)?")


def hours_in(text: str) -> list[str]:
    """The hours that a text names, in order and in its own words, English ones with their "at"."""
    pattern = _HOUR_OR_NOON_KO if has_hangul(text) else _HOUR_EN
    return [found.group() for found in pattern.finditer(text.replace("’", "'"))]


def hour_in(text: str) -> str | None:
    """The first hour that a text names, as `hours_in` has it; None where it names none."""
    return next(iter(hours_in(text)), None)


def without_hours(text: str) -> str:
    """A text with a comma in the place of each hour that it names, so that no number of one is left."""
    pattern = _HOUR_OR_NOON_KO if has_hangul(text) else _HOUR_EN
    return pattern.sub(" , ", text.replace("’", "'"))


def clock_minutes(text: str) -> frozenset[int]:
    """The hours that a text names, in minutes from twelve on: 630 for 10시 반 and for half past ten at night.

    A dial of twelve hours does: 14시 and two o'clock are one.
    """
    read = _minutes_ko if has_hangul(text) else _minutes_en
    return frozenset(read(hour.lower()) % (_HOURS_A_DIAL * 60) for hour in hours_in(text))


def _minutes_ko(hour: str) -> int:
    found = _PARTS_KO.search(hour)
    if found is None:
        return 0  # 정오, 자정
    number, minutes, half = found.groups()
    past = 30 if half else _number_ko(minutes.partition("분")[0].strip()) if minutes else 0
    return 60 * _number_ko(number) + (-past if minutes and minutes.endswith("전") else past)


def _number_ko(word: str) -> int:
    return int(word) if word.isdigit() else NATIVE_TO_TWELVE.get(word) or SINO_TO_FIFTY_NINE[word]


def _minutes_en(hour: str) -> int:
    if clock := re.search(r"(\d{1,2})[:.](\d{2})", hour):
        return 60 * int(clock[1]) + int(clock[2])
    if hour.endswith(("noon", "midnight")):
        return 0
    if past := re.search(rf"(half|quarter|{_MINUTES})(?: minutes)?( past| to| after)? ({_HOUR})", hour):
        minutes = {"half": 30, "quarter": 15}.get(past[1]) or _number_en(past[1])
        return 60 * _number_en(past[3]) + (-minutes if past[2] == " to" else minutes)
    numbers = re.search(rf"({_HOUR})(?: ({_MINUTES}))?", hour)
    return 60 * _number_en(numbers[1]) + (_number_en(numbers[2]) if numbers[2] else 0) if numbers else 0


def _number_en(words: str) -> int:
    """The number of twenty-five, forty or 10."""
    return sum(
        int(word) if word.isdigit() else int(CARDINALS[word]) for word in words.replace("-", " ").split()
    )
