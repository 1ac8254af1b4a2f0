"""Which statement takes the place of which."""

from __future__ import annotations

from context.reading.replacing import SURE, replaces
from tests.training.made_pairs import made
from tests.unit.cases import cases

PAIRS = 1500


def test_of_unrelated_pairs_next_to_none_falls() -> None:
    """Words that nothing was trained on: another kind of fact next to never, another matter hardly ever."""
    fallen = [
        (each.why, each.earlier, each.later)
        for each in made(PAIRS, "test")
        if each.why.startswith("other") and replaces(each.later, each.earlier) >= SURE
    ]
    assert len([each for each in fallen if each[0] != "other matter"]) <= 1, fallen
    assert len(fallen) <= PAIRS // 50, fallen


def test_most_changes_are_seen() -> None:
    changes = [each for each in made(PAIRS, "test") if each.replaces]
    found = sum(replaces(each.later, each.earlier) >= SURE for each in changes)
    assert found / len(changes) >= 0.75


@cases
def test_a_date_never_replaces_a_cost(earlier: str, later: str) -> None:
    assert replaces(later, earlier) == replaces(earlier, later) == 0.0


@cases
def test_another_day_or_figure_for_the_same_matter_does(earlier: str, later: str) -> None:
    assert replaces(later, earlier) >= SURE
    assert replaces(later, later) == 0.0, "the same again replaces nothing"
