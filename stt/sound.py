"""The sound of one stretch while it grows: written by the track, read by engines, again on a retry."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from stt.segment import SAMPLE_RATE_HZ


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
        """The next chunk."""
        self._chunks.append(pcm)
        self.duration_s += len(pcm) / 2 / SAMPLE_RATE_HZ
        self._wake()

    def end(self) -> None:
        """That was all."""
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
