"""Which day was meant, counted from the day on which it was said: a Tuesday."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.language.dates import due_day

TUESDAY = date(2026, 11, 24)


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("오늘까지", "2026-11-24"),
        ("내일", "2026-11-25"),
        ("내일 오전까지", "2026-11-25"),
        ("모레", "2026-11-26"),
        ("금요일까지", "2026-11-27"),
        ("이번 주 목요일", "2026-11-26"),
        ("다음 주 금요일", "2026-12-04"),
        ("다다음 주 월요일", "2026-12-07"),
        ("11월 30일", "2026-11-30"),
        ("십이월 이십이일", "2026-12-22"),
        ("1월 5일", "2027-01-05"),
        ("30일", "2026-11-30"),
        ("3일까지", "2026-12-03"),
        ("다음 달 3일", "2026-12-03"),
        ("월말까지", "2026-11-30"),
        ("tomorrow", "2026-11-25"),
        ("by tomorrow morning", "2026-11-25"),
        ("by Friday", "2026-11-27"),
        ("this Thursday", "2026-11-26"),
        ("next Friday", "2026-12-04"),
        ("by the 3rd", "2026-12-03"),
        ("November 30th", "2026-11-30"),
        ("the twenty-second", "2026-12-22"),
        ("the end of the month", "2026-11-30"),
        ("2027-02-01", "2027-02-01"),
    ],
)
def test_the_day(words: str, day: str) -> None:
    assert str(due_day(words, TUESDAY)) == day


@pytest.mark.parametrize(
    "words",
    [
        "화요일",
        "Tuesday",
        "매주 금요일",
        "every Friday",
        "다음 스프린트",
        "next sprint",
        "월요일, 금요일",
        "11월 31일",
        "soon",
    ],
)
def test_what_fits_two_days_or_none_is_no_day(words: str) -> None:
    assert due_day(words, TUESDAY) is None


@given(st.dates(date(2020, 1, 1), date(2035, 1, 1)), st.sampled_from(["금요일까지", "by Friday"]))
def test_a_day_of_the_week_is_the_coming_one(said_on: date, words: str) -> None:
    day = due_day(words, said_on)
    assert (day is None) == (said_on.weekday() == 4)
    assert day is None or (day.weekday() == 4 and timedelta(0) < day - said_on < timedelta(7))
