"""Finds where somebody speaks on one track: frames in, speech events out.

Theory of operation. Most frames end at the gate. What passes is cut into the voice detector's windows, and
the segmenter makes stretches of its verdicts. What does not fill a window yet waits for the next frame; it
is judged early where a stretch ends with it, so that nobody's words wait for a frame that never comes.
"""

from __future__ import annotations

from stt.gate import Gate
from stt.segmenter import Segmenter, SpeechEvent
from stt.vad import WINDOW_BYTES, Vad


class SpeechDetector:
    """One track's. Synchronous; `vad` is this track's own."""

    def __init__(self, vad: Vad, segmenter: Segmenter | None = None) -> None:
        self._vad = vad
        self._gate = Gate()
        self._segmenter = segmenter or Segmenter()
        self._rest = bytearray()
        """Sound that doesn't fill a window yet, and the number of its first sample."""
        self._rest_sample = -1

    def push(self, sample: int, pcm: bytes) -> list[SpeechEvent]:
        """The next frame, which begins at `sample`. If that doesn't follow, what came before ends first."""
        events: list[SpeechEvent] = []
        for first, passing in self._gate.push(sample, pcm, hold=self._segmenter.speaking):
            events += self._listen(first, passing)
        return events

    def flush(self) -> list[SpeechEvent]:
        """End the growing stretch now: nothing of its sound is lost."""
        events: list[SpeechEvent] = []
        if self._rest and self._segmenter.speaking:
            # Too short for a verdict: it belongs to what it follows.
            events += self._segmenter.push(bytes(self._rest), 0.0, self._rest_sample)
        self._rest.clear()
        self._gate.reset()
        return [*events, *self._segmenter.flush()]

    def _listen(self, sample: int, pcm: bytes) -> list[SpeechEvent]:
        """Sound that the gate let through, cut into the detector's windows."""
        if sample != self._rest_sample + len(self._rest) // 2:
            self._rest.clear()
            self._rest_sample = sample
            self._vad.reset()
        self._rest += pcm
        events: list[SpeechEvent] = []
        while len(self._rest) >= WINDOW_BYTES:
            window = bytes(self._rest[:WINDOW_BYTES])
            del self._rest[:WINDOW_BYTES]
            events += self._segmenter.push(window, self._vad.probability(window), self._rest_sample)
            self._rest_sample += WINDOW_BYTES // 2
        return [*events, *self._end_early()]

    def _end_early(self) -> list[SpeechEvent]:
        """Silence long enough but for a rest that fills no window: where that is quiet, it is silence."""
        rest = bytes(self._rest)
        if not rest or not self._segmenter.would_end(len(rest) // 2) or not self._gate.quiet(rest):
            return []
        self._rest.clear()
        sample, self._rest_sample = self._rest_sample, self._rest_sample + len(rest) // 2
        return self._segmenter.push(rest, 0.0, sample)
