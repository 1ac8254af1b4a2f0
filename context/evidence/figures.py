"""The figures and days of a claim, held against those of its evidence.

Two questions. Was each figure heard at all? And does the evidence count in the same unit (두 시, 둘째 주,
a month, tomorrow), but otherwise? Then the claim is refused even where its figure can be heard in another
word: 세 is a part of 주세요 as well. Everywhere `spoken` is what the cited utterances say, joined.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz

from context.language.closed_lists import closed_lists, spaced
from context.language.dates import lone_days, month_days, months, weekdays
from context.language.korean import sound
from context.language.numbers import CARDINALS, NATIVE_TENS, NATIVE_UNITS, TOKEN_EN, heard, spelled, stated

_LIKE: Final = 80
"""Likeness in percent from which on a day that speech recognition garbled is taken for itself."""
_COUNTS: Final = frozenset(map(float, range(11)))
"""Figures that may be a claim's own count of what was said."""
_CLOCK: Final = {"half past": 30.0, "시 반": 30.0, "시반": 30.0, "quarter past": 15.0, "quarter to": 45.0}
_TENTHS: Final = re.compile(r"([일이삼사오육칠팔구]|\d)\s?할(?![가-힣]{2})")
"""Tenths of a whole: 칠 할 is 70 %."""
_LABEL: Final = re.compile(
    r"(\d{1,4})\s?(?:호|라인|팀|층|창고|조)"
    r"|\b(?:room|line|bed|ward|dock|gate|floor|version|phase|team|item|ticket) (\d{1,4})\b",
    re.IGNORECASE,
)


def figures_stand(text: str, spoken: str, before: str = "", citations: int = 1) -> bool:
    """Whether each figure of the claim `text` was heard, and none of the same unit was heard instead of it.

    `before`: what was said before the evidence; a figure that only names something (3호실, room 3) may come
    from there. `citations`: how many utterances the claim cites.
    """
    # Three decisions [#1][#4][#9]: the count of the citations is a number of its own; so is that of a list.
    known = _labels(before) | {float(citations)} | _listed(text)
    if any(not _is_heard(number, spoken) for number in _claimed(text) - known):
        return False
    counted = _may_count(spoken)
    return all(
        values - _without_a_unit(spoken) <= counted.get(unit, values)
        for unit, values in _counted(text).items()
    )


def figures_heard(text: str, spoken: str, citations: int = 1) -> bool:
    """Whether each figure of the claim `text` was heard at all, whatever it counts.

    A figure up to ten always passes, since it may be the claim's own count: "three of them were against it".
    """
    known = _labels(spoken) | {float(citations)}
    return all(_is_heard(number, spoken) for number in _claimed(text) - known if number not in _COUNTS)


def days_heard(text: str, spoken: str) -> bool:
    """Whether each weekday and each day of a month that a claim names was heard at all, and, where months
    were named, each of its months.
    """
    if not _weekdays_heard(weekdays(text) - weekdays(spoken), spoken):
        return False
    if (named := months(spoken)) and not months(text) <= named:
        return False
    return lone_days(text) | {float(day) for _, day in month_days(text)} <= _heard(spoken)


def figures(text: str) -> set[float]:
    """The figures that a text certainly names, without those of labels (3호실, room 3)."""
    return _claimed(without_labels(text)[1])


def without_labels(text: str) -> tuple[frozenset[str], str]:
    """The labels of a text (3호실, room 3: a figure that names a thing), and the text without them."""
    labels = frozenset(found.group().replace(" ", "").lower() for found in _LABEL.finditer(text))
    return labels, _LABEL.sub(" ", text)


def figures_shared(text: str, spoken: str) -> int:
    """How many figures of the claim `text` were heard: each shows what it is about, as a shared word does."""
    return sum(_is_heard(number, spoken) for number in _claimed(text))


def figures_said(text: str, spoken: str) -> bool:
    """Whether some figure of the claim `text` was certainly said; the 이 of 안전이 is no certain two."""
    return not _claimed(text).isdisjoint(_claimed(spoken) | scaled(spoken))


def dates_stand(text: str, spoken: str, before: str = "") -> bool:
    """Whether each day that the claim `text` names was named: Friday as Friday, 12월 22일 as 십이월 이십이일.

    `before`: what was said before the evidence; where that names no weekday, it may come from there.
    """
    if not _weekdays_heard(weekdays(text) - (weekdays(spoken) or weekdays(before)), spoken):
        return False
    claims, told = _unmarked(text), _unmarked(spoken)
    for kind in _KINDS:
        named, known = _of_kind(claims, kind), _of_kind(told, kind)
        if named and known and named.isdisjoint(known):
            return False
    if not lone_days(text) <= _heard(spoken):
        return False
    claimed, said = month_days(text), month_days(spoken)
    months, days = {month for month, _ in said}, lone_days(spoken)
    return all(date in said or not said or (date[0] in months and date[1] in days) for date in claimed)


def _weekdays_heard(days: set[int], spoken: str) -> bool:
    """Whether each of `days` (Monday = 0) may have been heard, though garbled."""
    sounds = sound(spoken) if days else ""
    return all(fuzz.partial_ratio(sound(f"{'월화수목금토일'[day]}요일"), sounds) >= _LIKE for day in days)


@lru_cache(maxsize=512)
def _heard(spoken: str) -> frozenset[float]:
    """All figures that may be heard in a text: also half past as 30, 칠 할 as 70, seven-ten as 710."""
    lowered = spoken.lower()
    by_the_clock = (minutes for phrase, minutes in _CLOCK.items() if phrase in lowered)
    tenths = (10.0 * value for run in _TENTHS.findall(spoken) for value in heard(run))
    return frozenset((*heard(spoken), *by_the_clock, *tenths, *_in_short(lowered)))


def _in_short(lowered: str) -> set[float]:
    """English figures said in short: 710 of "the rent is seven-ten", 2.5 of "two and a half"."""
    said = TOKEN_EN.findall(lowered)
    found: set[float] = set()
    for place, word in enumerate(said):
        ones = CARDINALS.get(word, 0.0)
        if not 1 <= ones <= 9:
            continue
        following = [CARDINALS.get(each, 0.0) for each in said[place + 1 : place + 3]]
        after, then = (*following, 0.0, 0.0)[:2]
        if after >= 10:
            is_one_number = after >= 20 and then < 10  # twenty five
            found.add(100 * ones + after + (then if is_one_number else 0))
        if said[place + 1 : place + 4] == ["and", "a", "half"]:
            found.add(ones + 0.5)
    return found


def _claimed(text: str) -> set[float]:
    """The figures that a text certainly names, in digits or in words."""
    return stated(text) | spelled(_WRITTEN.sub(" ", text))


def _is_heard(number: float, spoken: str) -> bool:
    return number in _heard(spoken) or number in scaled(spoken)


@lru_cache(maxsize=512)
def scaled(spoken: str) -> frozenset[float]:
    """The figures of a text times a scale left unsaid: 20,000 of "make it twenty", said to twelve thousand.

    Korean runs without 만 or 억 count ten thousands, English figures thousands.
    """
    runs = (part for run in _RUN.findall(spoken) for part in run.split() if len(part) > 1)
    in_korean = (10_000 * value for run in runs if not {"만", "억"} & set(run) for value in _in_words(run))
    lowered = spoken.lower()
    least = 1 if "thousand" in lowered else 10
    in_english = (1000 * value for value in _claimed(lowered) | _in_short(lowered) if value >= least)
    return frozenset((*in_korean, *in_english))


def _labels(text: str) -> set[float]:
    return {float(before or behind) for before, behind in _LABEL.findall(text)}


def _listed(text: str) -> set[float]:
    """How many items a claim lists behind its colon: "Four are left: billing, search, …"; else empty."""
    _, colon, items = text.partition(": ")
    for joint in (", and ", ", or ", ", 그리고 ", " and ", " or ", " 및 "):
        items = items.replace(joint, ",")
    return {float(len(items.split(",")))} if colon else set()


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


_NATIVE_COUNTERS: Final = "째|군데|사람|편|가지|시|분|개|대|동|반|주|번|건|팀|명|층|달"
"""Units that Korean counts with native numerals (두 시)."""
_COUNTERS: Final = f"{_NATIVE_COUNTERS}|단위|라인|호실|창고|퍼센트|프로|%|원|인|월|일|차"
"""All units that figures are compared by; the others are counted with digits or Sino-Korean numerals."""
_NO_COUNTER: Final = (
    r"(?!시[간도작스장]|개월|반[대드]|대[로략]|분기|주[문소차]|인[데력]|일(?:[단정요곱]|부(?!터))|원[래인])"
)
"""Words that only begin as a unit does: 시작, 반대."""
_DIGITS: Final = r"\d[\d,]*(?:\.\d+)?\s?[백천만억]*"
_WRITTEN: Final = re.compile(_DIGITS)
_SPANS: Final = {
    "하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "열흘": 10, "보름": 15,
}  # fmt: skip
"""Native words for spans of days."""
_SPAN: Final = re.compile(rf"(?<![가-힣])({'|'.join(_SPANS)})")
_COUNTED: Final = re.compile(
    rf"(?<![가-힣])({'|'.join(NATIVE_TENS)})?(?!하나)({'|'.join(NATIVE_UNITS)})?\s?{_NO_COUNTER}({_NATIVE_COUNTERS})"
    rf"|(?<![\d.,:])({_DIGITS})\s?{_NO_COUNTER}({_COUNTERS})"
)
_IN_WORDS: Final = re.compile(
    rf"([일이삼사오육칠팔구십백천만억](?:\s?[일이삼사오육칠팔구십백천만억])*)\s?{_NO_COUNTER}({_COUNTERS})"
)
"""A Sino-Korean number with its unit."""
_RUN: Final = re.compile(
    r"(?<![가-힣\d])([일이삼사오육칠팔구십백천만억](?:\s?[일이삼사오육칠팔구십백천만억])+)"
)
"""A Sino-Korean number of two numerals or more, with a unit or without."""
_BARE: Final = re.compile(
    rf"(?<![가-힣])({'|'.join(NATIVE_TENS)})?(하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉)?(?=[은는이가을를만도로씩,.]|\s|$)"
)
"""A native number without a unit."""
_SCALE: Final = {"백": 100, "천": 1000, "만": 10**4, "억": 10**8}
_SAME_UNIT: Final = {"퍼센트": "%", "프로": "%", "사람": "명", "인": "명"}


@lru_cache(maxsize=512)
def _counted(text: str) -> dict[str, frozenset[float]]:
    """What is certainly counted, by its unit: {"시": {2.0}}."""
    found: dict[str, set[float]] = {}
    in_days = _SPAN.sub(lambda span: f"{_SPANS[span[1]]}일", text)
    for tens, ones, native_unit, digits, unit in _COUNTED.findall(in_days):
        value = _written(digits) if digits else float(NATIVE_TENS.get(tens, 0) + NATIVE_UNITS.get(ones, 0))
        if value:
            counted = native_unit or unit
            found.setdefault(_SAME_UNIT.get(counted, counted), set()).add(value)
    return {unit: frozenset(values) for unit, values in found.items()}


@lru_cache(maxsize=512)
def _may_count(spoken: str) -> dict[str, frozenset[float]]:
    """What may be counted, by its unit: as `_counted`, and in Sino-Korean words; 세 시 may also be 15시."""
    found = {unit: set(values) for unit, values in _counted(spoken).items()}
    for run, unit in _IN_WORDS.findall(spoken):
        found.setdefault(_SAME_UNIT.get(unit, unit), set()).update(_in_words(run), {1.0})
    if "시" in found:
        found["시"] |= {hour + 12 for hour in found["시"]} | {hour - 12 for hour in found["시"]}
    return {unit: frozenset(values) for unit, values in found.items()}


@lru_cache(maxsize=512)
def _without_a_unit(spoken: str) -> frozenset[float]:
    """The figures of a text that name no unit: 나머지 다섯은, 오억밖에, 구백 for nine million."""
    natively = (
        float(NATIVE_TENS.get(tens, 0) + NATIVE_UNITS.get(ones, 0))
        for tens, ones in _BARE.findall(spoken)
        if tens or ones
    )
    in_words = (value for run in _RUN.findall(spoken) for value in _in_words(run))
    return frozenset((*natively, *in_words)) | scaled(spoken)


def _in_words(run: str) -> set[float]:
    """What a run of Sino-Korean numerals may say: parts set apart in front, or a last 이, may be none."""
    tries = {run.replace(" ", ""), run.rpartition(" ")[2]}
    return {
        value for one in tries | {each.removesuffix("이") for each in tries} for value in spelled(f"{one}원")
    }


def _written(digits: str) -> float:
    """The value of digits with Korean scales: 8천만 is eight times a thousand times ten thousand."""
    value = max(stated(digits.rstrip(" 백천만억")), default=0.0)
    for char in digits:
        value *= _SCALE.get(char, 1)
    return value
