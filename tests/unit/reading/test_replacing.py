"""Which statement takes the place of which."""

from __future__ import annotations

import pytest

from context.reading.replacing import SURE, replaces
from tests.training.made_pairs import made

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


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("출시일은 11월 20일로 하겠습니다.", "출시 비용은 5백만 원으로 하겠습니다."),
        ("The launch is on November 20.", "The launch budget is five thousand dollars."),
    ],
)
def test_a_date_never_replaces_a_cost(earlier: str, later: str) -> None:
    assert replaces(later, earlier) == replaces(earlier, later) == 0.0


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("회식은 금요일에 합니다.", "회식은 목요일로 바꿉시다."),
        ("예산은 천이백만 원으로 확정합니다.", "예산은 천오백만 원으로 변경하겠습니다."),
        ("The launch is on March 3.", "Let's move the launch to March 10."),
    ],
)
def test_another_day_or_figure_for_the_same_matter_does(earlier: str, later: str) -> None:
    assert replaces(later, earlier) >= SURE


def test_the_same_again_replaces_nothing() -> None:
    for text in ("출시일은 11월 20일로 하겠습니다.", "We launch on November 20."):
        assert replaces(text, text) == 0.0
