"""How loud PCM is."""

from __future__ import annotations

from typing import Final

import numpy as np

from stt.segment import BYTES_PER_MS

_FRAME_MS: Final = 50
_QUIET_SHARE: Final = 1 / 200
"""The share of the loudest power below which sound is quiet: 23 dB."""


def power(pcm: bytes) -> float:
    """The mean square of the samples of some PCM (full scale is 32,768); 0 where there are none."""
    wave = np.frombuffer(pcm, np.int16).astype(np.float32)
    return float(wave @ wave / max(1, len(wave)))


def loud_ms(pcm: bytes) -> int:
    """How much of some PCM is not quiet beside its loudest, about: a voice without the silence around it."""
    size = _FRAME_MS * BYTES_PER_MS
    powers = [power(pcm[at : at + size]) for at in range(0, len(pcm), size)]
    loud = sum(each > _QUIET_SHARE * max(powers) for each in powers)
    return min(len(pcm) // BYTES_PER_MS, loud * _FRAME_MS)
