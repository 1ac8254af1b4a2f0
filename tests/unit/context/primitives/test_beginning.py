"""A list's beginning is what stood there when it was made, without a copy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.primitives.beginning import Beginning

BOUND = st.none() | st.integers(-8, 8)


@given(st.lists(st.integers(), max_size=6), st.lists(st.integers(), max_size=6), BOUND, BOUND)
def test_it_is_as_a_copy_whatever_comes_behind(
    before: list[int], after: list[int], start: int | None, stop: int | None
) -> None:
    whole = [*before]
    beginning = Beginning(whole)
    whole += after
    assert beginning == before
    assert len(beginning) == len(before)
    assert list(beginning) == before
    assert beginning[start:stop] == before[start:stop]
    for place in range(-len(before), len(before)):
        assert beginning[place] == before[place]
    with pytest.raises(IndexError):
        beginning[len(before)]


def test_what_is_corrected_in_it_is_read_corrected() -> None:
    whole = ["목요일", "Thursday"]
    beginning = Beginning(whole)
    whole[0] = "금요일"
    assert list(beginning) == ["금요일", "Thursday"]
