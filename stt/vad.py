"""Is this a voice? Silero's network, one session per process, a small state per track.

The weights are the file in the wheel of `livekit-plugins-silero`, found through the wheel's
metadata: importing the plugin would load all of livekit-agents into every process that listens.

The door before the VAD: sound that rises over its own noise floor passes, the rest costs next to nothing.

A fixed threshold stays open all the time in a noisy room; this one follows the floor: it falls at
once to whatever is quieter and rises slowly (about 10 % per second), so that talk, with its own
short pauses, doesn't become the floor. What passes is contiguous: the pre-roll holds the sound
just before the door opened, so that no start is lost.

Finds where somebody speaks on one track: frames in, speech events out.

Theory of operation. Most frames end at the gate. What passes is cut into the voice detector's windows, and
the segmenter makes stretches of its verdicts. What does not fill a window yet waits for the next frame; it
is judged early where a stretch ends with it, so that nobody's words wait for a frame that never comes.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ
from stt.segmenter import Segmenter, SpeechEvent, power

WINDOW: Final = 512
"""Samples that one verdict is about: 32 ms."""
WINDOW_BYTES: Final = WINDOW * 2
_CONTEXT: Final = 64
_STATE: Final = (2, 1, 128)
_WHEEL: Final = "livekit-plugins-silero"
_FILE: Final = "silero_vad.onnx"


class VadMissing(Exception):
    """The weights or the runtime of the voice detector are not installed."""


class Vad(Protocol):
    """One track's voice detector; remembers what it has just heard."""

    def probability(self, window: bytes) -> float:
        """How likely the next `WINDOW` samples hold a voice, 0-1."""
        ...

    def reset(self) -> None:
        """What follows doesn't continue what came before."""
        ...


class VadModel:
    """The network: shared by all tracks of a process, one thread, no state of its own."""

    def __init__(self, path: Path | None = None) -> None:
        """Load from `path`, by default the installed wheel's file. Raises `VadMissing`."""
        try:
            import onnxruntime
        except ImportError as missing:
            raise VadMissing("onnxruntime is not installed: run `make setup`") from missing
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.inter_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            str(path or weights()), sess_options=options, providers=["CPUExecutionProvider"]
        )
        self._rate = np.array(SAMPLE_RATE_HZ, np.int64)

    def probabilities(
        self, windows: NDArray[np.float32], state: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """One verdict per row of `windows` (n x 576: context, then window); the state is 2 x n x 128."""
        verdicts, after = self._session.run(None, {"input": windows, "state": state, "sr": self._rate})
        return verdicts[:, 0], after


class SileroVad:
    """A track's own state over the shared model."""

    def __init__(self, model: VadModel | None = None) -> None:
        self._model = model or shared_model()
        self._input = np.zeros((1, _CONTEXT + WINDOW), np.float32)
        self._state = np.zeros(_STATE, np.float32)

    def probability(self, window: bytes) -> float:
        """How likely the next `WINDOW` samples hold a voice, 0-1."""
        self._input[0, :_CONTEXT] = self._input[0, -_CONTEXT:]
        np.multiply(np.frombuffer(window, np.int16), np.float32(1 / 32768), out=self._input[0, _CONTEXT:])
        verdicts, self._state = self._model.probabilities(self._input, self._state)
        return float(verdicts[0])

    def reset(self) -> None:
        """What follows doesn't continue what came before."""
        self._input.fill(0)
        self._state = np.zeros(_STATE, np.float32)


@cache
def shared_model() -> VadModel:
    """This process's model; loaded on first use (0.15 s). Raises `VadMissing`."""
    return VadModel()


def weights() -> Path:
    """The network's file inside the installed wheel. Raises `VadMissing`."""
    try:
        files = metadata.files(_WHEEL) or []
    except metadata.PackageNotFoundError as missing:
        raise VadMissing(f"{_WHEEL} is not installed: run `make setup`") from missing
    for file in files:
        if file.name == _FILE:
            return Path(str(file.locate())).resolve()
    raise VadMissing(f"{_WHEEL} holds no {_FILE}: install the locked version")


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
    return math.sqrt(power(pcm))


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
