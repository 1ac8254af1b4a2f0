"""Multinomial logistic regression on `context.plain.grams`, cross-validated by groups of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from context.plain.grams import WIDTH, counted
from context.plain.linear import LinearHead

FOLDS = 5
STRENGTH = 10.0
"""Inverse of the penalty (scikit-learn's C); between 3 and 30 nothing changes beyond noise."""


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled text; rows of one group never stand on both sides of a fold."""

    text: str
    label: str
    group: str
    language: str = ""


def cross_validated(rows: Sequence[Row]) -> NDArray[np.float64]:
    """The sums of each row [rows, classes] by a head that has seen nothing of its group."""
    classes = sorted({row.label for row in rows})
    sums = np.zeros((len(rows), len(classes)))
    for seen, held in GroupKFold(FOLDS).split(rows, groups=[row.group for row in rows]):
        head = _fitted([rows[i] for i in seen], temperature=1.0)
        places = [classes.index(name) for name in head.classes]
        for i in held:
            sums[np.ix_([i], places)] = np.log(np.maximum(list(head.probabilities(rows[i].text).values()), 1e-9))
    return sums


def trained(rows: Sequence[Row]) -> tuple[LinearHead, NDArray[np.float64]]:
    """A head of all rows, calibrated on the sums of the cross-validation; and the calibrated probabilities there."""
    sums = cross_validated(rows)
    classes = sorted({row.label for row in rows})
    gold = np.array([classes.index(row.label) for row in rows])
    temperature = min(np.arange(0.3, 3.0, 0.05), key=lambda t: _loss(sums / t, gold))
    return _fitted(rows, temperature=float(temperature)), _soft(sums / temperature)


def written(head: LinearHead, path: str) -> int:
    """Keep it; its size in bytes."""
    used = np.abs(head.weights).max(axis=1) > 0
    weights = np.where(used[:, None], head.weights, 0).astype(np.float16)
    with open(path, "wb") as file:
        np.savez_compressed(
            file,
            classes=np.array(head.classes),
            rarity=head.rarity.astype(np.float16),
            weights=weights,
            bias=head.bias,
            temperature=np.float64(head.temperature),
        )
        return file.tell()


def _fitted(rows: Sequence[Row], *, temperature: float) -> LinearHead:
    found = [counted(row.text) for row in rows]
    have = np.zeros(WIDTH)
    for features, _ in found:
        have[features] += 1
    rarity = (np.log((1 + len(rows)) / (1 + have)) + 1).astype(np.float32)
    rarity[have == 0] = 0
    starts = np.cumsum([0, *(len(features) for features, _ in found)])
    values = [often * rarity[features] for features, often in found]
    matrix = sp.csr_matrix(
        (
            np.concatenate([each / (np.linalg.norm(each) or 1.0) for each in values]),
            np.concatenate([features for features, _ in found]),
            starts,
        ),
        shape=(len(rows), WIDTH),
    )
    fit = LogisticRegression(C=STRENGTH, max_iter=400, class_weight="balanced").fit(matrix, [row.label for row in rows])
    return LinearHead(
        classes=tuple(str(name) for name in fit.classes_),
        rarity=rarity,
        weights=fit.coef_.T.astype(np.float32),
        bias=fit.intercept_.astype(np.float32),
        temperature=temperature,
    )


def _soft(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    likely = np.exp(sums - sums.max(axis=1, keepdims=True))
    return likely / likely.sum(axis=1, keepdims=True)


def _loss(sums: NDArray[np.float64], gold: NDArray[np.int64]) -> float:
    return float(-np.log(np.maximum(_soft(sums)[np.arange(len(gold)), gold], 1e-12)).mean())
