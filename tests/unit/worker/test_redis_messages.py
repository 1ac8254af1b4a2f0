"""What other programs write into a meeting's streams, in the shapes in which their languages write it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from worker.messages import Malformed, SegmentMessage, read_input


def segment(**fields: Any) -> bytes:
    whole = {"id": "s1", "speaker": "minji", "text": "출시는 금요일.", "start_ms": 0, "end_ms": 900, **fields}
    return json.dumps(whole).encode()


@pytest.mark.parametrize(("given", "taken"), [(17_000, 17_000), (17_000.0, 17_000), (17_000.75, 17_000)])
def test_times_may_have_a_fraction_of_a_millisecond(given: float, taken: int) -> None:
    read = read_input(segment(start_ms=given, end_ms=given + 900))
    assert isinstance(read, SegmentMessage)
    assert (read.start_ms, read.end_ms) == (taken, taken + 900)


@pytest.mark.parametrize("given", [-0.5, 1e15, float("nan"), float("inf"), "soon"])
def test_what_is_no_time_is_told(given: Any) -> None:
    read = read_input(segment(start_ms=0, end_ms=given))
    assert isinstance(read, Malformed)
    assert "end_ms" in read.reason
