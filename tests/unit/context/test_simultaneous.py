"""Simultaneous speech, grouped within two seconds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from context.models import Utterance
from context.speaker_context import WINDOW_MS, simultaneous
from context.values import changed
from tests.unit.context.samples import utter

Told = tuple[str, int, int]


def of(*told: Told) -> list[Utterance]:
    return [
        changed(utter(number, who, "말 words"), {"start_ms": start, "end_ms": end})
        for number, (who, start, end) in enumerate(told, 1)
    ]


def ids(utterances: list[Utterance], window_ms: int = WINDOW_MS) -> list[list[int]]:
    return [[u.id for u in group] for group in simultaneous(utterances, window_ms)]


def test_who_begins_at_about_the_same_time_belongs_together() -> None:
    assert ids(of(("a", 0, 3_000), ("b", 400, 2_000), ("c", 1_900, 4_000), ("a", 9_000, 10_000))) == [
        [1, 2, 3]
    ]


def test_a_quick_answer_is_no_simultaneous_speech() -> None:
    assert ids(of(("a", 0, 600), ("b", 700, 1_200), ("a", 1_300, 1_900))) == []
    assert ids(of(("a", 0, 1_900), ("b", 1_500, 4_000))) == [], "nor where it comes a little early"


def test_cutting_in_on_a_long_speech_is_none_either() -> None:
    assert ids(of(("a", 0, 20_000), ("b", 10_000, 12_000))) == []


def test_one_person_alone_is_no_group_however_the_times_overlap() -> None:
    assert ids(of(("a", 0, 3_000), ("a", 500, 2_000))) == []


def test_the_window_can_be_changed_and_closed() -> None:
    told = of(("a", 0, 9_000), ("b", 3_000, 4_000))
    assert ids(told) == []
    assert ids(told, 4_000) == [[1, 2]]
    assert ids(of(("a", 0, 900), ("b", 10, 900)), 0) == []


def test_the_order_of_arrival_does_not_matter() -> None:
    told = of(("a", 0, 3_000), ("b", 400, 2_000))
    assert ids(told[::-1]) == [[1, 2]]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30_000), st.integers(0, 8_000)), max_size=30),
    st.integers(0, 5_000),
)
def test_every_group_is_one(told: list[Told], window_ms: int) -> None:
    groups = simultaneous(of(*((who, start, start + length) for who, start, length in told)), window_ms)
    seen = [u.id for group in groups for u in group]
    assert len(seen) == len(set(seen)), "nobody stands in two groups"
    for group in groups:
        assert len({u.speaker_id for u in group}) > 1
        assert group[-1].start_ms - group[0].start_ms <= window_ms
        for place, later in enumerate(group[1:], 1):
            assert any(earlier.end_ms >= later.start_ms + 500 for earlier in group[:place])
