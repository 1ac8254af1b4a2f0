"""Where speech starts and ends: windows with the VAD's verdicts in, stretches of sound out.

Theory of operation. Two states. *Quiet*: windows wait in a pre-roll ring; a run of voiced ones that
is long enough starts a stretch, ring first. *Speaking*: every window is handed on at once (engines
that stream hear it while it grows) until the silence has lasted; the stretch holds that silence too.

Nobody speaks for ever, but some nearly do: from `longest_ms - search_ms` on, sound is kept back, and
if no pause comes the stretch is cut at the quietest window of what was kept. The cut falls between two
samples: what is before it belongs to one stretch, what follows to the next, nothing to both or neither.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from stt.loudness import power
from stt.segment import SAMPLE_RATE_HZ

_SAMPLES_PER_MS = SAMPLE_RATE_HZ // 1000


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """A stretch begins. Samples are numbered as on the track's `TrackTimeline`."""

    sample: int
    """The first sample of its sound, pre-roll included."""
    voiced_sample: int
    """The first sample of its voice."""


@dataclass(frozen=True, slots=True)
class SpeechSound:
    """The next piece of PCM of the stretch that grows."""

    pcm: bytes


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """The stretch is complete: no more of its sound follows."""

    sample: int
    """The first sample after its sound, trailing silence included."""
    voiced_sample: int
    """The first sample after its voice."""


StretchEvent = SpeechStarted | SpeechSound | SpeechEnded
"""What an endpointer tells: for each stretch its start, all its sound in pieces, its end."""


@dataclass(frozen=True, slots=True)
class EndpointerOptions:
    """Where a stretch begins and ends. docs/measurements.md has the figures behind the defaults."""

    activation_threshold: float = 0.5
    """The VAD's probability from which a window counts as voiced while nobody speaks."""
    deactivation_threshold: float = 0.35
    """The same while somebody speaks: lower, so that a weak syllable does not end a word."""
    speech_ms: int = 64
    """Voice shorter than this is taken for a click and starts no stretch."""
    silence_ms: int = 500
    """Silence that ends a stretch."""
    preroll_ms: int = 300
    """Sound before the voice that belongs to the stretch, too."""
    longest_ms: int = 25_000
    """Beyond this a stretch is cut."""
    search_ms: int = 5_000
    """How far back from there the quietest point is looked for."""


@dataclass(frozen=True, slots=True)
class _Window:
    pcm: bytes
    sample: int
    probability: float

    @property
    def end(self) -> int:
        return self.sample + len(self.pcm) // 2


class Endpointer:
    """One track's endpointer. Pure: no clock, no model; the verdicts come with the windows."""

    def __init__(self, options: EndpointerOptions | None = None) -> None:
        self._options = options or EndpointerOptions()
        self._ring: deque[_Window] = deque()
        self._voiced_run = 0
        """How many samples at the end of the ring are voiced."""
        self._kept: list[_Window] = []
        """The windows of the running stretch that are kept back, since it may be cut among them."""
        self._speaking = False
        self._next_sample = -1
        self._stretch_sample = 0
        self._voiced_end = 0

    @property
    def speaking(self) -> bool:
        """Whether a stretch grows, or may just be starting."""
        return self._speaking or self._voiced_run > 0

    def push(self, pcm: bytes, probability: float, sample: int) -> list[StretchEvent]:
        """Take the next window and its verdict; if `sample` doesn't follow, a growing stretch ends first."""
        events: list[StretchEvent] = []
        if sample != self._next_sample:
            events += self.flush()
        window = _Window(pcm, sample, probability)
        self._next_sample = window.end
        events += self._speak(window) if self._speaking else self._listen(window)
        return events

    def would_end(self, samples: int) -> bool:
        """Whether a stretch grows that so many more samples without a voice would end."""
        silence = self._next_sample + samples - self._voiced_end
        return self._speaking and silence >= self._options.silence_ms * _SAMPLES_PER_MS

    def flush(self) -> list[StretchEvent]:
        """End the growing stretch now, with all its sound, and forget the pre-roll."""
        events = self._end() if self._speaking else []
        self._ring.clear()
        self._voiced_run = 0
        return events

    def _listen(self, window: _Window) -> list[StretchEvent]:
        options = self._options
        voiced = window.probability >= options.activation_threshold
        self._voiced_run = self._voiced_run + len(window.pcm) // 2 if voiced else 0
        self._ring.append(window)
        if self._voiced_run >= options.speech_ms * _SAMPLES_PER_MS:
            self._speaking, self._voiced_end = True, window.end
            self._stretch_sample = self._ring[0].sample
            started = SpeechStarted(self._stretch_sample, window.end - self._voiced_run)
            held = [SpeechSound(held.pcm) for held in self._ring]
            self._ring.clear()
            self._voiced_run = 0
            return [started, *held]
        bound = options.preroll_ms * _SAMPLES_PER_MS + self._voiced_run
        while len(self._ring) > 1 and window.end - self._ring[1].sample >= bound:
            self._ring.popleft()
        return []

    def _speak(self, window: _Window) -> list[StretchEvent]:
        options = self._options
        if window.probability >= options.deactivation_threshold:
            self._voiced_end = window.end
        events: list[StretchEvent] = []
        length = window.end - self._stretch_sample
        if length > (options.longest_ms - options.search_ms) * _SAMPLES_PER_MS:
            self._kept.append(window)
        else:
            events.append(SpeechSound(window.pcm))
        if window.end - self._voiced_end >= options.silence_ms * _SAMPLES_PER_MS:
            return events + self._end()
        if length >= options.longest_ms * _SAMPLES_PER_MS:
            return events + self._cut()
        return events

    def _end(self) -> list[StretchEvent]:
        windows = [SpeechSound(windows.pcm) for windows in self._kept]
        self._kept.clear()
        self._speaking = False
        return [*windows, SpeechEnded(self._next_sample, self._voiced_end)]

    def _cut(self) -> list[StretchEvent]:
        """Split at the quietest of the windows kept back; it goes to the stretch that ends.

        It is the middle of the quietest three neighbours: one alone may be a closed consonant.
        """
        energy = np.array([power(window.pcm) for window in self._kept])
        at = int(np.argmin(np.convolve(energy, np.ones(3), "valid"))) + 2
        before, after = self._kept[:at], self._kept[at:]
        cut = before[-1].end
        ended = SpeechEnded(cut, min(cut, self._voiced_end))
        self._stretch_sample, self._voiced_end = cut, max(cut, self._voiced_end)
        self._kept = []
        return [
            *(SpeechSound(kept.pcm) for kept in before),
            ended,
            SpeechStarted(cut, cut),
            *(SpeechSound(kept.pcm) for kept in after),
        ]
