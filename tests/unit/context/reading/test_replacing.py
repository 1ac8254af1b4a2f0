"""Which statement takes up the matter of which again."""

from __future__ import annotations

import json
from collections import Counter

from context.reading.replacing import SURE_CHANCE, revision_chance
from tests.training.meetings import DATA
from tests.unit.cases import cases


def test_hardly_any_pair_of_other_matters_is_shown_together() -> None:
    """The pairs were trained on: those that nothing was trained on are the bench's (`plain`)."""
    rows = [json.loads(line) for line in (DATA / "labels/rows/pairs.jsonl").read_text("utf-8").splitlines()]
    shown = Counter(
        (row["language"], row["relation"])
        for row in rows
        if revision_chance(row["later"], row["earlier"]) >= SURE_CHANCE
    )
    assert shown["ko", "other"] + shown["en", "other"] <= 7, shown
    assert min(shown["ko", "replaces"], shown["en", "replaces"]) >= 100, shown


@cases
def test_a_date_never_takes_up_a_cost(earlier: str, later: str) -> None:
    assert revision_chance(later, earlier) == revision_chance(earlier, later) == 0.0


@cases
def test_another_day_or_figure_for_the_same_matter_does(earlier: str, later: str) -> None:
    assert revision_chance(later, earlier) >= SURE_CHANCE
    assert revision_chance(later, later) == 0.0, "the same again takes nothing up"


@cases
def test_another_matter_does_not(earlier: str, later: str) -> None:
    assert revision_chance(later, earlier) < SURE_CHANCE
