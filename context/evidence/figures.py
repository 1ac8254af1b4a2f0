"""The figures and days of a claim, held against what was said: was each of them heard at all?

What a figure counts stands in `context.evidence.units`. Everywhere `spoken` is what utterances say, joined.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from rapidfuzz import fuzz

from context.language.closed_lists import closed_lists, spaced
from context.language.dates import lone_days, month_days, months, weekdays
from context.language.korean import sound
from context.language.numbers import CARDINALS, TOKEN_EN, heard, spelled, stated

_DAY_LIKENESS: Final = 80
"""Likeness in percent from which on a day that speech recognition garbled is taken for itself."""
OWN_COUNTS: Final = frozenset(map(float, range(11)))
"""Figures that may be a claim's own count of what was said."""
_CLOCK: Final = {
    "half past": 30.0, "시 반": 30.0, "시반": 30.0, "quarter past": 15.0, "quarter to": 45.0,
    "noon": 12.0, "정오": 12.0, "midnight": 12.0, "자정": 12.0,
}  # fmt: skip
_TIME: Final = re.compile(r"\b([01]?\d|2[0-3])(?::|\.(?=\d\d\s?[ap]\.?m))([0-5]\d)\b")
_TENTHS_KO: Final = re.compile(r"([일이삼사오육칠팔구]|\d)\s?할(?![가-힣]{2})")
"""Tenths of a whole: 칠 할 is 70 %."""
_WRITTEN_FIGURE: Final = re.compile(r"\d[\d,]*(?:\.\d+)?\s?[백천만억]*")
_RUN: Final = re.compile(
    r"(?<![가-힣\d])([일이삼사오육칠팔구십백천만억](?:\s?[일이삼사오육칠팔구십백천만억])+)"
)
"""A Sino-Korean number of two numerals or more, with a unit or without."""

_DAYS: Final = "월화수목금토일"
_SAID_TOGETHER: Final[dict[str, set[int]]] = {
    "weekend": {5, 6}, "주말": {5, 6}, "weekday": {0, 1, 2, 3, 4}, "평일": {0, 1, 2, 3, 4},
    "tues": {1}, "weds": {2}, "thurs": {3},
}  # fmt: skip
_SHORT_DAYS: Final = re.compile(rf"(?<![가-힣])[{_DAYS}]{{2,}}")
_COINS: Final = frozenset(["dollars", "dollar", "bucks", "euros", "pounds"])
_SCALES_EN: Final = {"hundred": 100, "thousand": 1000, "grand": 1000, "million": 10**6, "billion": 10**9}
_SAID_SO: Final = {
    "a dozen": {12.0}, "half a dozen": {6.0}, "couple of hundred": {200.0}, "couple hundred": {200.0},
    "couple of thousand": {2000.0}, "half a million": {5e5}, "half a billion": {5e8},
    "quarter million": {25e4}, "quarter of a million": {25e4}, "three quarters": {75.0, 0.75},
    "a quarter": {25.0, 0.25}, "fortnight": {2.0, 14.0},
}  # fmt: skip
"""English figures that are phrases of their own."""
_POINT_KO: Final = re.compile(
    r"([영공일이삼사오육칠팔구십\d]{1,12})\s?[점쩜]\s?([영공일이삼사오육칠팔구\d]{1,12})"
)
_AND_A_HALF_KO: Final = re.compile(r"([가-힣\d]{1,5}\s?(?:시간|개월|년|달|배))\s?반(?![가-힣]{2})")
_MIXED_FIGURE: Final = re.compile(r"(?<!\d)(?:[일이삼사오육칠팔구\d]?[십백천만억]\s?)+[일이삼사오육칠팔구]?")
_DIGIT_OF: Final = str.maketrans("영공일이삼사오육칠팔구", "00123456789")
_SINO_OF: Final = str.maketrans("123456789", "일이삼사오육칠팔구")


def figures_heard(
    text: str, spoken: str, citations: int = 1, *, counts: Container[float] = OWN_COUNTS
) -> bool:
    """Whether each figure of the claim `text` was heard at all, whatever it counts.

    `citations`: how many utterances it cites. That number, and those in `counts` (up to ten by default),
    always pass, since they may be its own count: "three of them were against it".
    """
    return all(
        is_heard(number, spoken)
        for number in figures(_by_twelve(text))
        if number not in counts and number != float(citations)
    )


def _by_twelve(text: str) -> str:
    """A text with its times by the clock as people say them: 3 30 for 15:30 and 3.30 pm, 9 for 9:00."""

    def said(time: re.Match[str]) -> str:
        hour, minute = int(time[1]), time[2]
        shown = f"{hour - 12 if hour > 12 else hour}"
        return shown if minute == "00" else f"{shown} {minute}"

    return _TIME.sub(said, text)


def days_heard(text: str, spoken: str) -> bool:
    """Whether each weekday and each day of a month that a claim names was heard at all, and, where months
    were named, each of its months.
    """
    if not _weekdays_heard(weekdays(text) - weekdays(spoken) - _of_the_week(spoken.lower()), spoken):
        return False
    if (named := months(spoken)) and not months(text) <= named:
        return False
    return lone_days(text) | {float(day) for _, day in month_days(text)} <= _possible_figures(spoken)


def _of_the_week(lowered: str) -> set[int]:
    """The days that a text names together or in short: the weekend, 평일, Thurs."""
    return set().union(*(days for word, days in _SAID_TOGETHER.items() if word in lowered))


def _weekdays_heard(days: set[int], spoken: str) -> bool:
    """Whether each of `days` (Monday = 0) may have been heard, though garbled, or in short (수목은)."""
    sounds, short = (sound(spoken), "".join(_SHORT_DAYS.findall(spoken))) if days else ("", "")
    return all(
        _DAYS[day] in short or fuzz.partial_ratio(sound(f"{_DAYS[day]}요일"), sounds) >= _DAY_LIKENESS
        for day in days
    )


@lru_cache(maxsize=512)
def _possible_figures(spoken: str) -> frozenset[float]:
    """All figures that may be heard in a text: also half past as 30, 칠 할 as 70, seven-ten as 710."""
    lowered = spoken.lower()
    by_the_clock = (minutes for phrase, minutes in _CLOCK.items() if phrase in lowered)
    tenths = (10.0 * value for run in _TENTHS_KO.findall(spoken) for value in heard(run))
    return frozenset(
        (
            *heard(spoken),
            *heard(_in_words_alone(spoken)),
            *by_the_clock,
            *tenths,
            *_in_short(lowered),
            *_in_short_ko(spoken),
        )
    )


def _in_short(lowered: str) -> set[float]:
    """English figures said in short: seven-ten is 710 or 7.10, four dollars ten 4.10; point four, a half."""
    words = TOKEN_EN.findall(lowered)
    figures: set[float] = set()
    for place in range(len(words)):
        value, end = _below_hundred(words, place)
        if value is None:
            continue
        if words[end : end + 3] == ["and", "a", "half"]:
            figures.add(value + 0.5)
            figures.add((value + 0.5) * _SCALES_EN.get("".join(words[end + 3 : end + 4]), 1))
        following = words[end] if end < len(words) else ""
        figures.update({12 * value} if following == "dozen" else ())
        if words[end : end + 1] == ["point"]:
            behind = takewhile(lambda word: CARDINALS.get(word, 10) < 10, words[end + 1 :])
            figures.add(float(f"{value:.0f}.{''.join(f'{CARDINALS[word]:.0f}' for word in behind)}"))
        between = following in _COINS or following == "oh"
        after, _ = _below_hundred(words, end + between)
        if after is not None and (after >= 10 or following == "oh"):
            figures.update((value + after / 100, 100 * value + after))
    joined = f" {' '.join(words)} "
    return figures.union(*(values for phrase, values in _SAID_SO.items() if f" {phrase} " in joined))


def _below_hundred(said: Sequence[str], place: int) -> tuple[float | None, int]:
    """The number that one or two English words at a place name, if below 100; and the place behind them."""
    value = CARDINALS.get(said[place]) if place < len(said) else None
    if value is None:
        return None, place
    ones = CARDINALS.get(said[place + 1], 0.0) if value >= 20 and place + 1 < len(said) else 0.0
    return (value + ones, place + 2) if 1 <= ones <= 9 else (value, place + 1)


def _in_short_ko(spoken: str) -> set[float]:
    """Korean figures said in short: 영점 사, 두 시간 반."""
    found = {
        float(f"{max(heard(whole), default=0.0):.0f}.{tenths.translate(_DIGIT_OF)}")
        for whole, tenths in _POINT_KO.findall(spoken)
    }
    return found | {value + 0.5 for counted in _AND_A_HALF_KO.findall(spoken) for value in heard(counted)}


def _in_words_alone(spoken: str) -> str:
    """A text with the digits that stand among Korean numerals as such: 천팔백 for 천8백."""
    return _MIXED_FIGURE.sub(lambda run: run.group().translate(_SINO_OF), spoken)


def figures(text: str) -> set[float]:
    """The figures that a text certainly names, in digits or in words."""
    return stated(text) | spelled(_WRITTEN_FIGURE.sub(" ", text))


def is_heard(number: float, spoken: str) -> bool:
    """Whether a figure may have been heard, also times a scale left unsaid."""
    return number in _possible_figures(spoken) or number in scaled(spoken)


@lru_cache(maxsize=512)
def scaled(spoken: str) -> frozenset[float]:
    """The figures of a text if its scale was left unsaid: "make it twenty", after twelve thousand, is 20,000.

    Korean runs without 만 or 억 count ten thousands, English figures thousands.
    """
    runs = (part for run in _RUN.findall(_in_words_alone(spoken)) for part in run.split() if len(part) > 1)
    in_korean = (10_000 * value for run in runs if not {"만", "억"} & set(run) for value in _in_words(run))
    lowered = spoken.lower()
    least = 1 if "thousand" in lowered else 10
    in_english = (1000 * value for value in figures(lowered) | _in_short(lowered) if value >= least)
    return frozenset((*in_korean, *in_english))


_KINDS: Final = tuple(
    {word: number for number, words in enumerate(kind) for word in words.split("/")}
    for name, kind in closed_lists("kinds_of_moment").items()
)
"""The kinds of moment, each as its words and their places in its order: january 0, february 1, …"""


def moments_named(text: str) -> frozenset[tuple[int, int]]:
    """Months, and days, weeks and years told from today (tomorrow, 다음 주), as (kind, place in it)."""
    words = _unmarked(text)
    return frozenset((place, number) for place, kind in enumerate(_KINDS) for number in _of_kind(words, kind))


def _unmarked(text: str) -> str:
    """The words of a text between blanks, without apostrophes: April of April's."""
    return spaced(text).replace("'", " ")


def _of_kind(words: str, kind: dict[str, int]) -> set[int]:
    return {number for word, number in kind.items() if (f" {word} " if word.isascii() else word) in words}


def _in_words(run: str) -> set[float]:
    """What a run of Sino-Korean numerals may say: parts set apart in front, or a last 이, may be none."""
    tries = {run.replace(" ", ""), run.rpartition(" ")[2]}
    return {
        value for one in tries | {each.removesuffix("이") for each in tries} for value in spelled(f"{one}원")
    }
