"""How alike the talk before and after a candidate is, by its words: what the scorer compares.

Each utterance is a vector of whole numbers: its words by signed hashing, and the sum of its words' vectors
(`context.topics.boundary.words`). Running sums of these are kept, so that any stretch is one subtraction;
the meeting's mean is taken off each stretch, so that what is said all the time makes nothing alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.primitives.vectors import Vectors
from context.topics.boundary.words import HASH_BUCKETS, VECTOR_LENGTH

_PRIOR_WEIGHT: Final = 2400
"""Weight of some 300 words: with fewer heard, the meeting's mean says little and is taken off in part."""
REACH_UTTERANCES: Final = 176
"""So many utterances back a stretch may begin."""


class Likeness:
    """Compares stretches of the newest utterances, from running sums of the utterances' vectors."""

    def __init__(self) -> None:
        self._first = 1
        """Row `n - first` is the sum of what was said before utterance `n`, from some point on."""
        self._sums: NDArray[np.int32] = np.zeros((3 * REACH_UTTERANCES + 2, VECTOR_LENGTH), dtype=np.int32)
        self._rows = 1
        self._weights = [0]
        """The weights of the utterances, summed up likewise."""
        self.total: NDArray[np.int64] = np.zeros(VECTOR_LENGTH, dtype=np.int64)
        """The sum of all utterances' vectors in the meeting, and of their weights."""
        self.total_weight = 0

    def add(self, number: int, vector: NDArray[np.int32], weight: int) -> None:
        """Hear utterance `number`, the next one: its vector [`VECTOR_LENGTH`], and its words' weight."""
        if self._rows == 1:
            self._first = number
        elif self._rows == len(self._sums):
            gone = self._rows - REACH_UTTERANCES - 1
            self._sums[: REACH_UTTERANCES + 1] = self._sums[gone : self._rows] - self._sums[gone]
            self._weights = [each - self._weights[gone] for each in self._weights[gone:]]
            self._first += gone
            self._rows = REACH_UTTERANCES + 1
        np.add(self._sums[self._rows - 1], vector, out=self._sums[self._rows])
        self._rows += 1
        self._weights.append(self._weights[-1] + weight)
        self.total += vector
        self.total_weight += weight

    def alike(
        self, border: int, ends: Sequence[int], pairs: Sequence[Sequence[int]]
    ) -> tuple[list[float], list[float]]:
        """The cosines of pairs of stretches, by the words' hashes and by the words' vectors.

        A stretch goes from utterance `border` to one of `ends`. `pairs`: the places in `ends` of the one
        stretch of each pair, and those of the other. A stretch to an end before the border runs backwards:
        its cosine with one that runs forwards has the other sign.
        """
        last = self._rows - 1
        places = [min(max(end - self._first, 0), last) for end in ends]
        here = min(border - self._first, last)
        mean = (self.total * (1.0 / (self.total_weight + _PRIOR_WEIGHT))).astype(np.float32)
        talk = (self._sums.take(places, axis=0) - self._sums[here]).astype(np.float32)
        heavy = np.array([self._weights[place] - self._weights[here] for place in places], dtype=np.float64)
        return (
            _cosines(talk[:, :HASH_BUCKETS], heavy, mean[:HASH_BUCKETS], pairs),
            _cosines(talk[:, HASH_BUCKETS:], heavy, mean[HASH_BUCKETS:], pairs),
        )


def _cosines(
    talk: Vectors, heavy: NDArray[np.float64], mean: Vectors, pairs: Sequence[Sequence[int]]
) -> list[float]:
    """The cosines of pairs of rows of `talk`, sums of stretches, each less `mean` by its weight (`heavy`)."""
    off = np.outer(talk @ mean, heavy)
    products = (talk @ talk.T).astype(np.float64) - off - off.T
    products += np.outer(heavy, heavy) * float(mean @ mean)
    norms = 1.0 / np.sqrt(np.maximum(products.diagonal(), 0.0) + 1.0)
    left, right = pairs
    found: list[float] = (products[left, right] * norms.take(left) * norms.take(right)).tolist()
    return found
