"""Train the score of answerability: `python -m worker.bench.answers_training --data DIR --out FILE`.

On QMSum's train split only, plain numpy, under a minute. Each question is a pair with its own meeting
and with three of other kinds; the point to decline at is chosen by cross-validation over series of
meetings, so that `_LET_GO` of the answerable ones fall below it.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.corpora.answerable import features
from context.corpora.hearing import heard
from context.retrieval.lexical import LexicalIndex
from worker.bench.qmsum import LabelledMeeting, meetings_in

_FOREIGN: Final = 3
_FOLDS: Final = 5
_LET_GO: Final = 0.033
_RIDGE: Final = 10.0
_STEPS: Final = 25
_SERIES: Final = 6
"""Characters of an id that name a series of meetings: ES2002a to d are one."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fit:
    """A logistic regression."""

    mean: Floats
    spread: Floats
    weights: Floats
    bias: float

    def scores(self, rows: Floats) -> Floats:
        """Log odds."""
        scores: Floats = (rows - self.mean) / self.spread @ self.weights + self.bias
        return scores


def pairs(meetings: Sequence[LabelledMeeting], chance: random.Random) -> Iterator[tuple[str, bool, Floats]]:
    """(series, is it the question's own meeting, features) for every pair."""
    indexes = [LexicalIndex(meeting.utterances) for meeting in meetings]
    for place, meeting in enumerate(meetings):
        others = [n for n, other in enumerate(meetings) if other.domain != meeting.domain]
        series = meeting.id[:_SERIES] if meeting.domain == "Product" else meeting.id
        for question in meeting.questions:
            yield series, True, features(heard(question.text, indexes[place]))
            for other in chance.sample(others, _FOREIGN):
                yield series, False, features(heard(question.text, indexes[other]))


def fit(rows: Floats, own: Floats) -> Fit:
    """By Newton's steps; both kinds of pairs weigh the same."""
    mean, spread = rows.mean(0), rows.std(0) + 1e-6
    scaled = np.hstack([(rows - mean) / spread, np.ones((len(rows), 1))])
    weigh = np.where(own == 1, 0.5 / own.mean(), 0.5 / (1 - own.mean()))
    ridge = np.eye(scaled.shape[1]) * _RIDGE
    ridge[-1, -1] = 0
    weights = np.zeros(scaled.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(scaled @ weights, -30, 30)))
        slope = scaled.T @ (weigh * (chance - own)) + ridge @ weights
        bend = (scaled * (weigh * chance * (1 - chance))[:, None]).T @ scaled + ridge
        weights -= np.linalg.solve(bend, slope)
    return Fit(mean, spread, weights[:-1], float(weights[-1]))


def train(examples: Sequence[tuple[str, bool, Floats]]) -> tuple[Fit, float, float]:
    """The regression, where it declines, and the share of foreign pairs declined in cross-validation."""
    rows = np.array([example for _, _, example in examples])
    own = np.array([float(is_own) for _, is_own, _ in examples])
    order = sorted({series for series, _, _ in examples})
    fold = np.array([order.index(series) % _FOLDS for series, _, _ in examples])
    scores = np.zeros(len(own))
    for number in range(_FOLDS):
        scores[fold == number] = fit(rows[fold != number], own[fold != number]).scores(rows[fold == number])
    least = float(np.quantile(scores[own == 1], _LET_GO))
    return fit(rows, own), least, float((scores[own == 0] < least).mean())


def main() -> None:
    """Read, train, save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    args = parser.parse_args()
    found, least, declined = train(list(pairs(meetings_in(args.data, "train"), random.Random(5))))
    sys.stderr.write(f"declines below {least:.3f}: {_LET_GO:.3f} of its own, {declined:.3f} of the others\n")
    arrays = {"mean": found.mean, "spread": found.spread, "weights": found.weights}
    np.savez_compressed(
        args.out, allow_pickle=False, bias=np.array(found.bias), declines_below=np.array(least), **arrays
    )


if __name__ == "__main__":
    main()
