"""A linear head: for each class a sum of weights, and from the sums calibrated probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.reading.grams import counted

MEANING_COUNTS: Final = 6.0
"""How much a vector weighs beside words and letters, which together have the length 1."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearHead:
    """Multinomial logistic regression on `grams` and, where there is one, on a vector of the text."""

    classes: tuple[str, ...]
    rarity: NDArray[np.float32]
    """How much a feature tells, by how few rows have it [WIDTH]."""
    weights: NDArray[np.float32]
    """[WIDTH, classes]"""
    of_meaning: NDArray[np.float32]
    """[dimensions, classes]; without rows where the head works without vectors."""
    usual: NDArray[np.float32]
    """The mean vector, which is taken off first [dimensions]."""
    bias: NDArray[np.float32]
    """[classes]"""
    temperature: float
    """The sums are divided by it, so that of what is called 80 % sure some 80 % are right."""

    @classmethod
    def read(cls, path: Path) -> LinearHead:
        """The head in a file that `tests.training` wrote."""
        with np.load(path) as kept:
            arrays = {name: kept[name].astype(np.float32) for name in kept.files if name != "classes"}
            classes = tuple(str(name) for name in kept["classes"])
        return cls(classes=classes, temperature=float(arrays.pop("temperature")), **arrays)

    def probabilities(self, text: str, meaning: NDArray[np.float32] | None = None) -> Mapping[str, float]:
        """How likely each class is; they add up to 1. `meaning`: the text's unit vector, where the head
        was trained with one.
        """
        features, often = counted(text)
        values = often * self.rarity[features]
        norm = float(np.linalg.norm(values)) or 1.0
        sums = (values / norm) @ self.weights[features] + self.bias
        if len(self.of_meaning) and meaning is not None:
            sums = sums + MEANING_COUNTS * (meaning - self.usual) @ self.of_meaning
        likely = np.exp((sums - sums.max()) / self.temperature)
        return dict(zip(self.classes, (likely / likely.sum()).tolist(), strict=True))
