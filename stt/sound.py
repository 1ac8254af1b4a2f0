"""The sound of one stretch while it grows: written by the track, read by engines, again on a retry.

The newest sound of one track, as it came: what a standby keeps in case it has to take over.

30 s are 960 kB. A holder that dies is replaced within some seconds, and what it had heard and not
yet transcribed is no longer than that unless its engine lags behind; then more is kept, up to 2 minutes, as
the holder itself does. Older sound is let go.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final, NamedTuple

from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ


class Sound:
    """Chunks of PCM with an end. Any number of readers, each from the first sample."""

    def __init__(self) -> None:
        self.ended_at_s: float | None = None
        """When it ended, on the event loop's clock."""
        self.duration_s = 0.0
        self.chunks: list[bytes] = []
        self._more = asyncio.Event()

    @property
    def ended(self) -> bool:
        """Nothing more will come."""
        return self.ended_at_s is not None

    def append(self, pcm: bytes) -> None:
        """Append the next chunk."""
        self.chunks.append(pcm)
        self.duration_s += len(pcm) / 2 / SAMPLE_RATE_HZ
        self._wake()

    def end(self) -> None:
        """End it: nothing more will come."""
        self.ended_at_s = asyncio.get_running_loop().time()
        self._wake()

    def forget(self) -> None:
        """Let go of the bytes: nobody will read it any more."""
        self.chunks.clear()

    async def growth(self) -> None:
        """Wait for the next chunk, or the end."""
        await self._more.wait()

    async def completion(self) -> None:
        """Wait for the end."""
        while not self.ended:
            await self._more.wait()

    def _wake(self) -> None:
        self._more.set()
        self._more = asyncio.Event()


class Reading:
    """One engine's way through the sound: chunks as they come, until it has ended."""

    def __init__(self, sound: Sound) -> None:
        self.finished = False
        """At the last read all had been read, to the end: a sound that ends later is not finished by that."""
        self._sound = sound
        self._at = 0

    def __aiter__(self) -> Reading:
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
MOST_KEPT_S: Final = 120.0


class Frame(NamedTuple):
    """A piece of sound and the moment at which its last sample arrived."""

    pcm: bytes
    arrived_s: float


class Ring:
    """Frames in order of arrival, the oldest let go beyond `kept_s` of sound or of time."""

    def __init__(self, kept_s: float = KEPT_S) -> None:
        self.kept_s = kept_s
        """So much is kept from now on."""
        self.size_bytes = 0
        """How much sound is kept."""
        self._frames: deque[Frame] = deque()

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def first_s(self) -> float | None:
        """When the oldest frame arrived; None where there is none."""
        return self._frames[0].arrived_s if self._frames else None

    def push(self, pcm: bytes, arrived_s: float) -> None:
        """The next frame (16 kHz mono s16le). Never waits."""
        self._frames.append(Frame(pcm, arrived_s))
        self.size_bytes += len(pcm)
        most_bytes = int(self.kept_s * 1000) * BYTES_PER_MS
        while self.size_bytes > most_bytes or self._frames[0].arrived_s < arrived_s - self.kept_s:
            self.pop()

    def pop(self) -> Frame | None:
        """Take the oldest frame out; None where there is none."""
        if not self._frames:
            return None
        frame = self._frames.popleft()
        self.size_bytes -= len(frame.pcm)
        return frame

    def skip_until(self, arrived_s: float) -> None:
        """Let go of what was complete at that moment."""
        while self._frames and self._frames[0].arrived_s <= arrived_s:
            self.pop()
