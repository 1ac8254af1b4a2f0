"""What vectors say of a meeting's lines and of one question: brought from outside, read here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from context.vectors import Vectors


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """Unit vectors by one encoder."""

    question: Vectors
    """Of what is asked [dimensions]."""
    lines: Vectors
    """Of each utterance, by its place [utterances, dimensions]; a row of zeros where there is none yet."""

    def known(self) -> NDArray[np.bool_]:
        """Which utterances have a vector [utterances]."""
        there: NDArray[np.bool_] = np.any(self.lines[:, :8] != 0, axis=1)
        return there
