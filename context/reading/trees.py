"""Boosted trees, as numbers: each splits on a signal again and again, and its leaf adds to the score."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Some hundred small trees. Arrays are [trees, nodes]; a node that is a leaf points at itself."""

    signal: NDArray[np.int64]
    """On which column a node splits."""
    threshold: NDArray[np.float32]
    """What is at most so much goes left."""
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: NDArray[np.float32]
    """What a leaf adds."""
    depth: int

    @classmethod
    def read(cls, path: Path, prefix: str = "") -> Trees:
        """The trees in a file that `tests.training` wrote; several in one file have a `prefix` each."""
        with np.load(path) as kept:
            return cls(
                signal=kept[f"{prefix}signal"].astype(np.int64),
                threshold=kept[f"{prefix}threshold"].astype(np.float32),
                left=kept[f"{prefix}left"].astype(np.int64),
                right=kept[f"{prefix}right"].astype(np.int64),
                value=kept[f"{prefix}value"].astype(np.float32),
                depth=int(kept[f"{prefix}depth"]),
            )

    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """One score per row of signals [rows, signals]."""
        trees = np.arange(len(self.signal))
        at = np.zeros((len(rows), len(trees)), dtype=np.int64)
        every = np.arange(len(rows))[:, None]
        for _ in range(self.depth):
            goes_left = rows[every, self.signal[trees, at]] <= self.threshold[trees, at]
            at = np.where(goes_left, self.left[trees, at], self.right[trees, at])
        total: NDArray[np.float32] = self.value[trees, at].sum(axis=1)
        return total
