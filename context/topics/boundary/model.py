"""The trained models: how the edges of utterances sound, and trees over a candidate's numbers.

Weights come with the package and are evaluated with numpy alone; `tests/training/topic_boundaries.py` makes
them.

The table of words: how much each weighs, and a vector of what it means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

DEPTH: Final = 4
_POWERS: Final = (1 << np.arange(DEPTH)).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Model:
    """The trained weights for one language, by which boundaries between topics are scored."""

    korean: bool
    edges: list[list[int]]
    """Weight of each bucket, for each of the five utterances around a candidate."""
    edge_bias: float
    features: NDArray[np.intp]
    """Tree by level: which number is asked about."""
    borders: NDArray[np.float64]
    leaves: NDArray[np.float64]
    """Tree by leaf, flat."""
    offsets: NDArray[np.intp]
    bias: float

    def sounds(self, around: Sequence[tuple[int, ...]]) -> float:
        """How much the edges of the utterances around a candidate sound like a beginning."""
        total = 0
        for weights, buckets in zip(self.edges, around, strict=True):
            total += sum([weights[bucket] for bucket in buckets])
        return total / 32.0 + self.edge_bias

    def logit(self, row: Sequence[float], around: Sequence[tuple[int, ...]]) -> float:
        """How likely a topic begins here, as a logit."""
        numbers = np.array([*row, self.sounds(around)], dtype=np.float64)
        leaf = (numbers.take(self.features) > self.borders) @ _POWERS
        return float(self.leaves.take(leaf.astype(np.intp) + self.offsets).sum()) + self.bias


@lru_cache(maxsize=1)
def models() -> tuple[Model, Model]:
    """Load the weights for English and for Korean, once."""
    with files("context.topics.boundary").joinpath("model.npz").open("rb") as file, np.load(file) as data:
        return _model(data, "en"), _model(data, "ko")


def _model(data: Any, language: str) -> Model:
    leaves = data[f"{language}_leaves"].astype(np.float64)
    return Model(
        korean=language == "ko",
        edges=data[f"{language}_edges"].tolist(),
        edge_bias=float(data[f"{language}_edge_bias"]),
        features=data[f"{language}_features"].astype(np.intp),
        borders=data[f"{language}_borders"].astype(np.float64),
        leaves=leaves.ravel(),
        offsets=np.arange(len(leaves)) * (1 << DEPTH),
        bias=float(data[f"{language}_bias"]),
    )


DIMENSIONS: Final = 48


@dataclass(frozen=True, slots=True)
class WordTable:
    """Row of each word; weights 0–15; vectors already multiplied by the weight."""

    rows: dict[str, int]
    weights: list[int]
    vectors: NDArray[np.int32]


@lru_cache(maxsize=1)
def word_table() -> WordTable:
    """The table that comes with the package."""
    with files("context.topics.boundary").joinpath("words.npz").open("rb") as file, np.load(file) as data:
        words = data["words"].tobytes().decode().split("\n")
        weights = data["weights"]
        vectors = data["vectors"].astype(np.int32) * weights[:, None].astype(np.int32)
    return WordTable({word: row for row, word in enumerate(words)}, weights.tolist(), vectors)
