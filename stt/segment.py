"""The port of a speech engine: the stretch of sound it is given, the segments it gives back, its errors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final, Protocol

from stt.spoken_language import FIRST_SHARES, Shares

SAMPLE_RATE_HZ: Final = 16_000
"""PCM in Moim, from the room on, is 16 kHz mono, signed 16-bit little-endian."""
BYTES_PER_MS: Final = SAMPLE_RATE_HZ * 2 // 1000
"""Bytes of PCM in a millisecond of sound: 32."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of recognised text. `start_ms`, `end_ms` count from the first sample of its `Stretch`."""

    text: str
    start_ms: int
    end_ms: int
    final: bool
    """False: an interim text, which the next segment replaces."""
    confidence: float | None = None
    """0-1; None where the engine gives none."""
    language: str | None = None
    """The language spoken (`ko`, `en`, …); None where the engine does not say."""
    doubtful: tuple[tuple[int, int], ...] = ()
    """Where in a final's text figures and days stand that the engine did not hear clearly."""
    firm: int = 0
    """How many characters of an interim text, from its beginning, are to stay (`stt.agreement`)."""
    sounded: Shares | None = None
    """What the sound alone says of its language (`stt.spoken_language.evidence`); None: as `language`."""


class SpeechError(Exception):
    """Base of what `SpeechEngine.transcribe` raises: the engine gave no text for this stretch."""


class EngineBusy(SpeechError):
    """The engine is full or away; the same stretch may be tried again later."""

    retry_after_s: float | None = None
    """Seconds after which the engine asked to be tried again; None where it did not say."""


class EngineFailed(SpeechError):
    """The engine failed on this stretch itself; waiting will not help."""


class EngineSilent(EngineFailed):
    """The engine took the sound and gave no result in time: it hangs, for this stretch or for all."""


def _at_first() -> Shares:
    return FIRST_SHARES


@dataclass(frozen=True, slots=True)
class Stretch:
    """One piece of speech, as an engine gets it; its sound may still be growing."""

    id: str
    """Unique; the same for each attempt at the same speech."""
    language: str
    """`ko`, `en` or `auto`."""
    sound: AsyncIterator[bytes]
    """Chunks of PCM as they come; it ends when the speech has ended."""
    expected: Callable[[], Shares] = _at_first
    """Which languages are expected, where it is `auto`; asked when needed, as others are heard meanwhile."""
    terms: tuple[str, ...] = ()
    """What may be said in it and is easily misheard (names, terms), the likeliest first."""


class SpeechEngine(Protocol):
    """Port of a speech recogniser, which turns stretches of speech into segments of text."""

    name: str
    """What logs and errors call the engine."""
    gives_interims: bool
    """Whether it yields interim segments while a stretch grows."""

    def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        """Read the stretch to its end and yield segments in order; its finals together are the text.

        No final: nothing was said. Raises `SpeechError`; closing the iterator cancels the request.
        """

    async def aclose(self) -> None:
        """Close the engine's connections."""
