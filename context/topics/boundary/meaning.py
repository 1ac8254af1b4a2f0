"""How far the talk turns away from what it was about, by embeddings: a detector beside the trained scorer.

Theory of operation
-------------------
Consecutive utterances are cut into pieces of some fifty words (`PieceCutter`). Somebody else has them
embedded (no model runs here) and hands the vectors over whenever they come (`Meaning.take`). At a candidate,
the mean of the next `_AFTER` pieces, as far as heard, is held against the mean of the last `_BEFORE`: one
minus their cosine is the drop, after the mean of the meeting so far is taken off both (sentence embeddings
share most of what they say). How many standard deviations a drop lies above the mean of the drops so far is
its `turn`: the threshold is the meeting's own.

A turn confirms what the scorer suspects and speaks against what it suspects alone (`swayed`); by itself it
begins no topic, it is right too seldom for that. A candidate whose vectors have not come is
judged by its words, as where there are no embeddings. Nothing of this is in a snapshot: what it moved is on
the record (`TopicsScored`), and whoever goes on hears the newest utterances again.

How alike stretches of talk are, by their words and by what these mean.

Each utterance is a vector of whole numbers: its words by signed hashing, and the sum of its words'
meanings. Running sums of these are kept, so that any stretch is one subtraction; the meeting's mean
is taken off each stretch, so that what is said all the time makes nothing alike.
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
"""Of a piece; a Korean word counts as two, as it does in a model's tokens."""
_MOST_WORDS: Final = 62
_LONGEST: Final = 96
"""Words of one utterance that are looked at, likewise."""
_AFTER: Final = 4
_BEFORE: Final = 8
_KEPT: Final = 64
"""Newest pieces: a candidate is asked about some thirty utterances late."""
_FROM: Final = 8
"""Drops, before there is a mean to hold one against."""
_CENTRED_FROM: Final = 4
"""Pieces, before their mean is taken off."""
_LEAST_SPREAD: Final = 1e-3
_SWAY_EN: Final = 0.1
_SWAY_KO: Final = 0.2
"""Logits for a standard deviation. Found on meetings that the scorer was not trained on."""
_MOST: Final = 2.0
"""Standard deviations that count."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive utterances, first to last, as one text to embed."""

    first: int
    last: int
    text: str


class PieceCutter:
    """Cuts a meeting's utterances as they come; a piece is there once it is full."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._words = 0
        self._first = 0
        self._last = 0

    def add(self, utterance: Utterance) -> list[Piece]:
        """Hear the next utterance; the pieces that are full now, none to two."""
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
    """The newest pieces' vectors, and the drops so far."""

    def __init__(self) -> None:
        self._drops, self._sum, self._squares = 0, 0.0, 0.0
        self._pieces: list[Piece] = []
        self._rows: list[Vectors] = []
        self._total: Vectors = np.zeros(0, dtype=np.float32)
        self._taken = 0

    def take(self, piece: Piece, vector: Vectors) -> None:
        """A piece's vector has come; pieces come in order, each once. Others are left out."""
        if self._pieces and piece.first <= self._pieces[-1].last:
            return
        if self._total.shape != vector.shape:  # the first one; another model's are not compared with it
            self._pieces, self._rows = [], []
            self._total, self._taken = np.zeros_like(vector, dtype=np.float32), 0
        self._pieces.append(piece)
        self._rows.append(vector.astype(np.float32))
        self._total = self._total + vector
        self._taken += 1
        del self._pieces[:-_KEPT], self._rows[:-_KEPT]

    def swayed(self, chance: float, at: int, *, korean: bool, keep: bool = True) -> float:
        """A candidate's chance once it has been asked whether the meaning turns there; unknown: the same.

        `keep`: candidates are asked about in order, each counts once for the mean.
        """
        turn = self.turn(at, keep=keep)
        if turn is None or not 0.0 < chance < 1.0:
            return chance
        sway = _SWAY_KO if korean else _SWAY_EN
        logit = math.log(chance / (1.0 - chance)) + sway * max(-_MOST, min(_MOST, turn))
        return 1.0 / (1.0 + math.exp(-logit))

    def turn(self, at: int, *, keep: bool = True) -> float | None:
        """Standard deviations above the meeting's mean drop; None where too little has come to tell."""
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
        """How unlike the talk from utterance `at` on is to the talk before it, 0–2; None: not known."""
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
    """Where to begin cutting, 0-based: at the beginning, or `HEARD_AGAIN` before the newest."""
    return max(0, len(utterances) - HEARD_AGAIN)


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
        """Likeness of stretches from `border` to one of `ends` each: by words, by meaning.

        `pairs`: which to compare, the places in `ends` of one side and of the other. A stretch to an end
        before the border runs backwards: its likeness to one that runs forwards has the other sign.
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
    """Of pairs of stretches' sums, each without the meeting's `mean` times its weight."""
    off = np.outer(talk @ mean, heavy)
    products = (talk @ talk.T).astype(np.float64) - off - off.T
    products += np.outer(heavy, heavy) * float(mean @ mean)
    norms = 1.0 / np.sqrt(np.maximum(products.diagonal(), 0.0) + 1.0)
    left, right = pairs
    found: list[float] = (products[left, right] * norms.take(left) * norms.take(right)).tolist()
    return found
