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

from context.topics.boundary.words import LEXICAL, WIDTH

_PRIOR: Final = 2400
"""Weight of some 300 words: with fewer heard, the meeting's mean says little and is taken off in part."""
REACH: Final = 176
"""So many utterances back a stretch may begin."""


def _twice(places: NDArray[np.int64], half: int) -> NDArray[np.int64]:
    """Indices into the first half, and the same into the second."""
    return np.concatenate([places, half + places])


class Pairs:
    """Which of the stretches to compare: indices into products by words, followed by those by meaning."""

    def __init__(self, pairs: Sequence[tuple[int, int]], count: int) -> None:
        """`count`: how many stretches there are."""
        both = [*pairs, *((place, place) for place in range(count))]
        left, right = np.array(both, dtype=np.int64).reshape(-1, 2).T
        size, wanted = len(both), len(pairs)
        self.products = left * count + right
        self.first, self.second = _twice(left, count), _twice(right, count)
        self.wanted = _twice(np.arange(wanted), size)
        self.own = _twice(np.arange(wanted, size), size)
        self.left, self.right = _twice(left[:wanted], count), _twice(right[:wanted], count)


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

    def alike(self, border: int, ends: Sequence[int], pairs: Pairs) -> tuple[list[float], list[float]]:
        """Likeness of pairs of stretches from `border` to one of `ends` each: by words, by meaning.

        A stretch to an end before the border runs backwards: its likeness to one that runs forwards has
        the other sign.
        """
        first, last = self._first, self._rows - 1
        places = [min(max(end - first, 0), last) for end in ends]
        here = min(border - first, last)
        mean = (self.total * (1.0 / (self.total_weight + _PRIOR))).astype(np.float32)
        talk = (self._sums.take(places, axis=0) - self._sums[here]).astype(np.float32)
        words, meaning = talk[:, :LEXICAL], talk[:, LEXICAL:]
        by_word, by_meaning = mean[:LEXICAL], mean[LEXICAL:]
        # Words and meaning go the rest of the way together, only the pairs that are asked for: numpy's
        # price is by the call.
        products = np.concatenate(
            ((words @ words.T).take(pairs.products), (meaning @ meaning.T).take(pairs.products))
        ).astype(np.float64)
        weights = self._weights
        heavy = np.array([weights[place] - weights[here] for place in places] * 2, dtype=np.float64)
        off = np.concatenate((words @ by_word, meaning @ by_meaning))
        of_mean = np.repeat((float(by_word @ by_word), float(by_meaning @ by_meaning)), len(pairs.products))
        x, y = pairs.first, pairs.second
        heavy_x, heavy_y = heavy.take(x), heavy.take(y)
        products -= off.take(x) * heavy_y
        products -= off.take(y) * heavy_x
        heavy_x *= heavy_y
        heavy_x *= of_mean
        products += heavy_x
        norms = 1.0 / np.sqrt(np.maximum(products.take(pairs.own), 0.0) + 1.0)
        found = products.take(pairs.wanted) * norms.take(pairs.left) * norms.take(pairs.right)
        half = len(found) // 2
        listed: list[float] = found.tolist()
        return listed[:half], listed[half:]
