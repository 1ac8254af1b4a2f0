"""Is this a voice? Silero's network, one session per process, a small state per track.

The weights are the file in the wheel of `livekit-plugins-silero`, found through the wheel's
metadata: importing the plugin would load all of livekit-agents into every process that listens.
"""

from __future__ import annotations

from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from stt.segment import SAMPLE_RATE_HZ

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
