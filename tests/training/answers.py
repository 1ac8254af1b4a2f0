"""Training of what finds answers, and of how sure it is of them; both cross-validated by groups of meetings."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from context.plain import asking, ranking, sureness
from context.plain.ranking import Ranking
from context.plain.signals import FORM, WORDS
from context.reading.linear import Trees
from tests.training import trees
from tests.training.meetings import Asked, questions

FOLDS = 8
_BY_WORDS = len(WORDS) + len(FORM)


def train(folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Write the trees and the scale of sureness, with vectors and without; their scores."""
    asked = list(questions(folders))
    scores: dict[str, Any] = {"questions": len(asked), "declined": sum(each.declined for each in asked)}
    scales: dict[str, Any] = {}
    for name, columns, path in (
        ("with_meaning", None, ranking.WITH_MEANING),
        ("by_words", _BY_WORDS, ranking.BY_WORDS),
    ):
        found = cross_validated(asked, columns)
        right = np.array([_met(each, places) for each, places in zip(asked, found, strict=True)])
        likely, scales[name] = _sureness(asked, found, right)
        size = trees.kept(_fitted(asked, columns), path)
        scores[name] = {"bytes": size, **_figures(asked, found, right, likely)}
    sureness.FILE.write_text(json.dumps(scales) + "\n", "utf-8")
    return scores


def cross_validated(asked: Sequence[Asked], columns: int | None) -> list[Ranking]:
    """The places of each question, by trees that have seen nothing of its group."""
    found: list[Ranking | None] = [None] * len(asked)
    for fold in range(FOLDS):
        held = [i for i, each in enumerate(asked) if _fold(each) == fold]
        if held:
            made = _fitted([each for each in asked if _fold(each) != fold], columns)
            for i in held:
                found[i] = _placed(asked[i], made, columns)
    return [each for each in found if each is not None]


def _fitted(asked: Sequence[Asked], columns: int | None) -> Trees:
    seen = [each for each in asked if each.gold.any()]
    return trees.ranked([each.rows[:, :columns] for each in seen], [each.gold for each in seen])


def _placed(each: Asked, made: Trees, columns: int | None) -> Ranking:
    scores = made.scores(each.rows[:, :columns])
    order = np.argsort(-scores, kind="stable")
    rows = each.rows.copy()
    if columns is not None:
        rows[:, columns:] = 0  # as it is where there are no vectors
    return Ranking(each.places[order], scores[order], rows[order])


def _sureness(
    asked: Sequence[Asked], found: Sequence[Ranking], right: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """The cross-validated probabilities, and the scale of all."""
    rows = np.stack(
        [
            sureness.traits(each.question, places, each.utterances)
            for each, places in zip(asked, found, strict=True)
        ]
    )
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    spread[spread < 1e-3] = 1.0  # what is always the same: meaning, where there are no vectors
    scaled = (rows - mean) / spread
    folds = np.array([_fold(each) for each in asked])
    likely = np.zeros(len(asked))

    def fit(seen: NDArray[np.bool_]) -> LogisticRegression:
        return LogisticRegression(C=0.3, max_iter=2000).fit(scaled[seen], right[seen])

    for fold in set(folds.tolist()):
        held = folds == fold
        likely[held] = fit(~held).predict_proba(scaled[held])[:, 1]
    whole = fit(np.ones(len(asked), dtype=bool))
    return likely, {
        "mean": [round(float(x), 5) for x in mean],
        "spread": [round(float(x), 5) for x in spread],
        "weights": [round(float(x), 4) for x in whole.coef_[0]],
        "bias": round(float(whole.intercept_[0]), 4),
    }


def _met(each: Asked, places: Ranking) -> bool:
    return bool(set(places.places[: sureness.QUOTED].tolist()) & set(each.places[each.gold].tolist()))


def _figures(
    asked: Sequence[Asked], found: Sequence[Ranking], right: NDArray[np.bool_], likely: NDArray[np.float64]
) -> dict[str, Any]:
    def share(test: Callable[[Asked], bool], met: NDArray[np.bool_]) -> float | None:
        chosen = np.array([test(each) for each in asked])
        return round(float(met[chosen].mean()), 3) if chosen.any() else None

    first = np.array(
        [bool({int(p.places[0])} & set(e.places[e.gold].tolist())) for e, p in zip(asked, found, strict=True)]
    )
    sure = likely >= asking.SURE
    return {
        "first": share(lambda each: not each.declined, first),
        "among_three": share(lambda each: not each.declined, right),
        "among_three_other_words": share(lambda each: not each.declined and each.other_words is True, right),
        "among_three_same_words": share(lambda each: not each.declined and each.other_words is False, right),
        "answered_surely": share(lambda each: not each.declined, sure),
        "wrong_and_sure": round(float((sure & ~right).mean()), 3),
        "foreign_answered_surely": share(lambda each: each.declined, sure),
        "foreign_declined": share(lambda each: each.declined, likely < asking.LEAST),
        "own_declined": share(lambda each: not each.declined, likely < asking.LEAST),
    }


def _fold(each: Asked) -> int:
    return crc32(each.group.encode()) % FOLDS
