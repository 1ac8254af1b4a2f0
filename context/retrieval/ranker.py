"""The net that turns signals into how likely each utterance is evidence, and the closeness of vectors.

Evidence comes in stretches, so an utterance is judged with some eighty neighbours on each side: one
dense layer, then residual convolutions along the meeting with growing steps. Some 35,000 weights a member,
trained on QMSum's train split by `tests.training.evidence_ranker`; what comes out is the logarithm, up to a
constant per question, of how much of the evidence a word of this utterance is expected to be.

Vectors of a meeting's passages are compared with a question's one by one: there are a few hundred of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from context.primitives.vectors import Vectors

Floats: TypeAlias = NDArray[np.float32]
Weights: TypeAlias = dict[str, Floats]

STEPS: Final = (1, 3, 9, 27)
"""The distance between the utterances that a layer looks at, in utterances."""
KERNEL_TAPS: Final = 5
"""Utterances that a layer looks at, the judged one in the middle."""
_PIECE: Final = 32
CLIP_DEVIATIONS: Final = 4.0
"""Signals are cut off at so many deviations from their mean."""


@dataclass(frozen=True, slots=True)
class Ranker:
    """One or more trained nets, and how their inputs are scaled."""

    mean: Floats
    spread: Floats
    members: tuple[Weights, ...]

    def scores(self, signals: Floats) -> Floats:
        """Score utterances, given as one row of signals each, in order of time: the mean of the members."""
        rows = self.scaled(signals)
        total = np.zeros(len(rows), dtype=np.float32)
        for member in self.members:
            scores = _forward(member, rows)
            total += scores - scores.max()
        mean: Floats = (total / len(self.members)).astype(np.float32)
        return mean

    def scaled(self, signals: Floats) -> Floats:
        """The signals in deviations from their means, cut off at `CLIP_DEVIATIONS`."""
        rows: Floats = np.clip((signals - self.mean) / self.spread, -CLIP_DEVIATIONS, CLIP_DEVIATIONS)
        return rows


def _forward(weights: Weights, rows: Floats) -> Floats:
    """The scores of one net."""
    hidden = np.maximum(_times(rows, weights["in"]) + weights["in_bias"], 0)
    for layer, step in enumerate(STEPS):
        seen = neighbours(hidden, step)
        hidden = hidden + np.maximum(_times(seen, weights[f"mix{layer}"]) + weights[f"mix_bias{layer}"], 0)
    scores: Floats = (hidden @ weights["out"] + rows @ weights["past"]).astype(np.float32)
    return scores


def _times(rows: Floats, weights: Floats) -> Floats:
    """`rows @ weights` in pieces so small that no BLAS wakes its threads for them: waking costs more."""
    count, width = rows.shape
    pieces = -(-count // _PIECE)
    padded = np.zeros((pieces * _PIECE, width), dtype=np.float32)
    padded[:count] = rows
    product: Floats = padded.reshape(pieces, _PIECE, width) @ weights
    return product.reshape(pieces * _PIECE, -1)[:count]


def neighbours(hidden: Floats, step: int) -> Floats:
    """Each row with those `step` and twice `step` before and after it beside it; zeros beyond the ends."""
    count, width = hidden.shape
    reach = step * (KERNEL_TAPS // 2)
    padded = np.zeros((count + 2 * reach, width), dtype=np.float32)
    padded[reach : reach + count] = hidden
    return np.concatenate([padded[tap * step : tap * step + count] for tap in range(KERNEL_TAPS)], axis=1)


@cache
def trained() -> Ranker:
    """The trained ranker that comes with the program; read once."""
    with files("context.retrieval").joinpath("evidence.npz").open("rb") as file, np.load(file) as stored:
        arrays = {name: stored[name].astype(np.float32) for name in stored.files}
    mean, spread = arrays.pop("mean"), arrays.pop("spread")
    count = len(next(iter(arrays.values())))
    members = tuple({name: array[number] for name, array in arrays.items()} for number in range(count))
    return Ranker(mean, spread, members)


def similarities(vectors: Mapping[int, Vectors], query: Vectors) -> dict[int, float]:
    """The cosine of each unit vector with `query`, by key; those of another length are left out."""
    fitting = {key: row for key, row in vectors.items() if len(row) == len(query)}
    if not fitting:
        return {}
    return dict(zip(fitting, (np.stack(list(fitting.values())) @ query).tolist(), strict=True))


def per_utterance(similar: Mapping[int, float], spans: Mapping[int, tuple[int, int]], count: int) -> Vectors:
    """How close the passage of each of `count` utterances is, in deviations from the meeting's mean.

    `similar`: the cosine of each passage with the question, by key. `spans`: the first and last place (from
    0) of each passage, by key. An utterance in several passages has the highest, one in none 0; all have 0
    where fewer than two passages are known.
    """
    scores = np.zeros(count, dtype=np.float32)
    known = [key for key in similar if key in spans and spans[key][0] < count]
    if len(known) < 2:
        return scores
    values = np.array([similar[key] for key in known], dtype=np.float32)
    values = (values - values.mean()) / (values.std() + 1e-6)
    best = np.full(count, -np.inf, dtype=np.float32)
    for key, value in zip(known, values, strict=True):
        first, last = spans[key]
        np.maximum(best[first : last + 1], value, out=best[first : last + 1])
    found = np.isfinite(best)
    scores[found] = best[found]
    return scores
