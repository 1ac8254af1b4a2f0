"""Hours of the day are read in both languages, and what only looks like one is none."""

from __future__ import annotations

from context.evidence.facts import clash, facts
from context.language.hours import clock_minutes, hours_in
from context.retrieval.answer_kinds import gives
from tests.unit.cases import cases


@cases
def test_an_hour_is_read_by_the_clock(text: str, clock: tuple[str, ...]) -> None:
    read = sorted(f"{minutes // 60}:{minutes % 60:02}" for minutes in clock_minutes(text))
    assert tuple(read) == clock
    assert gives("when", text)


@cases
def test_what_counts_or_lasts_is_no_hour(text: str) -> None:
    assert not hours_in(text)
    assert not gives("when", text)


@cases
def test_hours_differ_by_their_minutes(one: str, other: str, differ: bool) -> None:
    assert clash(facts(one), facts(other)) == differ
