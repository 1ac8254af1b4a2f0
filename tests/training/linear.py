"""Multinomial logistic regression on `context.reading.linear` and vectors, cross-validated by groups of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from context.reading.linear import EMBEDDING_WEIGHT, FEATURE_BUCKETS, LinearHead, features_of

FOLDS = 8
STRENGTH = 5.0
"""Inverse of the penalty (scikit-learn's C); between 1 and 10 nothing changes beyond noise."""

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled text; rows of one group never stand on both sides of a fold."""

    text: str
    label: str
    group: str
    language: str = ""


def trained(rows: Sequence[Row], vectors: Vectors | None = None) -> tuple[LinearHead, NDArray[np.float64]]:
    """A head of all rows, and the calibrated probabilities [rows, classes] of heads that had not seen a row's group.

    `vectors`: one a row; None for a head that works without.
    """
    classes = sorted({row.label for row in rows})
    gold = np.array([classes.index(row.label) for row in rows])
    sums = np.full((len(rows), len(classes)), -20.0)
    for seen, held in GroupKFold(FOLDS).split(rows, groups=[row.group for row in rows]):
        head = fitted([rows[i] for i in seen], None if vectors is None else vectors[seen])
        places = [classes.index(name) for name in head.classes]
        for i in held:
            likely = head.probabilities(rows[i].text, None if vectors is None else vectors[i])
            sums[i, places] = np.log(np.maximum(list(likely.values()), 1e-9))
    temperature = float(min(np.arange(0.3, 3.0, 0.05), key=lambda t: _loss(sums / t, gold)))
    return fitted(rows, vectors, temperature), _soft(sums / temperature)


def kept(head: LinearHead, path: Path) -> int:
    """Write it; the size in bytes."""
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            classes=np.array(head.classes),
            rarity=head.rarity.astype(np.float16),
            weights=head.weights.astype(np.float16),
            of_meaning=head.embedding_weights.astype(np.float16),
            usual=head.mean_embedding.astype(np.float16),
            bias=head.bias,
            temperature=np.float64(head.temperature),
        )
        return file.tell()


def fitted(
    rows: Sequence[Row], vectors: Vectors | None = None, temperature: float = 1.0, *, is_even: bool = True
) -> LinearHead:
    """A head of all rows. `is_even`: each class counts as much as any other, else as often as it comes."""
    found = [features_of(row.text) for row in rows]
    have = np.zeros(FEATURE_BUCKETS)
    for features, _ in found:
        have[features] += 1
    rarity = (np.log((1 + len(rows)) / (1 + have)) + 1).astype(np.float32)
    rarity[have == 0] = 0
    starts = np.cumsum([0, *(len(features) for features, _ in found)])
    values = [often * rarity[features] for features, often in found]
    cells = np.concatenate([each / (np.linalg.norm(each) or 1.0) for each in values])
    table = sp.csr_matrix(
        (cells, np.concatenate([features for features, _ in found]), starts),
        shape=(len(rows), FEATURE_BUCKETS),
    )
    usual = np.zeros(0, dtype=np.float32) if vectors is None else vectors.mean(axis=0)
    if vectors is not None:
        table = sp.hstack([table, sp.csr_matrix(EMBEDDING_WEIGHT * (vectors - usual))]).tocsr()
    labels = [row.label for row in rows]
    fit = LogisticRegression(C=STRENGTH, max_iter=600, class_weight="balanced" if is_even else None).fit(
        table, labels
    )
    weights, bias = fit.coef_.T.astype(np.float32), fit.intercept_.astype(np.float32)
    if len(fit.classes_) == 2:  # scikit-learn keeps the sums of the second class alone
        weights, bias = np.hstack([-weights, weights]) / 2, np.array([-bias[0], bias[0]]) / 2
    return LinearHead(
        classes=tuple(str(name) for name in fit.classes_),
        rarity=rarity,
        weights=weights[:FEATURE_BUCKETS],
        embedding_weights=weights[FEATURE_BUCKETS:],
        mean_embedding=usual,
        bias=bias,
        temperature=temperature,
    )


def _soft(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    likely = np.exp(sums - sums.max(axis=1, keepdims=True))
    return likely / likely.sum(axis=1, keepdims=True)


def _loss(sums: NDArray[np.float64], gold: NDArray[np.int64]) -> float:
    return float(-np.log(np.maximum(_soft(sums)[np.arange(len(gold)), gold], 1e-12)).mean())
