"""Samples on the meeting's clock: jitter ignored, holes told, never backwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt.timeline import Hole, TrackTimeline

FRAME = 800
FRAME_MS = 50


def feed(timeline: TrackTimeline, arrivals_ms: list[float]) -> list[Hole]:
    holes = [timeline.observe(FRAME, arrival) for arrival in arrivals_ms]
    return [hole for hole in holes if hole is not None]


def steady(count: int, start_ms: float = 1000.0) -> list[float]:
    return [start_ms + FRAME_MS * (n + 1) for n in range(count)]


def test_first_frame_is_the_anchor() -> None:
    timeline = TrackTimeline()
    assert timeline.observe(FRAME, 5_050.0) is None
    assert timeline.ms_at(0) == 5_000
    assert timeline.ms_at(FRAME) == timeline.now_ms == 5_050


def test_a_meeting_has_no_time_before_its_start() -> None:
    timeline = TrackTimeline()
    timeline.observe(FRAME, 20.0)
    assert timeline.ms_at(0) == 0
    assert timeline.now_ms == 20


def test_jitter_moves_nothing() -> None:
    timeline = TrackTimeline()
    arrivals = [arrival + (17 * n) % 45 for n, arrival in enumerate(steady(200))]
    assert feed(timeline, arrivals) == []
    assert timeline.now_ms == 1000 + 200 * FRAME_MS


def test_a_stalled_loop_is_no_hole() -> None:
    """2 s without a frame, then all of them at once."""
    timeline = TrackTimeline()
    arrivals = steady(100)
    late = arrivals[59]
    stalled = [late + 0.1 * n if 20 <= n < 60 else arrival for n, arrival in enumerate(arrivals)]
    assert feed(timeline, stalled) == []
    assert timeline.now_ms == 1000 + 100 * FRAME_MS


def test_a_reconnect_is_a_hole_of_its_length_at_its_sample() -> None:
    timeline = TrackTimeline()
    arrivals = steady(40) + steady(40, start_ms=1000 + 40 * FRAME_MS + 3_000)
    assert feed(timeline, arrivals) == [Hole(40 * FRAME, 3_000, 6_000)]
    assert timeline.ms_at(40 * FRAME - 1) == 3_000
    assert timeline.ms_at(40 * FRAME) == 6_000
    assert timeline.now_ms == 6_000 + 40 * FRAME_MS


def test_a_reconnect_that_ends_in_a_burst_counts_only_what_is_missing() -> None:
    """3 s of nothing, of which 1 s comes late, back to back."""
    timeline = TrackTimeline()
    resumed_ms = 1000 + 40 * FRAME_MS + 3_000
    burst = [resumed_ms + 0.2 * n for n in range(20)]
    after = steady(40, start_ms=resumed_ms + 4)
    holes = feed(timeline, steady(40) + burst + after)
    assert [hole.sample for hole in holes] == [40 * FRAME]
    assert abs(holes[0].end_ms - holes[0].start_ms - 2_000) < 60
    assert abs(timeline.now_ms - after[-1]) < 60


def test_a_late_first_frame_is_put_right_without_running_backwards() -> None:
    """The first second arrives in one burst: its frames were spoken one after the other."""
    timeline = TrackTimeline()
    burst = [2_000 + 0.1 * n for n in range(20)]
    feed(timeline, burst + steady(40, start_ms=2_002))
    assert abs(timeline.now_ms - (2_002 + 40 * FRAME_MS)) <= 60
    times = [timeline.ms_at(sample) for sample in range(0, timeline.samples, 100)]
    assert times == sorted(times)


@pytest.mark.parametrize("rate", [1.0002, 0.9998])
def test_drift_is_followed_silently(rate: float) -> None:
    """A sender whose crystal is 200 ppm slow or fast, for two hours: over a second, and no hole."""
    timeline = TrackTimeline()
    arrivals = [arrival * rate for arrival in steady(2 * 3600 * 20)]
    assert feed(timeline, arrivals) == []
    assert abs(timeline.now_ms - arrivals[-1]) < 100


@given(st.lists(st.tuples(st.integers(1, 1600), st.floats(0, 4_000)), min_size=1, max_size=80))
def test_meeting_time_never_runs_backwards(frames: list[tuple[int, float]]) -> None:
    timeline = TrackTimeline()
    now_ms = 10_000.0
    last_hole_end = 0
    for samples, gap_ms in frames:
        now_ms += gap_ms
        hole = timeline.observe(samples, now_ms)
        if hole is not None:
            assert hole.start_ms < hole.end_ms
            assert hole.start_ms >= last_hole_end
            assert 0 <= hole.sample < timeline.samples
            last_hole_end = hole.end_ms
    times = [timeline.ms_at(sample) for sample in range(0, timeline.samples + 1, 16)]
    assert times == sorted(times)
    assert timeline.now_ms <= now_ms + 61
