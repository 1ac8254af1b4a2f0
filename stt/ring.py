"""The newest sound of one track, as it came: what a standby keeps in case it has to take over.

30 s are 960 kB. A holder that dies is replaced within some seconds, and what it had heard and not
yet transcribed is no longer than that unless its engine lags behind; then more is kept, up to 2 minutes, as
the holder itself does. Older sound is let go.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from stt.segment import BYTES_PER_MS

KEPT_S: Final = 30.0
MOST_KEPT_S: Final = 120.0


class Frame(NamedTuple):
    """A piece of sound and the moment at which its last sample arrived."""

    pcm: bytes
    arrived_s: float


class Ring:
    """Frames in order of arrival, the oldest let go beyond `kept_s` of sound or of time."""

    def __init__(self, kept_s: float = KEPT_S) -> None:
        self._frames: deque[Frame] = deque()
        self._bytes = 0
        self.keep(kept_s)

    def keep(self, kept_s: float) -> None:
        """From now on so much is kept."""
        self._kept_s = kept_s
        self._most_bytes = int(kept_s * 1000) * BYTES_PER_MS

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def first_s(self) -> float | None:
        """When the oldest frame arrived; None where there is none."""
        return self._frames[0].arrived_s if self._frames else None

    @property
    def size_bytes(self) -> int:
        """How much sound is kept."""
        return self._bytes

    def push(self, pcm: bytes, arrived_s: float) -> None:
        """The next frame (16 kHz mono s16le). Never waits."""
        self._frames.append(Frame(pcm, arrived_s))
        self._bytes += len(pcm)
        while self._bytes > self._most_bytes or self._frames[0].arrived_s < arrived_s - self._kept_s:
            self.pop()

    def pop(self) -> Frame | None:
        """Take the oldest frame out; None where there is none."""
        if not self._frames:
            return None
        frame = self._frames.popleft()
        self._bytes -= len(frame.pcm)
        return frame

    def skip_until(self, arrived_s: float) -> None:
        """Let go of what was complete at that moment."""
        while self._frames and self._frames[0].arrived_s <= arrived_s:
            self.pop()
