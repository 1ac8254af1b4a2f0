"""Which statement only says another again: what repeats it is told with it, so nothing else may be taken for that."""

from __future__ import annotations

import json
from collections import Counter

from context.reading.repeating import repeats
from tests.training.meetings import DATA
from tests.unit.cases import cases


def test_no_pair_of_other_matters_and_no_change_is_told_as_one() -> None:
    """The pairs were trained on: those that nothing was trained on are the bench's (`plain`)."""
    rows = [json.loads(line) for line in (DATA / "labels/rows/pairs.jsonl").read_text("utf-8").splitlines()]
    told = Counter(
        (row["language"], row["relation"]) for row in rows if repeats(row["later"], row["earlier"])
    )
    assert {relation for _, relation in told} == {"same"}, told
    assert min(told.values()) >= 30, told


@cases
def test_the_same_in_other_words_is_told_as_one(earlier: str, later: str) -> None:
    assert repeats(later, earlier)


@cases
def test_what_differs_in_anything_is_not(earlier: str, later: str) -> None:
    assert not repeats(later, earlier)
    assert not repeats(earlier, later)
