"""The table of words: how much each weighs, and a vector of what it means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

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
