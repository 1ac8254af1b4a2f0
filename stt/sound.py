"""The sound of one stretch while it grows: written by the track, read by engines, again on a retry.

The newest sound of one track, as it came: what a standby keeps in case it has to take over.

30 s are 960 kB. A holder that dies is replaced within some seconds, and what it had heard and not
yet transcribed is no longer than that unless its engine lags behind; then more is kept, up to 2 minutes, as
the holder itself does. Older sound is let go.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ


class Sound:
    """Chunks of PCM with an end. Any number of readers, each from the first sample."""

    def __init__(self) -> None:
        self.ended_at_s: float | None = None
        """When it ended, on the event loop's clock."""
        self.duration_s = 0.0
        self._chunks: list[bytes] = []
        self._more = asyncio.Event()
        self._on_end: list[Callable[[], None]] = []

    @property
    def ended(self) -> bool:
        """Nothing more will come."""
        return self.ended_at_s is not None

    def append(self, pcm: bytes) -> None:
        """Append the next chunk."""
        self._chunks.append(pcm)
        self.duration_s += len(pcm) / 2 / SAMPLE_RATE_HZ
        self._wake()

    def end(self) -> None:
        """End it: nothing more will come."""
        self.ended_at_s = asyncio.get_running_loop().time()
        self._wake()
        for call in self._on_end:
            call()
        self._on_end.clear()

    def when_ended(self, call: Callable[[], None]) -> None:
        """Call once it has ended: at once, if it has."""
        if self.ended:
            call()
        else:
            self._on_end.append(call)

    def forget(self) -> None:
        """Let go of the bytes: nobody will read it any more."""
        self._chunks.clear()

    def reading(self) -> Reading:
        """A reader, from the start."""
        return Reading(self)

    @property
    def pcm(self) -> bytes:
        """All of it, so far."""
        return b"".join(self._chunks)

    def chunk(self, at: int) -> bytes | None:
        """The chunk of that number, if it has come."""
        return self._chunks[at] if at < len(self._chunks) else None

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
        """Everything was read, to the end."""
        self._sound = sound
        self._at = 0

    def __aiter__(self) -> Reading:
        return self

    async def __anext__(self) -> bytes:
        while (chunk := self._sound.chunk(self._at)) is None:
            if self._sound.ended:
                self.finished = True
                raise StopAsyncIteration
            await self._sound.growth()
        self._at += 1
        self.finished = self._sound.ended and self._sound.chunk(self._at) is None
        return chunk


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
