"""How alike stretches of talk are, by their words and by what these mean.

Each utterance is a vector of whole numbers: its words by signed hashing, and the sum of its words'
meanings. Running sums of these are kept, so that any stretch is one subtraction; the meeting's mean
is taken off each stretch, so that what is said all the time makes nothing alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.boundary.words import LEXICAL, WIDTH

_PRIOR: Final = 2400
"""Weight of some 300 words: with fewer heard, the meeting's mean says little and is taken off in part."""
REACH: Final = 176
"""So many utterances back a stretch may begin."""


class Likeness:
    """Running sums of the newest utterances, and of the whole meeting."""

    def __init__(self) -> None:
        self._first = 1
        """Row `n - first` is the sum of what was said before utterance `n`, from some point on."""
        self._sums: NDArray[np.int32] = np.zeros((3 * REACH + 2, WIDTH), dtype=np.int32)
        self._rows = 1
        self._weights = [0]
        self.total: NDArray[np.int64] = np.zeros(WIDTH, dtype=np.int64)
        self.total_weight = 0

    def add(self, number: int, vector: NDArray[np.int32], weight: int) -> None:
        """Hear utterance `number`, the next one."""
        if self._rows == 1:
            self._first = number
        elif self._rows == len(self._sums):
            self._forget()
        np.add(self._sums[self._rows - 1], vector, out=self._sums[self._rows])
        self._rows += 1
        self._weights.append(self._weights[-1] + weight)
        self.total += vector
        self.total_weight += weight

    def _forget(self) -> None:
        gone = self._rows - REACH - 1
        self._sums[: REACH + 1] = self._sums[gone : self._rows] - self._sums[gone]
        offset = self._weights[gone]
        self._weights = [weight - offset for weight in self._weights[gone:]]
        self._first += gone
        self._rows = REACH + 1

    def spans(self, border: int, ends: Sequence[int]) -> tuple[list[list[float]], list[list[float]]]:
        """Likeness of all pairs of stretches from `border` to each of `ends`: by words, by meaning.

        A stretch to an end before the border runs backwards: its likeness to one that runs forwards has
        the other sign.
        """
        first, last = self._first, self._rows - 1
        places = [min(max(end - first, 0), last) for end in ends]
        here = min(border - first, last)
        weights = self._weights
        heavy = np.array([weights[place] - weights[here] for place in places], dtype=np.float64)
        mean = (self.total * (1.0 / (self.total_weight + _PRIOR))).astype(np.float32)
        talk = (self._sums[places] - self._sums[here]).astype(np.float32)
        return (
            _cosines(talk[:, :LEXICAL], mean[:LEXICAL], heavy),
            _cosines(talk[:, LEXICAL:], mean[LEXICAL:], heavy),
        )


def _cosines(
    talk: NDArray[np.float32], mean: NDArray[np.float32], heavy: NDArray[np.float64]
) -> list[list[float]]:
    """Of the rows of `talk`, after `heavy` times the mean has been taken off each."""
    off = np.outer(talk @ mean, heavy)
    products = (talk @ talk.T).astype(np.float64) - off - off.T + np.outer(heavy, heavy) * float(mean @ mean)
    norms = 1.0 / np.sqrt(np.maximum(products.diagonal(), 0.0) + 1.0)
    found: list[list[float]] = (products * norms[:, None] * norms).tolist()
    return found
