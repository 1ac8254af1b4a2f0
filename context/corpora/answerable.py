"""Can this meeting answer that question at all? A score, trained on real meetings, and where to decline.

Trained on QMSum's train split by `worker.bench.answers_training`: each question held against its own
meeting and against some of another kind (a committee does not answer what the remote control costs).
Whoever uses the score declines below `DECLINES_BELOW`, which lets some three in a hundred of the
answerable ones go.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.corpora.hearing import Heard, heard
from context.language.korean import has_hangul
from context.retrieval.lexical import LexicalIndex

_FILE: Final = "answerable.npz"
_KOREAN_MARGIN: Final = 0.75
"""Korean is scored by what English taught: so much more is needed to decline."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """A logistic regression over what was heard of a question."""

    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float
    declines_below: float

    def score(self, found: Heard) -> float:
        """The log odds, up to a constant, that the meeting can answer."""
        return float((features(found) - self.mean) / self.spread @ self.weights) + self.bias


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the score says of one question in one meeting."""

    score: float
    margin: float
    """By how much the score lies above the point below which to decline."""
    words: int
    """How many words say what the question is about; without any there is nothing to decline by."""

    @property
    def answerable(self) -> bool:
        """Is an answer to be looked for?"""
        return not self.words or self.margin >= 0


def verdict(question: str, index: LexicalIndex, upto: int | None = None) -> Verdict:
    """Can the first `upto` documents of `index` (all of them) answer `question`? Some 1 to 3 ms."""
    scorer = trained()
    found = heard(question, index, upto)
    score = scorer.score(found)
    least = scorer.declines_below - (_KOREAN_MARGIN if has_hangul(question) else 0.0)
    return Verdict(score, score - least, found.words)


def features(found: Heard) -> NDArray[np.float64]:
    """What the regression sees: classes of words, counted and as shares, and the whole's measures."""
    return np.concatenate([found.cells, found.cells / max(1, found.words), found.whole])


@cache
def trained() -> Scorer:
    """The scorer that comes with the program; read once."""
    with files("context.corpora").joinpath(_FILE).open("rb") as file, np.load(file) as stored:
        return Scorer(
            stored["mean"],
            stored["spread"],
            stored["weights"],
            float(stored["bias"]),
            float(stored["declines_below"]),
        )
