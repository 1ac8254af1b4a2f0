"""When the sound of a track arrived, frame by frame, for as long as a stretch's end may look back."""

from __future__ import annotations

from collections import deque
from typing import Final

_KEPT: Final = 128
"""In frames: some seconds, longer than any silence window."""


class Arrivals:
    """Of the newest frames."""

    def __init__(self) -> None:
        self._frames: deque[tuple[int, float]] = deque(maxlen=_KEPT)
        """(the sample after a frame, when that frame arrived)"""

    def note(self, end_sample: int, arrived_s: float) -> None:
        """A frame arrived; `end_sample` is the first one behind it."""
        self._frames.append((end_sample, arrived_s))

    def of(self, sample: int) -> float | None:
        """When the frame arrived in which the sound up to `sample` was complete; None: too long ago."""
        known = [arrived_s for end, arrived_s in self._frames if end >= sample]
        return known[0] if 0 < len(known) < _KEPT else None
