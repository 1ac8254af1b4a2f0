"""What puts one value in the place of another, by its own words."""

from __future__ import annotations

from context.language.dates import due_in
from context.reading.changing import may_change, without_given_up_value
from tests.unit.cases import cases


@cases
def test_what_gives_a_value_up_may_change_it(earlier: str, later: str, changes: bool) -> None:
    assert may_change(later, earlier) == changes


@cases
def test_the_day_of_a_change_is_the_new_one(text: str, days: str) -> None:
    assert due_in(without_given_up_value(text)) == days
