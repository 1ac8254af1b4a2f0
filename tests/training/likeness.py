"""Training of when two questions share an answer, cross-validated by families of questions.

A labelled pair belongs to the family of all pairs that have a question in common with it, by however many
steps. Two questions that were asked of one labelled meeting are different ones, and of its family.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from context.answer_cache import likeness
from context.answer_cache.compared_question import read
from context.answer_cache.likeness import Judge, objections, threshold_for, weighted_name
from tests.bench import answer_cache as bench
from tests.training.meetings import DATA
from tests.training.vectors import embedded

FOLDS = 10
STRENGTH = 1.0
"""Inverse of the penalty (scikit-learn's C)."""
RARE = 2
"""A word or an ending that differs in fewer pairs than this is one that no label knows."""
LEAST = 0.92
"""What is served is at least so likely: one wrong answer costs more than a hundred look-ups save."""
ROUNDS = 5
"""Cross-validations, each with other folds: of so few near-misses that come close one says little."""
ALIKE = 0.86
"""Two questions of a meeting that are less alike teach nothing: the encoder's veto lies higher."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and one that was asked later."""

    stored: str
    asked: str
    same: bool
    split: str
    family: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """What the judge sees of two questions that the guards let pass."""

    features: Mapping[str, float]
    cosine: float
    asked: Asked


def train(folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Write the judge; its scores."""
    asked = [*_pairs(folders), *_of_meetings(folders)]
    rows = _rows(asked)
    judge = _fitted(rows)
    weights = {name: round(weight, 3) for name, weight in sorted(judge.weights.items())}
    written = {"bias": round(judge.bias, 3), "least": LEAST, "weights": weights}
    likeness.WEIGHTS.write_text(json.dumps(written, ensure_ascii=False, indent=0) + "\n", "utf-8")
    hits = [
        row.asked
        for number in range(ROUNDS)
        for row, each in zip(rows, cross_validated(rows, number), strict=True)
        if each >= LEAST
    ]
    return {
        "weights": len(weights),
        "cross_validated, in the mean of all rounds": {
            split: {
                "near_misses": sum(not each.same for each in asked if each.split == split),
                "served": sum(not each.same for each in hits if each.split == split) / ROUNDS,
                "paraphrases": sum(each.same for each in asked if each.split == split),
                "hit": sum(each.same for each in hits if each.split == split) / ROUNDS,
            }
            for split in dict.fromkeys(each.split for each in asked)
        },
    }


def cross_validated(rows: Sequence[Row], number: int = 0) -> NDArray[np.float64]:
    """How likely each is the same question, by a judge that saw none of its family; 0 where the encoder objects."""
    likely = np.zeros(len(rows))
    veto = threshold_for("multilingual-e5-small")
    folds = GroupKFold(FOLDS, shuffle=True, random_state=number)
    for learnt, held in folds.split(rows, groups=[row.asked.family for row in rows]):
        judge = _fitted([rows[i] for i in learnt])
        for i in held:
            refused = rows[i].cosine < veto or rows[i].features["only moved"]
            likely[i] = 0.0 if refused else judge.probability(rows[i].features)
    return likely


def _pairs(folders: Sequence[Path]) -> list[Asked]:
    """The labelled ones; the same words twice are no matter of likeness."""
    found = [pair for folder in (bench.PAIRS, *folders) for pair in bench.read(folder)]
    pairs = [pair for pair in dict.fromkeys(found) if pair.stored != pair.asked]
    head: dict[str, str] = {}

    def family(text: str) -> str:
        while head.setdefault(text, text) != text:
            text = head[text]
        return text

    for pair in pairs:
        head[family(pair.stored)] = family(pair.asked)
    return [
        Asked(pair.stored, pair.asked, pair.may_be_served, pair.split, family(pair.stored)) for pair in pairs
    ]


def _of_meetings(folders: Sequence[Path]) -> Iterator[Asked]:
    """Each two questions of a labelled meeting, in both orders."""
    for folder in (DATA / "trials", DATA / "labels" / "meetings", *folders):
        for path in sorted(folder.rglob("*.json")):
            meeting = json.loads(path.read_text("utf-8"))
            if not isinstance(meeting, dict) or not meeting.get("asks"):
                continue
            names = tuple(sorted({line["speaker"] for line in meeting["lines"]}))
            questions = sorted({ask["question"] for ask in meeting["asks"]})
            for one, other in combinations(questions, 2):
                yield Asked(one, other, same=False, split="meetings", family=path.stem, names=names)
                yield Asked(other, one, same=False, split="meetings", family=path.stem, names=names)


def _rows(asked: Sequence[Asked]) -> list[Row]:
    texts = sorted({text for each in asked for text in (each.stored, each.asked)})
    vectors = dict(zip(texts, embedded(texts, query=True), strict=True))
    rows = []
    for each in asked:
        stored, later = read(each.stored, each.names), read(each.asked, each.names)
        cosine = float(vectors[each.stored] @ vectors[each.asked])
        if stored.normal == later.normal or objections(stored, later):
            continue
        if each.split != "meetings" or cosine >= ALIKE:
            rows.append(Row(likeness.features(stored, later, cosine), cosine, each))
    return rows


def _fitted(rows: Sequence[Row]) -> Judge:
    often = Counter(name for row in rows for name in row.features)
    names = {name for name, count in often.items() if count >= RARE}
    table = DictVectorizer()
    values = table.fit_transform([_folded(row.features, names) for row in rows])
    fit = LogisticRegression(C=STRENGTH, max_iter=3000).fit(values, [row.asked.same for row in rows])
    weights = dict(zip(table.get_feature_names_out().tolist(), fit.coef_[0].tolist(), strict=True))
    return Judge(bias=float(fit.intercept_[0]), weights=weights, least=1.0)


def _folded(features: Mapping[str, float], names: Collection[str]) -> dict[str, float]:
    folded = Counter[str]()
    for name, value in features.items():
        folded[weighted_name(name, names)] += value
    return dict(folded)
