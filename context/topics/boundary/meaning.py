"""How alike the talk before and after a candidate is: by embeddings (`Meaning`), by its words (`Likeness`).

Meaning: a detector beside the trained scorer
---------------------------------------------
Consecutive utterances are cut into pieces of some fifty words (`PieceCutter`). Somebody else has them
embedded (no model runs here) and hands the vectors over whenever they come (`Meaning.take`). At a candidate,
the mean of the next `_AFTER` pieces, as far as heard, is held against the mean of the last `_BEFORE`: one
minus their cosine is the drop, after the mean of the meeting so far is taken off both (sentence embeddings
share most of what they say). How many standard deviations a drop lies above the mean of the drops so far is
its `turn`: the threshold is the meeting's own.

A candidate's chance by the scorer rises with its turn, and falls where the turn is negative (`swayed`). A
turn alone begins no topic: it is right too seldom for that. A candidate whose vectors have not come is
judged by its words, as where there are no embeddings. Nothing of this is in a snapshot: what it moved is on
the record (`TopicsScored`), and whoever goes on has the newest utterances embedded again.

Likeness: what the scorer itself compares
-----------------------------------------
Each utterance is a vector of whole numbers: its words by signed hashing, and the sum of its words' vectors
(`context.topics.boundary.words`). Running sums of these are kept, so that any stretch is one subtraction;
the meeting's mean is taken off each stretch, so that what is said all the time makes nothing alike.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.models import Utterance
from context.topics.boundary.words import LEXICAL, WIDTH
from context.vectors import Vectors

HEARD_AGAIN: Final = 160
"""Whoever goes on with a meeting has so many of its newest utterances embedded again."""
_WORDS: Final = 48
"""Words with which a piece is full; a Korean one counts as two, as it does in a model's tokens."""
_MOST_WORDS: Final = 62
"""An utterance with which a piece would have more begins the next one."""
_LONGEST: Final = 96
"""Words of one utterance that are looked at, likewise."""
_AFTER: Final = 4
_BEFORE: Final = 8
_KEPT: Final = 64
"""So many newest pieces are kept: a candidate is asked about some thirty utterances late."""
_FROM: Final = 8
"""So many drops have to be known before one is held against their mean."""
_CENTRED_FROM: Final = 4
"""So many pieces, before their mean is taken off."""
_LEAST_SPREAD: Final = 1e-3
_SWAY_EN: Final = 0.1
_SWAY_KO: Final = 0.2
"""Logits for a standard deviation. Found on meetings that the scorer was not trained on."""
_MOST: Final = 2.0
"""Standard deviations; more count as so many."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive utterances, `first` to `last` (ids), as one text to embed."""

    first: int
    last: int
    text: str


class PieceCutter:
    """Cuts a meeting's utterances into pieces as they come."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._words = 0
        self._first = 0
        self._last = 0

    def add(self, utterance: Utterance) -> list[Piece]:
        """Hear the next utterance, and give the pieces that are full now, none to two."""
        words = utterance.text.split()
        size = 2 if any("가" <= letter <= "힣" for letter in utterance.text) else 1
        words = words[: _LONGEST // size]
        weight = size * len(words)
        if not weight:
            return []
        full = []
        if self._words and self._words + weight > _MOST_WORDS:
            full.append(self._close())
        if not self._words:
            self._first = utterance.id
        self._texts.append(" ".join(words))
        self._words += weight
        self._last = utterance.id
        if self._words >= _WORDS:
            full.append(self._close())
        return full

    def _close(self) -> Piece:
        piece = Piece(self._first, self._last, " ".join(self._texts))
        self._texts, self._words = [], 0
        return piece


class Meaning:
    """Sways the chance of a candidate by the vectors of the pieces around it."""

    def __init__(self) -> None:
        self._drops, self._sum, self._squares = 0, 0.0, 0.0
        """How many drops were asked for in order, their sum, and the sum of their squares."""
        self._pieces: list[Piece] = []
        self._rows: list[Vectors] = []
        self._total: Vectors = np.zeros(0, dtype=np.float32)
        self._taken = 0

    def take(self, piece: Piece, vector: Vectors) -> None:
        """Take in the vector of a piece. A piece that is not behind all that have come is ignored.

        A vector of another size is another model's: what has come so far is forgotten.
        """
        if self._pieces and piece.first <= self._pieces[-1].last:
            return
        if self._total.shape != vector.shape:
            self._pieces, self._rows = [], []
            self._total, self._taken = np.zeros_like(vector, dtype=np.float32), 0
        self._pieces.append(piece)
        self._rows.append(vector.astype(np.float32))
        self._total = self._total + vector
        self._taken += 1
        del self._pieces[:-_KEPT], self._rows[:-_KEPT]

    def swayed(self, chance: float, at: int, *, korean: bool, keep: bool = True) -> float:
        """The `chance` (0 to 1) of the candidate at utterance `at`, swayed by its turn where that is known.

        `keep`: count its drop for the mean; candidates are asked about in order, each once.
        """
        turn = self.turn(at, keep=keep)
        if turn is None or not 0.0 < chance < 1.0:
            return chance
        sway = _SWAY_KO if korean else _SWAY_EN
        logit = math.log(chance / (1.0 - chance)) + sway * max(-_MOST, min(_MOST, turn))
        return 1.0 / (1.0 + math.exp(-logit))

    def turn(self, at: int, *, keep: bool = True) -> float | None:
        """The drop at `at` in standard deviations above the mean (`keep`: see `swayed`); None: not known."""
        drop = self.drop(at)
        if drop is None:
            return None
        count, total, squares = self._drops + 1, self._sum + drop, self._squares + drop * drop
        if keep:
            self._drops, self._sum, self._squares = count, total, squares
        if count < _FROM:
            return None
        mean = total / count
        return (drop - mean) / math.sqrt(max(_LEAST_SPREAD, squares / count - mean * mean))

    def drop(self, at: int) -> float | None:
        """How unlike the talk from utterance `at` on is to the talk before it, 0 to 2; None: not known."""
        after = bisect_left(self._pieces, at, key=lambda piece: piece.first)
        before = bisect_left(self._pieces, at, key=lambda piece: piece.last)
        if after >= len(self._rows) or before == 0:
            return None
        mean = self._total / np.float32(self._taken) if self._taken >= _CENTRED_FROM else 0.0
        later = np.mean(self._rows[after : after + _AFTER], axis=0) - mean
        earlier = np.mean(self._rows[max(0, before - _BEFORE) : before], axis=0) - mean
        length = float(np.linalg.norm(later) * np.linalg.norm(earlier))
        return 1.0 - float(later @ earlier) / length if length > 0.0 else None


def newest(utterances: Sequence[Utterance]) -> int:
    """The index from which on whoever goes on with a meeting has it embedded: see `HEARD_AGAIN`."""
    return max(0, len(utterances) - HEARD_AGAIN)


_PRIOR: Final = 2400
"""Weight of some 300 words: with fewer heard, the meeting's mean says little and is taken off in part."""
REACH: Final = 176
"""So many utterances back a stretch may begin."""


class Likeness:
    """Compares stretches of the newest utterances, from running sums of the utterances' vectors."""

    def __init__(self) -> None:
        self._first = 1
        """Row `n - first` is the sum of what was said before utterance `n`, from some point on."""
        self._sums: NDArray[np.int32] = np.zeros((3 * REACH + 2, WIDTH), dtype=np.int32)
        self._rows = 1
        self._weights = [0]
        """The weights of the utterances, summed up likewise."""
        self.total: NDArray[np.int64] = np.zeros(WIDTH, dtype=np.int64)
        """The sum of all utterances' vectors in the meeting, and of their weights."""
        self.total_weight = 0

    def add(self, number: int, vector: NDArray[np.int32], weight: int) -> None:
        """Hear utterance `number`, the next one: its vector [`WIDTH`], and its words' weight."""
        if self._rows == 1:
            self._first = number
        elif self._rows == len(self._sums):
            gone = self._rows - REACH - 1
            self._sums[: REACH + 1] = self._sums[gone : self._rows] - self._sums[gone]
            self._weights = [each - self._weights[gone] for each in self._weights[gone:]]
            self._first += gone
            self._rows = REACH + 1
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
        mean = (self.total * (1.0 / (self.total_weight + _PRIOR))).astype(np.float32)
        talk = (self._sums.take(places, axis=0) - self._sums[here]).astype(np.float32)
        heavy = np.array([self._weights[place] - self._weights[here] for place in places], dtype=np.float64)
        return (
            _cosines(talk[:, :LEXICAL], heavy, mean[:LEXICAL], pairs),
            _cosines(talk[:, LEXICAL:], heavy, mean[LEXICAL:], pairs),
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
