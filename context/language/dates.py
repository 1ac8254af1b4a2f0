"""Days that a text names, in words or digits, Korean or English.

- `weekdays`, `month_days`, `months` and `lone_days` give them as numbers, to check a claim against speech.
- `due_in` gives the days and hours of a sentence in its own words (`deadlines` chooses one).
- `due_day` gives the day of the calendar that such words mean ("내일", "by Friday"), said on a certain day.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from context.language.closed_lists import closed_lists, one_of
from context.language.hours import HOUR_KO, LIMIT_EN, without_hours
from context.language.korean import has_hangul
from context.language.numbers import MONTHS, ORDINALS

_WEEKDAY: Final = re.compile(
    r"([월화수목금토일])요일|\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE
)
_KO: Final = "월화수목금토일"
_EN: Final = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
_ORDINAL: Final = {
    **ORDINALS,
    **{f"twenty-{word}": 20 + number for word, number in ORDINALS.items() if number < 10},
    "thirty-first": 31,
}
_TOKEN: Final = re.compile(r"(?:twenty|thirty)-[a-z]+|[a-z]+|\d+(?:st|nd|rd|th)?|\S")
_EARLY_DAY: Final = re.compile(
    r"(?:(?<=\bon |\bby |\bto )|(?<=\btill )|(?<=until )|(?<=before )|(?<=day )"
    r"|(?:^|(?<=[,-] ))(?=the \w+ ?\?)|^(?=the \w+$))"
    rf"the ({'|'.join(list(ORDINALS)[2:10])})"
    r"(?=\s*(?:[,.?!;]|$|then\b|instead\b|at\b))"
)
"""A day without its month: on the seventh, moved to the fourth; the seventh? The fourth time is none."""
_SINO: Final = "일이삼사오육유칠팔구십시영공"
_KO_DATE: Final = re.compile(
    rf"(\d{{1,2}}|[{_SINO}비]{{1,3}})\s?월\s?(\d{{1,2}}|[{_SINO}비]{{1,4}}?)\s?일(?!일)"
)
_KO_DAY: Final = re.compile(
    # One syllable that is glued to a word is none of its days: 출시일, 기일.
    rf"(?<![월\d{_SINO}])(?!(?<=[가-힣])[{_SINO}비]\s?일)\s?(\d{{1,2}}|[{_SINO}비]{{1,4}}?)\s?일(?![일월요])"
)
_KO_MONTH: Final = re.compile(rf"(?<![가-힣\d])(\d{{1,2}}|[{_SINO}비]{{1,3}})월(?!드)")
_ISO: Final = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")

MonthDay = tuple[int, int]
"""Month and day of the month, both from 1."""


def weekdays(text: str) -> set[int]:
    """The days of the week that a text names, Monday = 0."""
    days: set[int] = set()
    for korean, english in _WEEKDAY.findall(text):
        days.add(_KO.index(korean) if korean else _EN.index(english.lower()))
    return days


def month_days(text: str) -> set[MonthDay]:
    """The dates that a text names with month and day: 11월 30일, November 30th, 2026-11-30."""
    lowered = text.lower()
    days = {(int(month), int(day)) for _, month, day in _ISO.findall(lowered)}
    days |= {(_sino(month), _sino(day)) for month, day in _KO_DATE.findall(lowered)}
    tokens = _tokens(lowered)
    for place, word in enumerate(tokens):
        if month := MONTHS.get(word):
            before, behind = tokens[:place], tokens[place + 1 :]
            if before[-1:] == ["of"]:
                before.pop()
            if behind[:1] == ["the"]:
                behind.pop(0)
            days |= {(month, _day_en(token)) for token in (*before[-1:], *behind[:1])}
    return {(month, day) for month, day in days if 1 <= month <= 12 and 1 <= day <= 31}


def months(text: str) -> set[int]:
    """The months, 1 to 12, in a text, with or without a day: 6월, 유월, in June. "may" alone is none."""
    lowered = text.lower()
    numbers = {MONTHS[word] for word in _tokens(lowered) if word in MONTHS and word != "may"}
    numbers |= {_sino(month) for month in _KO_MONTH.findall(lowered)}
    return {month for month in numbers if 1 <= month <= 12} | {month for month, _ in month_days(text)}


def lone_days(text: str) -> set[int]:
    """The days of a month that a text names without it: the 22nd, 이십이일. A second server is no day."""
    lowered = text.lower()
    days = {_sino(day) for day in _KO_DAY.findall(lowered)}
    days |= {_ORDINAL[day] for day in _EARLY_DAY.findall(lowered)}
    for word in _tokens(lowered):
        day = _day_en(word)
        if (day > 10 and word in _ORDINAL) or (day and word[0].isdigit() and not word.isdigit()):
            days.add(day)
    return days


def _tokens(lowered: str) -> list[str]:
    tokens: list[str] = _TOKEN.findall(lowered.replace("twenty ", "twenty-").replace("thirty ", "thirty-"))
    return tokens


def _day_en(word: str) -> int:
    """The day that an English word names (22 of 22nd, twenty-second, 22); 0 where it names none."""
    digits = word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else word
    return int(digits) if digits.isdecimal() and len(digits) <= 2 else _ORDINAL.get(word, 0)


def _sino(text: str) -> int:
    """A number up to 99 in digits or Sino-Korean, also as it is misheard (시비월, 유월); 0 for no number."""
    if text.isdigit():
        return int(text)
    text = text.replace("시비", "십이").replace("유", "육").replace("시", "십").replace("비", "이")
    tens, ten, units = text.partition("십")
    values = {"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "칠": 7, "팔": 8, "구": 9}
    if not ten:
        return values.get(tens, 0)
    return values.get(tens, 1) * 10 + values.get(units, 0)


_LISTS: Final = closed_lists("moments")
_MONTH: Final = f"(?:{'|'.join(MONTHS)})"


def _one_of(key: str) -> str:
    """A pattern for the words of a list; what has a hyphen is also written apart."""
    return one_of(_LISTS[key]).replace(r"\-", "[- ]")


_HALF_KO: Final = _one_of("halves_ko")
_NEXT_KO: Final = _one_of("next_ko")
_MOMENTS_SINO: Final = "일이삼사오육칠팔구십"
_WHICH_KO: Final = rf"(?:{_one_of('nths_ko')}\s?주|{_one_of('weeks_ko')}\s?주일?\s?(?:뒤|후))"
_WHICH_EN: Final = rf"(?:(?:the )?{_one_of('nths_en')}|{_one_of('later_en')} (?:on|from))"
_BEHIND_EN: Final = rf"(?:(?: {_one_of('behind_weekday_en')}| of {_MONTH})?(?: {_one_of('halves_en')})?)"
_DAYS_KO: Final = (
    rf"(?:(?:(?:{_NEXT_KO}|지난|오는)\s?주|매주|격주|{_WHICH_KO})\s?)?[월화수목금토일]요일(?:\s{_HALF_KO}(?=에\s))?",
    rf"{_NEXT_KO}\s?{_one_of('spans_ko')}(?:\s?(?:초|중순|말))?",
    rf"매일(?:\s{_HALF_KO})?",
    rf"{_one_of('feasts_ko')}(?=까지|\s?전까지|\s전에)",
    _one_of("days_ko"),
    rf"(?:{_one_of('days_long_ko')}|(?:{_one_of('counts_ko')}|\d+)\s?{_one_of('lengths_ko')}|\d+일)\s?(?=안|이내)",
    rf"(?:[0-9]{{1,2}}|[{_MOMENTS_SINO}시유]{{1,3}})월\s?(?:(?:[0-9]{{1,2}}|[{_MOMENTS_SINO}]{{1,4}})일|말|초|중순)?",
    rf"(?:[0-9]{{1,2}}|[{_MOMENTS_SINO[1:9]}]?십[{_MOMENTS_SINO[:9]}]?)일",
)
_CLOCKS_KO: Final = (
    rf"{_HALF_KO}\s?(?:중|전까지|까지)",
    rf"{_HALF_KO}(?=에\s)",
    rf"(?:(?:{_HALF_KO}\s?)?{HOUR_KO}|정오|자정)(?=에\s|(?:으)?로\s|까지|쯤|\s?전까지)",
)
_MOMENT_KO: Final = f"(?:{'|'.join((*_DAYS_KO, *_CLOCKS_KO))})"
_DUE_KO: Final = re.compile(
    rf"(?<![가-힣])({_MOMENT_KO}(?:\s?{_MOMENT_KO})?(?:\s?{_HALF_KO}?\s?{HOUR_KO})?(?:\s?{_one_of('until_ko')})?)"
    r"(?=에|으로|로|\s|$|부터|쯤|[,.?!]|(?<=까지)(?:는|만)|[은는]?이?요(?:$|[\s,.?!])|입니다|이에요|예요|이죠|이고|인데|이라)"
)
_OF_A_MONTH: Final = "(?: of [a-z]+)?"
_ORDINAL_EN: Final = f"(?:{_one_of('late_ordinals_en')}|{_one_of('early_ordinals_en')})"
_DAYS_EN: Final = (
    rf"(?:{_WHICH_EN} |{_one_of('next_weekday_en')} )?{_one_of('weekdays_en')}{_BEHIND_EN}?",
    _one_of("days_en"),
    rf"(?:the )?end of (?:the |this |next )?(?:{_one_of('spans_en')}|{_MONTH})",
    r"(?:the )?(?:first|second|third|fourth|last) (?:week|day) of [a-z]+",
    rf"{_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?)",
    rf"(?!(?:may|march) {_one_of('early_ordinals_en')}){_MONTH} (?:the )?{_ORDINAL_EN}",
    rf"(?:(?<=by )|(?<=until )|(?<=before ))(?:{_MONTH}|{_one_of('feasts_en')})",
    rf"(?:(?<=by )|(?<=until )|(?<=before )|(?<=later than )){LIMIT_EN}",
    rf"(?:in|within) (?:{_one_of('counts_en')}|\d+) (?:{_one_of('lengths_en')})s?",
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th){_OF_A_MONTH}",
    rf"(?:the |^){_one_of('late_ordinals_en')}{_OF_A_MONTH}",
    rf"the {_one_of('early_ordinals_en')} of {_MONTH}",
    _EARLY_DAY.pattern,
)
_DUE_EN: Final = re.compile(
    rf"\b((?:{_one_of('until_en')} (?:the )?)?(?:{'|'.join(_DAYS_EN)}))\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Moment:
    """A day or hour that a text names, in its own words."""

    words: str
    start: int
    end: int
    """The characters of the text from and up to which it stands."""
    limits: bool
    """Whether it is named as a limit: 금요일까지, by Friday."""


def moments_in(text: str) -> list[Moment]:
    """The days and hours that a text names, in order, each once."""
    pattern = _DUE_KO if has_hangul(text) else _DUE_EN
    moments: dict[str, Moment] = {}
    for match in pattern.finditer(text):
        words = " ".join(match.group(1).split())
        moments.setdefault(words, Moment(words, *match.span(1), _LIMIT.search(words) is not None))
    return [moment for words, moment in moments.items() if words != "내년"]


def due_in(text: str) -> str | None:
    """The days and hours that a text names, in its own words, at most three, apart by ", "; None: no such."""
    return ", ".join(moment.words for moment in moments_in(text)[:_MOST_MOMENTS]) or None


def names_day(moment: str) -> bool:
    """Whether a moment, as `due_in` gives it, names one day: no hour, week or meeting alone."""
    return any(_one_day(moment.lower(), day) is not None for day in _ANY_TWO_DAYS)


_MOST_MOMENTS: Final = 3
_LIMIT: Final = re.compile(rf"(?<!오){_one_of('until_ko')}$|^{_one_of('until_en')}\b", re.IGNORECASE)
_RELATIVE_WEEKDAY: Final = re.compile(
    rf"{_WHICH_KO}|\b{_WHICH_EN} {_one_of('weekdays_en')}|day {_one_of('behind_weekday_en')}", re.IGNORECASE
)
"""A day of the week that is counted from one that is not known here."""
_ANY_TWO_DAYS: Final = (date(2001, 1, 1), date(2001, 1, 2))
"""A day of the week, said on that day, means none, so that two are tried."""


_DAYS_AHEAD: Final = closed_lists("due_dates")
_FEAST: Final = "feast_"
_LONG_AGO_DAYS: Final = 90
"""A date without a year that lies farther back is next year's."""


def due_day(words: str, said_on: date) -> date | None:
    """The day that `words`, as `due_in` gives them, mean if said on `said_on`; None for none or several.

    "Friday", said on a Friday, means no day.
    """
    if match := _ISO.search(words):
        year, month, day = map(int, match.groups())
        return _day(year, month, day)
    moments = (due_in(words) or words).lower().split(", ")
    days = {_one_day(moment, said_on) for moment in moments if not _is_hour(moment)}
    return days.pop() if len(days) == 1 else None


def _is_hour(moment: str) -> bool:
    """Whether a moment names an hour of the day, and no day beside it: by noon."""
    return not _LIMIT.sub("", without_hours(moment).strip(" ,")).strip(" ,")


def _one_day(moment: str, said_on: date) -> date | None:
    if _named(moment, "no_one_day") or (weekdays(moment) and _RELATIVE_WEEKDAY.search(moment)):
        return None
    if (ahead := counted(moment, "ahead")) is not None:
        return said_on + timedelta(days=ahead)
    if dates := month_days(moment) or _feasts(moment):
        (month, day), *others = dates
        return None if others else _of_the_year(month, day, said_on)
    if (week := weekdays(moment)) and not lone_days(moment):  # 24일 화요일 is the 24th
        return _of_the_week(week.pop(), counted(moment, "weeks"), said_on) if len(week) == 1 else None
    months = counted(moment, "months")
    if _named(moment, "end_of_month"):
        return _of_a_month(31, months or 0, said_on)
    if len(days := lone_days(moment)) == 1:
        day = days.pop()
        if months is None:  # this month's, or the next one's where it is over
            months = 1 if day < said_on.day else 0
        return _of_a_month(day, months, said_on)
    return None


def _of_the_week(weekday: int, weeks: int | None, said_on: date) -> date | None:
    if weeks is None:  # the coming one
        ahead = (weekday - said_on.weekday()) % 7
        return said_on + timedelta(days=ahead) if ahead else None
    return said_on + timedelta(days=weekday - said_on.weekday(), weeks=weeks)


def _of_the_year(month: int, day: int, said_on: date) -> date | None:
    day_this_year = _day(said_on.year, month, day)
    past = day_this_year is not None and (said_on - day_this_year).days > _LONG_AGO_DAYS
    return _day(said_on.year + 1, month, day) if past else day_this_year


def _of_a_month(day: int, months: int, said_on: date) -> date | None:
    years, month = divmod(said_on.month - 1 + months, 12)
    year, month = said_on.year + years, month + 1
    last = calendar.monthrange(year, month)[1]
    return _day(year, month, min(day, last))


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:  # 31 November
        return None


def _feasts(moment: str) -> set[MonthDay]:
    """The days of the feasts that a moment names; of those whose day changes from year to year none."""
    named = {name for name in _DAYS_AHEAD if name.startswith(_FEAST) and _named(moment, name)}
    days = (name.removeprefix(_FEAST).split("-") for name in named)
    return {(int(month), int(day)) for month, day in days}


def _named(moment: str, name: str) -> bool:
    return any(word in moment for word in _DAYS_AHEAD[name])


def counted(moment: str, kind: str) -> int | None:
    """How far ahead a moment is, in days, weeks or months (`kind`: ahead, weeks, months); None: it tells not.

    The longest word of the lists `kind_N` that stands in the moment tells it.
    """
    matches = [
        (len(word), int(name.removeprefix(f"{kind}_")))
        for name, words in _DAYS_AHEAD.items()
        if name.startswith(f"{kind}_")
        for word in words
        if word in moment
    ]
    return max(matches)[1] if matches else None
