"""A linear head: for each class a sum of weights, and from the sums calibrated probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from context.plain.grams import counted


@dataclass(frozen=True, slots=True)
class LinearHead:
    """Multinomial logistic regression on `grams`, as `tests.training.linear` makes it."""

    classes: tuple[str, ...]
    rarity: NDArray[np.float32]
    """How much a feature tells, by how few rows have it [WIDTH]."""
    weights: NDArray[np.float32]
    """[WIDTH, classes]"""
    bias: NDArray[np.float32]
    """[classes]"""
    temperature: float
    """The sums are divided by it, so that of what is called 80 % sure some 80 % are right."""

    @classmethod
    def read(cls, path: Path) -> LinearHead:
        """The head in a file that `tests.training` wrote."""
        with np.load(path) as kept:
            return cls(
                classes=tuple(str(name) for name in kept["classes"]),
                rarity=kept["rarity"].astype(np.float32),
                weights=kept["weights"].astype(np.float32),
                bias=kept["bias"].astype(np.float32),
                temperature=float(kept["temperature"]),
            )

    def probabilities(self, text: str) -> Mapping[str, float]:
        """How likely each class is; they add up to 1."""
        features, often = counted(text)
        values = often * self.rarity[features]
        norm = float(np.linalg.norm(values)) or 1.0
        sums = (values / norm) @ self.weights[features] + self.bias
        likely = np.exp((sums - sums.max()) / self.temperature)
        return dict(zip(self.classes, (likely / likely.sum()).tolist(), strict=True))
