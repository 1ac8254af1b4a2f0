"""Simultaneous speech, grouped within `SIMULTANEOUS_WINDOW_MS`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.models import Utterance
from context.primitives.values import changed
from context.speaker_context import SIMULTANEOUS_WINDOW_MS, simultaneous
from tests.unit.context.samples import utter

Told = tuple[str, int, int]


def of(*told: Told) -> list[Utterance]:
    return [
        changed(utter(number, who, "말 words"), {"start_ms": start, "end_ms": end})
        for number, (who, start, end) in enumerate(told, 1)
    ]


@pytest.mark.parametrize(
    ("told", "groups"),
    [
        # Who begins at about the same time belongs together, in whatever order the words come.
        ((("a", 0, 3_000), ("b", 400, 2_000), ("c", 1_900, 4_000), ("a", 9_000, 10_000)), [[1, 2, 3]]),
        ((("b", 400, 2_000), ("a", 0, 3_000)), [[2, 1]]),
        # A quick answer is no simultaneous speech, nor where it comes a little early.
        ((("a", 0, 600), ("b", 700, 1_200), ("a", 1_300, 1_900)), []),
        ((("a", 0, 1_900), ("b", 1_500, 4_000)), []),
        # Cutting in on a long speech is none either, and one person alone is no group.
        ((("a", 0, 20_000), ("b", 10_000, 12_000)), []),
        ((("a", 0, 3_000), ("a", 500, 2_000)), []),
        # Who begins at the end of the window belongs to the group, and who begins after it does not.
        ((("a", 0, 9_000), ("b", SIMULTANEOUS_WINDOW_MS, 4_000)), [[1, 2]]),
        ((("a", 0, 9_000), ("b", SIMULTANEOUS_WINDOW_MS + 1, 4_000)), []),
    ],
)
def test_who_speaks_at_the_same_time(told: tuple[Told, ...], groups: list[list[int]]) -> None:
    assert [[u.id for u in group] for group in simultaneous(of(*told))] == groups


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30_000), st.integers(0, 8_000)), max_size=30)
)
def test_every_group_is_one(told: list[Told]) -> None:
    groups = simultaneous(of(*((who, start, start + length) for who, start, length in told)))
    seen = [u.id for group in groups for u in group]
    assert len(seen) == len(set(seen)), "nobody stands in two groups"
    for group in groups:
        assert len({u.speaker_id for u in group}) > 1
        assert group[-1].start_ms - group[0].start_ms <= SIMULTANEOUS_WINDOW_MS
        for place, later in enumerate(group[1:], 1):
            assert any(earlier.end_ms >= later.start_ms + 500 for earlier in group[:place])
