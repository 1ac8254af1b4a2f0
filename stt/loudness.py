"""How loud PCM is."""

from __future__ import annotations

import numpy as np


def power(pcm: bytes) -> float:
    """The mean square of the samples of some PCM (full scale is 32,768); 0 where there are none."""
    wave = np.frombuffer(pcm, np.int16).astype(np.float32)
    return float(wave @ wave / max(1, len(wave)))
