"""When a sample was spoken: one track's samples on the meeting's clock.

Theory of operation. Frames carry no capture time, only sound, so each track is anchored by the
arrival of its first frame and then counts samples: sample clocks don't jitter, arrivals do. The
difference between when a frame arrived and when its last sample was due is its *lag*:

- Lag that comes and goes is jitter or a stalled event loop (a late frame, then a burst): ignored.
- Lag that stays, once frames flow at their own pace again, is sound that never came (network,
  reconnect): the timeline moves on by it and says so with a `Hole`.
- Lag below zero is impossible (nothing arrives before it is spoken): the anchor was late; it is
  moved back at once, and time stands still until the samples have caught up, so that meeting
  time never runs backwards.
- Lag that creeps is the drift between two crystals: corrected silently, every few seconds.

`Arrivals` keeps when the newest frames arrived, from which a turn's delay is told.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass
from math import inf
from typing import Final

from stt.segment import SAMPLE_RATE_HZ

_SAMPLES_PER_MS: Final = SAMPLE_RATE_HZ // 1000
_KEPT_ANCHORS: Final = 512
_TOLERANCE_MS: Final = 400.0
"""Lag that counts as a hole."""
_DRIFT_MS: Final = 60.0
"""Lag that is corrected silently, at the end of each window."""
_DRIFT_WINDOW: Final = 10_000 * _SAMPLES_PER_MS


@dataclass(frozen=True, slots=True)
class Hole:
    """Sound that never came, between two neighbouring samples. Times are in ms of the meeting."""

    sample: int
    """The first sample after the hole."""
    start_ms: int
    end_ms: int


@dataclass(frozen=True, slots=True)
class _Anchor:
    sample: int
    ms: float
    floor_ms: float
    """No sample from here on is earlier than this."""

    def due_ms(self, sample: int) -> float:
        return self.ms + (sample - self.sample) / _SAMPLES_PER_MS


class TrackTimeline:
    """Maps one track's sample numbers to ms of the meeting. Pure: arrivals come as data."""

    def __init__(self) -> None:
        self.samples = 0
        """How many samples have been counted, which is the number of the next one."""
        self._anchors: list[_Anchor] = []
        self._late_from: int | None = None
        self._last_arrival_ms = 0.0
        self._least_lag_ms = inf
        self._window_ends_at = 0

    def observe(self, samples: int, arrived_ms: float) -> Hole | None:
        """Count a frame of `samples` samples whose last one arrived at `arrived_ms`, in ms of the meeting.

        Returns the hole that this frame proves; it may begin some frames before. None: there is none.
        """
        if samples <= 0:
            return None
        first, self.samples = self.samples, self.samples + samples
        duration_ms = samples / _SAMPLES_PER_MS
        if not self._anchors:
            start_ms = arrived_ms - duration_ms
            self._anchors.append(_Anchor(first, start_ms, start_ms))
            self._window_ends_at = self.samples + _DRIFT_WINDOW
        flowing = arrived_ms - self._last_arrival_ms >= duration_ms / 2
        self._last_arrival_ms = arrived_ms
        lag_ms = arrived_ms - self._anchors[-1].due_ms(self.samples)
        if lag_ms > _TOLERANCE_MS:
            # A stall whose burst is still to come, or a hole? The next frame's pace tells.
            if self._late_from is None:
                self._late_from = first
            elif flowing:
                sample, self._late_from = self._late_from, None
                start_ms = self._move(sample, lag_ms)
                return Hole(sample, max(0, round(start_ms)), self.ms_at(sample))
            return None
        self._late_from = None
        if lag_ms < -_DRIFT_MS:
            self._move(first, lag_ms)
            return None
        self._least_lag_ms = min(self._least_lag_ms, lag_ms)
        if self.samples >= self._window_ends_at:
            drift_ms = self._least_lag_ms
            self._begin_window()
            if drift_ms > _DRIFT_MS:
                self._move(self.samples, drift_ms)
        return None

    def ms_at(self, sample: int) -> int:
        """When a sample was (or will be) spoken, in ms of the meeting; 0 before the first frame.

        Never falls as `sample` grows, and never negative: a meeting's first frame may have begun before it.
        """
        if not self._anchors:
            return 0
        at = bisect_right(self._anchors, sample, key=lambda anchor: anchor.sample) - 1
        if at < 0:  # before the oldest anchor that is kept
            return max(0, round(self._anchors[0].floor_ms))
        anchor = self._anchors[at]
        return max(0, round(max(anchor.floor_ms, anchor.due_ms(sample))))

    @property
    def now_ms(self) -> int:
        """When the newest sample ended, in ms of the meeting."""
        return self.ms_at(self.samples)

    def _move(self, sample: int, by_ms: float) -> float:
        """Move `sample` and what follows by `by_ms` (back as far as can be); returns when it was before."""
        anchor = self._anchors[-1]
        due_ms = anchor.due_ms(sample)
        end_ms = max(anchor.floor_ms, due_ms)
        self._anchors.append(_Anchor(sample, due_ms + by_ms, end_ms))
        del self._anchors[:-_KEPT_ANCHORS]
        self._begin_window()
        return end_ms

    def _begin_window(self) -> None:
        self._least_lag_ms = inf
        self._window_ends_at = self.samples + _DRIFT_WINDOW


_KEPT_FRAMES: Final = 128
"""It is some seconds in frames, longer than any silence window."""


class Arrivals:
    """Remembers when the newest frames of a track arrived."""

    def __init__(self) -> None:
        self._frames: deque[tuple[int, float]] = deque(maxlen=_KEPT_FRAMES)
        """(the number of the first sample after a frame, when that frame arrived)"""

    def note(self, end_sample: int, arrived_s: float) -> None:
        """Note when a frame arrived; `end_sample` is the number of the first sample after it."""
        self._frames.append((end_sample, arrived_s))

    def of(self, sample: int) -> float | None:
        """When the frame arrived that made the sound up to `sample` complete; None: too long ago to tell."""
        known = [arrived_s for end, arrived_s in self._frames if end >= sample]
        return known[0] if 0 < len(known) < _KEPT_FRAMES else None
