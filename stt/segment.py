"""What an STT engine emits, and what it is fed with. Times are on one track's own clock."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

SAMPLE_RATE_HZ: Final = 16_000
"""Everything after the room is 16 kHz mono signed 16-bit little-endian PCM."""
BYTES_PER_MS: Final = SAMPLE_RATE_HZ * 2 // 1000


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of text. `start_ms`/`end_ms` count from the first sample of the stretch it was heard in."""

    text: str
    start_ms: int
    end_ms: int
    final: bool
    confidence: float | None = None
    language: str | None = None


class SpeechError(Exception):
    """The engine gave nothing for this stretch."""


class EngineBusy(SpeechError):
    """The engine has no room now; the same stretch may be tried again."""

    retry_after_s: float | None = None
    """Where the engine said when."""


class EngineFailed(SpeechError):
    """This stretch will not become text."""


class EngineSilent(EngineFailed):
    """It took the sound and gave no result in time. Whose fault that is, what others get shows."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """One voiced stretch of a track, as it grows: PCM chunks that end when the speech has ended."""

    id: str
    """Unique; stable across retries of the same stretch."""
    language: str
    """`ko`, `en` or `auto`."""
    sound: AsyncIterator[bytes]


class SpeechEngine(Protocol):
    """Turns one voiced stretch into segments. Engines that stream yield interims while it grows."""

    name: str
    gives_interims: bool

    def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        """Segments in order; the finals together are the text of the stretch. May raise `SpeechError`."""

    async def aclose(self) -> None:
        """Let go of connections."""


@runtime_checkable
class Expectant(Protocol):
    """An engine that recognises words better when it is told to expect them."""

    def expect(self, words: Callable[[], Iterable[str]]) -> None:
        """Ask `words` for what may be said (names, terms) whenever that can be used."""
