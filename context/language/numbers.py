"""The numbers that a text names, so that a claim can be held against what was said.

Speech engines write numbers as words (십이월 이십이일, twenty-second), language models write digits. The
check is asymmetric on purpose: `stated` and `spelled` find only what is certainly a number, for claims, and
`heard` all that may be one, for what was said. So no claim is refused because 이십이 can be read in two ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from context.language.closed_lists import spaced

_DIGITS: Final = re.compile(
    r"(\d[\d,]*(?:\.\d+)?)(?:\s*(조|억|만|천|백|k\b|m\b|thousand|million|billion))?", re.IGNORECASE
)
_COMPOUND: Final = re.compile(r"(\d[\d,]*)\s*([조억만천백]*)\s*")
_SCALES: Final = {
    "조": 10**12, "억": 10**8, "만": 10**4, "천": 1000, "백": 100,
    "k": 1000, "m": 10**6, "thousand": 1000, "million": 10**6, "billion": 10**9,
}  # fmt: skip

_SINO_DIGITS: Final = {
    "영": 0, "공": 0, "일": 1, "이": 2, "삼": 3, "사": 4, "오": 5,
    "육": 6, "륙": 6, "유": 6, "칠": 7, "팔": 8, "구": 9, "시": 10,
}  # fmt: skip
_SINO_SMALL: Final = {"십": 10, "백": 100, "천": 1000}
_SINO_LARGE: Final = {"만": 10**4, "억": 10**8, "조": 10**12}
_SINO: Final = re.compile(
    r"[영공일이삼사오육륙유칠팔구시십백천만억조]+(?:[^\S\n]+[일이삼사오육칠팔구십백천만억조]+)*"
)
NATIVE_UNITS: Final = {
    "하나": 1, "한": 1, "첫": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "네": 4, "넷": 4, "다섯": 5,
    "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9,
}  # fmt: skip
NATIVE_TENS: Final = {
    "열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50,
    "예순": 60, "일흔": 70, "여든": 80, "아흔": 90,
}  # fmt: skip
NATIVE_TO_TWELVE: Final = {
    "한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9,
    "열": 10, "열한": 11, "열두": 12,
}  # fmt: skip
"""Numbers as hours are counted: 일곱 시."""
SINO_TO_FIFTY_NINE: Final = {
    f"{tens}{ones}": 10 * ten + one
    for ten, tens in enumerate(("", "십", "이십", "삼십", "사십", "오십"))
    for one, ones in enumerate(("", *"일이삼사오육칠팔구"))
    if ten + one
}
"""Numbers as minutes and seconds are counted: 이십오 분."""
_NATIVE_NUMBER: Final = re.compile(
    rf"({'|'.join(NATIVE_TENS)})?({'|'.join(sorted(NATIVE_UNITS, key=len, reverse=True))})?"
)
_DAYS: Final = {
    "하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "열흘": 10,
    "보름": 15, "일주일": 7, "석 달": 3, "석달": 3, "넉 달": 4, "넉달": 4,
}  # fmt: skip

_EN_UNITS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
)
_EN_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
CARDINALS: Final[dict[str, float]] = {
    **{word: value for value, word in enumerate(_EN_UNITS.split())},
    **{word: 20 + 10 * index for index, word in enumerate(_EN_TENS.split())},
}
"""English number words, zero to nineteen and the tens to ninety."""
ORDINALS: Final = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14,
    "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19,
    "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
_EN_WORDS: Final[dict[str, float]] = {
    **CARDINALS,
    **ORDINALS,
    "a": 1, "an": 1, "once": 1, "twice": 2, "half": 0.5, "dozen": 12, "couple": 2,
}  # fmt: skip
TOKEN_EN: Final = re.compile(r"[a-z]+|[^a-z\s-]")
"""A word in small letters (forty-five is two) or a mark."""
_EN_SCALES: Final = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_UNITS_KO: Final = "월|일|년|원|명|건|개|퍼센트|프로|시간|분|주|달|배|층|회|차"
_SPELLED_KO: Final = re.compile(
    rf"(?<![가-힣])(?!사회)([일이삼사오육칠팔구]?[십백천만억][일이삼사오육칠팔구십백천만억]*?|[이삼사오육칠팔구])\s?({_UNITS_KO})(?![일삼사오육칠팔구십백천만억월원명년])"
)
_SPELLED_NATIVE: Final = re.compile(
    rf"(?<![가-힣]){_NATIVE_NUMBER.pattern}\s?(?:명|개|건|달|시간|번|대|가지|배)(?![가-힣]{{3}})"
)
_HALVES: Final = ("절반", "반 ", " half ")
_AFTERNOONS: Final = ("오후", "저녁", "afternoon", "evening")
_MONTH_NAMES: Final = "january february march april may june july august september october november december"
MONTHS: Final = {name: number for number, name in enumerate(_MONTH_NAMES.split(), 1)}
_MONTHS_KO: Final = {"유월": 6.0, "시월": 10.0}
"""The two months that Korean does not call by their number; 시월드 is no month."""


def stated(text: str) -> set[float]:
    """The numbers that `text` writes in digits, 3만 as 30,000."""
    return {_digits(digits) * _SCALES.get(scale.lower(), 1) for digits, scale in _DIGITS.findall(text)}


def spelled(text: str) -> set[float]:
    """The numbers that `text` certainly writes as words: twenty-two, three hundred, 삼십 퍼센트, 두 명.

    Not `one`, `second` and the like, which mean other things as well.
    """
    lowered = text.lower()
    values = set(_runs_en(lowered))
    for run, _unit in _SPELLED_KO.findall(lowered):
        values.add(_sino_value(run.replace(" ", "")))
    for tens, units in _SPELLED_NATIVE.findall(lowered):
        values.add(float(NATIVE_TENS.get(tens, 0) + NATIVE_UNITS.get(units, 0)))
    for word in spaced(lowered).split():
        if word[:2] in _MONTHS_KO and word[2:3] != "드":
            values.add(_MONTHS_KO[word[:2]])
    return values - {0.0, 1.0}


def _runs_en(text: str) -> Iterator[float]:
    """The numbers that runs of English number words name: four hundred and twelve, a hundred and forty."""
    total = section = 0.0
    words = 0
    tokens = [*TOKEN_EN.findall(text), "", "", "", ""]
    for place, word in enumerate(tokens[:-3]):
        scale, and_, number = tokens[place + 1 : place + 4]
        goes_on = scale in _EN_SCALES and and_ == "and" and number in CARDINALS
        if word in CARDINALS:
            small = CARDINALS[word] < 10 and not section % 10
            if section % 100 and not (section % 100 >= 20 and small):
                yield total + section
                total = section = 0.0
            section += CARDINALS[word]
            words += 1
        elif word in _EN_SCALES and words:
            section = max(1.0, section) * _EN_SCALES[word]
            if word != "hundred":
                total, section = total + section, 0.0
        elif word == "and" and place and tokens[place - 1] in _EN_SCALES and tokens[place + 1] in CARDINALS:
            continue
        elif words:
            if total + section > 1:
                yield total + section
            total = section = 0.0
            words = 0
        if word == "a" and goes_on:
            section, words = 1.0, 1


def heard(text: str) -> set[float]:
    """Every number that `text` may name: digits, Korean and English number words, dates in words."""
    lowered = text.lower()
    values = stated(lowered) | spelled(lowered)
    for digits, _ in _DIGITS.findall(lowered):
        # 10.30 may be an hour, 12.24 a day.
        values.update((_digits(digits), *(_digits(part) for part in digits.split(".") if len(part) > 1)))
    values.update(_compound_digits(lowered))
    values.update(_sino(lowered.replace("시비", "십이")))  # as a weak speech model writes it
    values.update(_native(lowered))
    values.update(_english(lowered))
    values.update(value for word, value in _DAYS.items() if word in lowered)
    words = spaced(lowered)
    if any(half in words for half in _HALVES):
        values.update((0.5, 50.0))
    if any(marker in words for marker in _AFTERNOONS) or "pm" in TOKEN_EN.findall(lowered.replace(".", "")):
        values.update({hour + 12 for hour in values if 1 <= hour < 12})
    return values


def _digits(text: str) -> float:
    return float(text.replace(",", ""))


def _compound_digits(text: str) -> Iterator[float]:
    """The numbers that are put together from several parts in digits: 1억 5천만."""
    total = section = 0.0
    parts, until = 0, -1
    for match in (*_COMPOUND.finditer(text), None):
        if match is None or match.start() != until:
            if parts > 1:
                yield total + section
            total = section = 0.0
            parts = 0
        if match is not None:
            section += _digits(match[1])
            for char in match[2]:
                section *= _SCALES[char]
                if char in _SINO_LARGE:
                    total, section = total + section, 0.0
            parts, until = parts + 1, match.end()


def _sino(text: str) -> Iterator[float]:
    """All numbers that may be read in runs of Sino-Korean numerals: 이십이일 gives 22, 12, 221…"""
    for match in _SINO.finditer(text):
        run = "".join(match.group().split())[:16]
        for start in range(len(run)):
            for end in range(start + 1, len(run) + 1):
                yield _sino_value(run[start:end])


def _sino_value(run: str) -> float:
    """The number that a run of Sino-Korean numerals names: 삼백이십, or digit by digit 공일공."""
    if all(char in _SINO_DIGITS and char != "시" for char in run) and len(run) > 1:
        return float("".join(str(_SINO_DIGITS[char]) for char in run))
    total = section = digit = 0
    for char in run:
        if char in _SINO_LARGE:
            total += max(1, section + digit) * _SINO_LARGE[char]
            section = digit = 0
        elif char in _SINO_SMALL:
            section += max(1, digit) * _SINO_SMALL[char]
            digit = 0
        else:
            digit = _SINO_DIGITS[char]
    return float(total + section + digit)


def _native(text: str) -> Iterator[float]:
    for match in _NATIVE_NUMBER.finditer(text):
        tens, units = match.groups()
        if tens or units:
            yield float(NATIVE_TENS.get(tens or "", 0) + NATIVE_UNITS.get(units or "", 0))


def _english(text: str) -> Iterator[float]:
    """The numbers that runs of English number words, and each of the words alone, may name; months, too."""
    total = section = 0.0
    pending = False
    for word in [*re.findall("[a-z]+", text), ""]:
        if word in MONTHS:
            yield float(MONTHS[word])
        if word in _EN_WORDS:
            yield float(_EN_WORDS[word])
            section += _EN_WORDS[word]
            pending = True
        elif word in _EN_SCALES:
            section = max(1.0, section) * _EN_SCALES[word]
            if word != "hundred":
                total, section = total + section, 0.0
            pending = True
        elif pending and word != "and":
            yield total + section
            total = section = 0.0
            pending = False
