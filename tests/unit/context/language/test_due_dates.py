"""Which day was meant, counted from the day on which it was said: a Tuesday."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from context.language.dates import due_day, due_in
from tests.unit.cases import cases

TUESDAY = date(2026, 11, 24)


@cases
def test_the_day(words: str, day: str) -> None:
    assert str(due_day(words, TUESDAY)) == day


@cases
def test_until_when(text: str, due: str | None) -> None:
    assert due_in(text) == due


@cases
def test_what_fits_two_days_or_none_is_no_day(words: str) -> None:
    assert due_day(words, TUESDAY) is None


@given(st.dates(date(2020, 1, 1), date(2035, 1, 1)), st.sampled_from(["금요일까지", "by Friday"]))
def test_a_day_of_the_week_is_the_coming_one(said_on: date, words: str) -> None:
    day = due_day(words, said_on)
    assert (day is None) == (said_on.weekday() == 4)
    assert day is None or (day.weekday() == 4 and timedelta(0) < day - said_on < timedelta(7))
