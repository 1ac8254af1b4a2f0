"""What a standby keeps of one track: the newest seconds, in order, and no more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stt.segment import BYTES_PER_MS
from stt.sound import KEPT_S, Ring

FRAME = bytes(50 * BYTES_PER_MS)


def _taken(ring: Ring) -> list[float]:
    taken: list[float] = []
    while (frame := ring.pop()) is not None:
        taken.append(frame.arrived_s)
    return taken


def test_thirty_seconds_are_a_megabyte() -> None:
    ring = Ring()
    for number in range(20 * 60 * 10):  # ten minutes
        ring.push(FRAME, number * 0.05)
    assert 0.95e6 < ring.size_bytes <= 0.96e6
    taken = _taken(ring)
    assert taken[-1] - taken[0] <= KEPT_S
    assert ring.size_bytes == 0


def test_old_sound_goes_also_where_little_comes() -> None:
    ring = Ring()
    ring.push(FRAME, 0.0)
    ring.push(FRAME, KEPT_S + 1)
    assert _taken(ring) == [KEPT_S + 1]


def test_more_is_kept_from_when_on_it_is_asked_for_and_no_longer() -> None:
    ring = Ring()
    for number in range(120):
        if number == 20:
            ring.kept_s = 60
        ring.push(FRAME, float(number))
    assert _taken(ring) == [float(number) for number in range(59, 120)]
    ring.push(FRAME, 200.0)
    ring.kept_s = KEPT_S
    ring.push(FRAME, 231.0)
    assert _taken(ring) == [231.0]


def test_what_is_on_record_is_skipped() -> None:
    ring = Ring()
    for number in range(10):
        ring.push(FRAME, float(number))
    ring.skip_until(6.0)
    assert _taken(ring) == [7.0, 8.0, 9.0]
    assert len(ring) == 0


@given(st.lists(st.tuples(st.integers(1, 4000), st.floats(0.001, 3)), max_size=80))
def test_it_holds_the_newest_and_counts_it(frames: list[tuple[int, float]]) -> None:
    ring, now_s, pushed = Ring(kept_s=2.0), 0.0, list[float]()
    for length, step_s in frames:
        now_s += step_s
        ring.push(bytes(2 * length), now_s)
        pushed.append(now_s)
        assert ring.size_bytes <= 2000 * BYTES_PER_MS
        assert len(ring) > 0
    taken = _taken(ring)
    assert taken == pushed[len(pushed) - len(taken) :]
