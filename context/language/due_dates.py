"""Which day of the calendar a moment means: "내일", "by Friday", "11월 30일", said on a certain day.

A moment that fits two days ("Friday", said on a Friday), or none, means no day: its words stand alone then.
"""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from typing import Final

from context.language.closed_lists import closed_lists
from context.language.dates import lone_days, month_days, weekdays
from context.language.moments import due_in

_LISTS: Final = closed_lists("due_dates")
_LONG_AGO_DAYS: Final = 90
"""A date without a year that lies farther back is next year's."""
_ISO: Final = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")


def due_day(words: str, said_on: date) -> date | None:
    """The one day that `words` name, counted from `said_on`; None where they name none, or several."""
    if found := _ISO.search(words):
        return _day(*map(int, found.groups()))
    moments = (due_in(words) or words).lower().split(", ")
    days = {_one_day(moment, said_on) for moment in moments}
    return days.pop() if len(days) == 1 else None


def _one_day(moment: str, said_on: date) -> date | None:
    if _named(moment, "no_one_day"):
        return None
    if (ahead := _counted(moment, "ahead")) is not None:
        return said_on + timedelta(days=ahead)
    if dates := month_days(moment):
        return _of_the_year(*dates.pop(), said_on) if len(dates) == 1 else None
    if week := weekdays(moment):
        return _of_the_week(week.pop(), _counted(moment, "weeks"), said_on) if len(week) == 1 else None
    months = _counted(moment, "months")
    if _named(moment, "end_of_month"):
        return _of_a_month(31, months or 0, said_on)
    if len(days := lone_days(moment)) == 1:
        day = days.pop()
        return _of_a_month(day, int(day < said_on.day) if months is None else months, said_on)
    return None


def _of_the_week(weekday: int, weeks: int | None, said_on: date) -> date | None:
    if weeks is None:  # the coming one
        ahead = (weekday - said_on.weekday()) % 7
        return said_on + timedelta(days=ahead) if ahead else None
    return said_on + timedelta(days=weekday - said_on.weekday(), weeks=weeks)


def _of_the_year(month: int, day: int, said_on: date) -> date | None:
    found = _day(said_on.year, month, day)
    past = found is not None and (said_on - found).days > _LONG_AGO_DAYS
    return _day(said_on.year + 1, month, day) if past else found


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


def _named(moment: str, name: str) -> bool:
    return any(word in moment for word in _LISTS[name])


def _counted(moment: str, kind: str) -> int | None:
    """How far ahead, by the longest word of the lists `kind_N` that stands in the moment."""
    found = [
        (len(word), int(name.removeprefix(f"{kind}_")))
        for name, words in _LISTS.items()
        if name.startswith(f"{kind}_")
        for word in words
        if word in moment
    ]
    return max(found)[1] if found else None
