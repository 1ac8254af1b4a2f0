"""The door before the VAD: sound that rises over its own noise floor passes, the rest costs next to nothing.

A fixed threshold stays open all the time in a noisy room; this one follows the floor: it falls at
once to whatever is quieter and rises slowly (about 10 % per second), so that talk, with its own
short pauses, doesn't become the floor. What passes is contiguous: the pre-roll holds the sound
just before the door opened, so that no start is lost.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

import numpy as np

from stt.segment import BYTES_PER_MS

_FALLBACK_FLOOR: Final = 100.0
"""RMS, of 32,768: what a track is taken for until it has been quiet once."""


@dataclass(frozen=True, slots=True)
class GateOptions:
    """Levels are RMS of 16-bit samples; times in ms of sound."""

    ratio: float = 2.0
    """Opens at this many times the floor: 6 dB."""
    least: float = 60.0
    """Never opens below this (about -55 dBFS)."""
    lowest_floor: float = 10.0
    rise_per_s: float = 1.1
    """How fast the floor rises while the sound is above it."""
    preroll_ms: int = 500
    hangover_ms: int = 800


class Gate:
    """One track's adaptive energy gate."""

    def __init__(self, options: GateOptions | None = None) -> None:
        self._options = options or GateOptions()
        self._floor = _FALLBACK_FLOOR
        self._open_ms = 0.0
        self._held: deque[tuple[int, bytes]] = deque()
        self._held_ms = 0.0

    @property
    def is_open(self) -> bool:
        """Whether the next frame passes whatever its level."""
        return self._open_ms > 0

    def push(self, sample: int, pcm: bytes, *, hold: bool = False) -> list[tuple[int, bytes]]:
        """What passes, as (number of its first sample, sound), in order; usually nothing or this frame.

        `hold` keeps the door open: somebody behind it is in the middle of a word.
        """
        options = self._options
        duration_ms = len(pcm) / BYTES_PER_MS
        level = _rms(pcm)
        if level > self._threshold:
            self._open_ms = options.hangover_ms
        elif hold:
            self._open_ms = max(self._open_ms, duration_ms)
        if level < self._floor:
            self._floor = max(options.lowest_floor, level)
        else:
            self._floor *= 1 + (options.rise_per_s - 1) * duration_ms / 1000
        if self._open_ms <= 0:
            self._hold_back(sample, pcm, duration_ms)
            return []
        self._open_ms -= duration_ms
        passing = [*self._held, (sample, pcm)]
        self._held.clear()
        self._held_ms = 0.0
        return passing

    def quiet(self, pcm: bytes) -> bool:
        """Would this sound leave a closed door closed?"""
        return _rms(pcm) <= self._threshold

    @property
    def _threshold(self) -> float:
        return max(self._options.least, self._options.ratio * self._floor)

    def reset(self) -> None:
        """Forget held sound and close; the floor stays, it belongs to the microphone."""
        self._open_ms = 0.0
        self._held.clear()
        self._held_ms = 0.0

    def _hold_back(self, sample: int, pcm: bytes, duration_ms: float) -> None:
        self._held.append((sample, pcm))
        self._held_ms += duration_ms
        while self._held and self._held_ms - len(self._held[0][1]) / BYTES_PER_MS >= self._options.preroll_ms:
            self._held_ms -= len(self._held.popleft()[1]) / BYTES_PER_MS


def _rms(pcm: bytes) -> float:
    wave = np.frombuffer(pcm, np.int16).astype(np.float32)
    return float(np.sqrt(wave @ wave / len(wave))) if len(wave) else 0.0
