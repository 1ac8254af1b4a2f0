"""Buffers of sound: `Sound`, one stretch while it grows, and `Ring`, the newest frames of a track.

The track writes a `Sound`; engines read it, each attempt from its first sample (`SoundReader`).

A `Ring` is what a standby keeps in case it has to take over. 30 s are 960 kB. A holder that dies is replaced
within some seconds, and what it had heard and not yet transcribed is no longer than that unless its engine
lags behind; then more is kept, up to 2 minutes. Older sound is dropped: a holder keeps more, but a standby
is there for each meeting.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final, NamedTuple

from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ


class Sound:
    """The growing PCM of one stretch. Any number of `SoundReader`s read it, each from the first sample."""

    def __init__(self) -> None:
        self.ended_at_s: float | None = None
        """When `end` was called, on the event loop's clock; None while the sound grows."""
        self.duration_s = 0.0
        """The length of all that was appended; `forget` does not change it."""
        self.chunks: list[bytes] = []
        self._more = asyncio.Event()

    @property
    def ended(self) -> bool:
        """Whether `end` was called: no chunk will follow."""
        return self.ended_at_s is not None

    def append(self, pcm: bytes) -> None:
        """Append the next chunk."""
        self.chunks.append(pcm)
        self.duration_s += len(pcm) / 2 / SAMPLE_RATE_HZ
        self._wake()

    def end(self) -> None:
        """Mark the sound as complete and wake its readers."""
        self.ended_at_s = asyncio.get_running_loop().time()
        self._wake()

    def forget(self) -> None:
        """Free the bytes, once nobody will read them any more."""
        self.chunks.clear()

    async def growth(self) -> None:
        """Wait for the next chunk, or the end."""
        await self._more.wait()

    async def completion(self) -> None:
        """Wait until the sound has ended."""
        while not self.ended:
            await self._more.wait()

    def _wake(self) -> None:
        self._more.set()
        self._more = asyncio.Event()


class SoundReader:
    """One attempt's iterator over a `Sound`: its chunks as they come, until the sound has ended."""

    def __init__(self, sound: Sound) -> None:
        self.finished = False
        """Whether the last read gave the last chunk of a sound that had ended by then."""
        self._sound = sound
        self._at = 0

    def __aiter__(self) -> SoundReader:
        return self

    async def __anext__(self) -> bytes:
        while self._at >= len(self._sound.chunks):
            if self._sound.ended:
                self.finished = True
                raise StopAsyncIteration
            await self._sound.growth()
        self._at += 1
        self.finished = self._sound.ended and self._at == len(self._sound.chunks)
        return self._sound.chunks[self._at - 1]


KEPT_S: Final = 30.0
"""How many seconds a `Ring` keeps at first."""
MOST_KEPT_S: Final = 120.0
"""How many seconds a `Ring` keeps at most, while the holder's engine lags behind."""


class Frame(NamedTuple):
    """A piece of PCM as it arrived from a room."""

    pcm: bytes
    arrived_s: float
    """When its last sample arrived, on the machine's monotonic clock."""


class Ring:
    """The newest frames of a track, in order of arrival; `push` drops those beyond `kept_s`."""

    def __init__(self, kept_s: float = KEPT_S) -> None:
        self.kept_s = kept_s
        """Bound in seconds, both of sound and of age; may be changed, and counts from the next `push`."""
        self.size_bytes = 0
        """Bytes of PCM in the ring."""
        self._frames: deque[Frame] = deque()

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def first_s(self) -> float | None:
        """When the oldest frame arrived; None where the ring is empty."""
        return self._frames[0].arrived_s if self._frames else None

    def push(self, pcm: bytes, arrived_s: float) -> None:
        """Append the next frame of PCM and drop what is beyond `kept_s`. Never waits."""
        self._frames.append(Frame(pcm, arrived_s))
        self.size_bytes += len(pcm)
        most_bytes = int(self.kept_s * 1000) * BYTES_PER_MS
        while self.size_bytes > most_bytes or self._frames[0].arrived_s < arrived_s - self.kept_s:
            self.pop()

    def pop(self) -> Frame | None:
        """Take the oldest frame out; None where the ring is empty."""
        if not self._frames:
            return None
        frame = self._frames.popleft()
        self.size_bytes -= len(frame.pcm)
        return frame

    def skip_until(self, arrived_s: float) -> None:
        """Drop all frames that had arrived by that moment."""
        while self._frames and self._frames[0].arrived_s <= arrived_s:
            self.pop()
