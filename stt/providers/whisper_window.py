"""How much sound Whisper is shown at once: pieces of 30 s at most, each in a window just longer than it.

Whisper's own window is always 30 s; a shorter one takes two thirds off the time of a short line (figures in
docs/measurements.md). Pure.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from stt.segment import SAMPLE_RATE_HZ

FRAMES_PER_S: Final = 100
"""How many frames of features a second of sound has."""
WINDOW_S: Final = 30
"""The longest window."""
_WINDOW_STEP_S: Final = 5
_WINDOW_MARGIN_S: Final = 2.0
_READING_MARGIN_S: Final = 0.5
_DYNAMIC_RANGE: Final = 2.0
"""How far below the loudest one digital silence lies, on the scale of the features."""
_CUT_SEARCH_S: Final = 5

Floats = NDArray[np.float32]


def floats(pcm: bytes) -> Floats:
    """Give the samples of PCM (16 bits) between -1 and 1; half a sample at its end is dropped."""
    return np.frombuffer(pcm[: len(pcm) // 2 * 2], "<i2").astype(np.float32) / np.float32(32768)


def padded(features: Floats, frames: int) -> Floats:
    """Cut or pad log-mel features (bands × frames) to `frames` frames, with digital silence.

    That is 8 decades below the loudest, 2.0 on the model's scale. Zeros, as faster-whisper pads, are
    a hiss in every band that begins after the last word: the model heard words end differently in it.
    """
    features = features[:, :frames]
    missing = frames - features.shape[1]
    return np.pad(features, ((0, 0), (0, missing)), constant_values=float(features.max()) - _DYNAMIC_RANGE)


def window_s(duration_s: float) -> int:
    """How many seconds the encoder is shown: the speech and some silence, in steps, at most 30."""
    steps = -(-(duration_s + _WINDOW_MARGIN_S) // _WINDOW_STEP_S)
    return min(WINDOW_S, max(2, int(steps)) * _WINDOW_STEP_S)


def reading_window_s(duration_s: float) -> int:
    """The same for a reading, which is in a hurry: the encoder's window is what costs."""
    steps = -(-(duration_s + _READING_MARGIN_S) // _WINDOW_STEP_S)
    return min(WINDOW_S, int(steps) * _WINDOW_STEP_S)


def pieces(sound: Floats) -> list[Floats]:
    """Cut sound into pieces of at most 30 s, where it is quietest near their ends. No sample is lost."""
    result: list[Floats] = []
    step = SAMPLE_RATE_HZ // 20
    while len(sound) > WINDOW_S * SAMPLE_RATE_HZ:
        first, last = (WINDOW_S - _CUT_SEARCH_S) * SAMPLE_RATE_HZ, WINDOW_S * SAMPLE_RATE_HZ
        power = np.square(sound[first:last]).reshape(-1, step).mean(axis=1)
        cut = first + int(power.argmin()) * step + step // 2
        result.append(sound[:cut])
        sound = sound[cut:]
    return [*result, sound] if len(sound) else result
