# ruff: noqa: E501  # patterns read better unbroken
"""The days, weeks and months that a question names, as of the day on which it was asked.

"Tomorrow" asked on Friday and on Saturday are two days, and so two questions. What a moment's words
were is cut out of the text, so that they aren't compared as words as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from context.language.dates import month_days

_DAY: Final = timedelta(days=1)
_WEEKDAYS_EN: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS_EN: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_COUNTS: Final = {
    "a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "일": 1, "이": 2, "삼": 3, "한": 1, "두": 2, "세": 3, "네": 4,
}  # fmt: skip
_PERIODS: Final = {"week": "week", "month": "month", "quarter": "quarter", "year": "year", "sprint": "sprint",
                   "meeting": "meeting", "주": "week", "달": "month", "분기": "quarter", "해": "year", "년": "year",
                   "스프린트": "sprint", "회의": "meeting", "미팅": "meeting"}  # fmt: skip

_MONTH_EN: Final = "|".join(_MONTHS_EN)
_DATE_EN: Final = re.compile(
    rf"\b(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTH_EN})\b|\b(?:{_MONTH_EN}) (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{4}}-\d{{2}}-\d{{2}}\b"
)
_SINO: Final = "일이삼사오육유칠팔구십시"
_DATE_KO: Final = re.compile(
    rf"(?<![가-힣\d])(?:\d{{1,2}}|[{_SINO}]{{1,2}})\s?월\s?(?:\d{{1,2}}|[{_SINO}]{{1,4}}?)\s?일(?![일가-힣]{{2}})"
)
_RELATIVE: Final = re.compile(
    r"\b(?:the )?day after tomorrow\b|\b(?:the )?day before yesterday\b|\btoday(?:'s)?\b|\btonight\b|\btomorrow(?:'s)?\b|\byesterday(?:'s)?\b"
    r"|(?<![가-힣])(?:내일모레|모레|글피|그저께|그제|어제|어저께|오늘|금일|내일|명일|작일)"
)
_AWAY: Final = {
    "day after tomorrow": 2, "day before yesterday": -2, "today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1,
    "내일모레": 2, "모레": 2, "글피": 3, "그저께": -2, "그제": -2, "어제": -1, "어저께": -1, "오늘": 0, "금일": 0,
    "내일": 1, "명일": 1, "작일": -1,
}  # fmt: skip
_AGO: Final = re.compile(
    r"\b(\d+|a|one|two|three|four|five|six|seven) (day|week|month|year)s? (ago|from now|later)\b"
    r"|(?<![가-힣\d])(\d+|[일이삼한두세네])\s?(일|주|달|개월|년)\s?(전|후|뒤)(?=에|의|\s|$)"
)
_PERIOD: Final = re.compile(
    r"\b(this|current|next|coming|last|past|previous) (week|month|quarter|year|sprint|meeting)(?:'s)?\b"
    r"|(?<![가-힣])(이번|다음|다다음|지난|저번|지지난)\s?(주|달|분기|해|스프린트|회의|미팅)(?![가-힣]{0,1}[보자])"
    r"|(?<![가-힣])(금주|차주|내주|내달|올해|금년|내년|작년|재작년|지난해|후년)"
)
_STEP: Final = {
    "this": 0, "current": 0, "next": 1, "coming": 1, "last": -1, "past": -1, "previous": -1,
    "이번": 0, "다음": 1, "다다음": 2, "지난": -1, "저번": -1, "지지난": -2,
}  # fmt: skip
_WHOLE: Final = {
    "금주": ("week", 0), "차주": ("week", 1), "내주": ("week", 1), "내달": ("month", 1), "올해": ("year", 0), "금년": ("year", 0),
    "내년": ("year", 1), "후년": ("year", 2), "작년": ("year", -1), "지난해": ("year", -1), "재작년": ("year", -2),
}  # fmt: skip
_WEEKDAY: Final = re.compile(
    rf"(?:\b(this|next|last|coming) |((?:이번|다음|지난)\s?주)\s?)?(?:\b({'|'.join(_WEEKDAYS_EN)})(?:'s)?\b|([월화수목금토일])요일)"
)
_MONTH: Final = re.compile(
    rf"\b({_MONTH_EN.replace('may|', '').replace('march|', '')})\b|(?:\b(?:in|by|until|since|the|of|for|next|last) )(may|march)\b"
    r"|(?<![가-힣\d])(\d{1,2}|[일이삼사오육유칠팔구십시]{1,2})월(?!요일)"
)
_YEAR: Final = re.compile(r"(?<![\d.,$€£])((?:19|20)\d\d)(?:년)?(?![\d.,%])")
_PART: Final = re.compile(
    r"\b(morning|afternoon|evening|noon|midnight)\b|(오전|오후|아침|점심|저녁|새벽|정오|자정)(?=에|\s|$|의|까지|부터)"
)


def cut_moments(text: str, today: date) -> tuple[str, frozenset[str]]:
    """`text` (in lower case) without its moments, and the moments."""
    found: set[str] = set()

    def cut(pattern: re.Pattern[str], named: Callable[[re.Match[str]], str]) -> None:
        nonlocal text

        def put(match: re.Match[str]) -> str:
            moment = named(match)
            if not moment:
                return match.group()
            found.add(moment)
            return " "

        text = pattern.sub(put, text)

    cut(_DATE_EN, lambda match: _date_of(match.group(), today))
    cut(_DATE_KO, lambda match: _date_of(match.group(), today))
    cut(_AGO, lambda match: _ago(match, today))
    cut(_RELATIVE, lambda match: _day(today + _AWAY[re.sub(r"^the |'s$", "", match.group())] * _DAY))
    cut(_WEEKDAY, lambda match: _weekday(match, today))
    cut(_PERIOD, lambda match: _period_of(match, today))
    cut(_YEAR, lambda match: f"year {match.group(1)}")
    cut(_MONTH, _month)
    cut(_PART, lambda match: f"part {match.group()}")
    return text, frozenset(found)


def _day(day: date) -> str:
    return f"day {day.isoformat()}"


def _date_of(text: str, today: date) -> str:
    """The nearest such day, before or after; of an ISO date, itself."""
    if re.match(r"\d{4}-", text):
        return f"day {text}"
    for month, day in month_days(text):
        near = []
        for year in (today.year - 1, today.year, today.year + 1):
            try:
                near.append(date(year, month, day))
            except ValueError:
                continue
        if near:
            return _day(min(near, key=lambda each: abs(each - today)))
    return ""


def _ago(match: re.Match[str], today: date) -> str:
    count, unit, way = match.group(1, 2, 3) if match.group(1) else match.group(4, 5, 6)
    number = int(count) if count.isdigit() else _COUNTS[count]
    number = -number if way in {"ago", "전"} else number
    unit = {"일": "day", "주": "week", "달": "month", "개월": "month", "년": "year"}.get(unit, unit)
    return _day(today + number * _DAY) if unit == "day" else _period(unit, number, today)


def _weekday(match: re.Match[str], today: date) -> str:
    """This week's where no week is named: it is what the asker means, and another one a week later."""
    name = match.group(3) or match.group(4)
    number = _WEEKDAYS_EN.index(name) if match.group(3) else "월화수목금토일".index(name)
    which = (match.group(1) or (match.group(2) or "").replace("주", "")).strip()
    monday = today - today.weekday() * _DAY
    return _day(monday + (7 * _STEP.get(which, 0) + number) * _DAY) + ("" if which else " or so")


def _period_of(match: re.Match[str], today: date) -> str:
    if match.group(5):
        unit, step = _WHOLE[match.group(5)]
        return _period(unit, step, today)
    which, unit = match.group(1, 2) if match.group(1) else match.group(3, 4)
    step = _STEP[which]
    return _period(_PERIODS[unit], step, today)


def _period(unit: str, step: int, today: date) -> str:
    match unit:
        case "week":
            year, week, _ = (today + 7 * step * _DAY).isocalendar()
            return f"week {year}-{week}"
        case "month":
            months = today.year * 12 + today.month - 1 + step
            return f"month {months // 12}-{months % 12 + 1}"
        case "quarter":
            quarters = today.year * 4 + (today.month - 1) // 3 + step
            return f"quarter {quarters // 4}-{quarters % 4 + 1}"
        case "year":
            return f"year {today.year + step}"
        case _:  # a sprint, a meeting: nobody knows its dates; the present one is where we are
            return f"{unit} {step:+d}" if step else ""


def _month(match: re.Match[str]) -> str:
    english = match.group(1) or match.group(2)
    if english:
        return f"month {_MONTHS_EN.index(english) + 1}"
    digits = match.group(3)
    if digits.isdigit():
        return f"month {int(digits)}"
    known = {
        "일": 1,
        "이": 2,
        "삼": 3,
        "사": 4,
        "오": 5,
        "육": 6,
        "유": 6,
        "칠": 7,
        "팔": 8,
        "구": 9,
        "십": 10,
        "시": 10,
    }
    number = {"십일": 11, "십이": 12}.get(digits) or known.get(digits)
    return f"month {number}" if number else ""
