"""Training of what finds answers, and of how sure it is of them; both cross-validated by groups of meetings.

An answer is right where what it quotes holds a line that answers, by the very function that words it. Sureness
also learns from questions that were put to another meeting; some of these it answers rightly all the same
("수리비는 얼마야?"), so their share is a bound from above.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from context.plain import answer_inputs, confidence, ranking
from context.plain.facade import answer_of_ranking
from context.plain.ranking import Ranking
from context.plain.signals import FORM_SIGNALS, WORD_SIGNALS
from context.question import Question
from context.reading.linear import Trees
from tests.training import trees
from tests.training.meetings import Asked, questions

FOLDS = 8
_BY_WORDS = len(WORD_SIGNALS) + len(FORM_SIGNALS)
_ELSEWHERE = 0.5
"""A question that was put to another meeting counts so much of one put to its own."""
_ANSWER_GONE = 0.25
"""The same without the lines that answer it."""
_DRAWS = 1000
"""So often are groups of meetings drawn for an interval."""


def train(folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Write the trees and the scale of sureness, with vectors and without; their scores."""
    asked = list(questions(folders))
    own = [each for each in asked if not each.elsewhere]
    scores: dict[str, Any] = {
        "questions": len(own),
        "declined": sum(each.declined for each in own),
        "put elsewhere": len(asked) - len(own),
    }
    scales: dict[str, Any] = {}
    for name, columns, path in (
        ("with_meaning", None, ranking.TREES_WITH_MEANING),
        ("by_words", _BY_WORDS, ranking.TREES_BY_WORDS),
    ):
        found = cross_validated(asked, columns)
        least = [answer_inputs.SURE_ANSWER] * len(asked)
        right = np.array([_told(*each)[0] for each in zip(asked, found, least, strict=True)])
        gone = [_without_answer(each, places) for each, places in zip(asked, found, strict=True)]
        likely, gone_likely, scales[name] = _sureness(asked, found, right, [each for each in gone if each])
        sure = np.array([_told(*each)[1] for each in zip(asked, found, likely, strict=True)])
        answers = zip(asked, found, np.maximum(likely, least), strict=True)
        right = np.array([_told(*each)[0] for each in answers])  # the surer it is, the less is quoted
        size = trees.kept(_fitted(asked, columns), path)
        scores[name] = {"bytes": size, **_figures(asked, found, _Outcome(right, sure, likely))}
        scores[name]["answer_gone_answered_surely"] = round(
            float((gone_likely >= answer_inputs.SURE_ANSWER).mean()), 3
        )
    confidence.WEIGHTS_FILE.write_text(json.dumps(scales) + "\n", "utf-8")
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
    asked: Sequence[Asked],
    found: Sequence[Ranking],
    right: NDArray[np.bool_],
    gone: Sequence[tuple[Asked, Ranking]],
) -> tuple[NDArray[np.float64], NDArray[np.float64], dict[str, Any]]:
    """The cross-validated probabilities, those of `gone`, whose answers were taken out, and the scale of all."""
    pairs = [*zip(asked, found, strict=True), *gone]
    right = np.concatenate([right, np.zeros(len(gone), dtype=bool)])
    rows = np.stack(
        [
            confidence.confidence_features(each.question, places, each.record.utterances)
            for each, places in pairs
        ]
    )
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    spread[spread < 1e-3] = 1.0  # what is always the same: meaning, where there are no vectors
    scaled = (rows - mean) / spread
    folds = np.array([_fold(each) for each, _ in pairs])
    counts = np.array([_ELSEWHERE if each.elsewhere else 1.0 for each in asked] + [_ANSWER_GONE] * len(gone))
    likely = np.zeros(len(pairs))

    def fit(seen: NDArray[np.bool_]) -> LogisticRegression:
        how = LogisticRegression(C=0.3, max_iter=2000)
        return how.fit(scaled[seen], right[seen], sample_weight=counts[seen])

    for fold in set(folds.tolist()):
        held = folds == fold
        likely[held] = fit(~held).predict_proba(scaled[held])[:, 1]
    whole = fit(np.ones(len(pairs), dtype=bool))
    scale = {
        "mean": [round(float(x), 5) for x in mean],
        "spread": [round(float(x), 5) for x in spread],
        "weights": [round(float(x), 4) for x in whole.coef_[0]],
        "bias": round(float(whole.intercept_[0]), 4),
    }
    return likely[: len(asked)], likely[len(asked) :], scale


def _without_answer(each: Asked, places: Ranking) -> tuple[Asked, Ranking] | None:
    """The same question where the lines that answer it were never said; None where nothing answers it, or is left."""
    answers = set(each.places[each.gold].tolist())
    left = [place not in answers for place in places.places.tolist()]
    if not answers or not any(left):
        return None
    said = [
        line.model_copy(update={"text": ""}) if place in answers else line
        for place, line in enumerate(each.record.utterances)
    ]
    return replace(each, record=replace(each.record, utterances=said)), places.filtered(left)


def _told(each: Asked, places: Ranking, sure: float) -> tuple[bool, bool]:
    """Whether what is quoted where it is so sure holds one that is right, and whether it is given as the answer."""
    question = Question(
        id="q", by="asker", via="chat", text=each.question, matter=each.question, intent="fact", at_ms=0
    )
    given = answer_of_ranking(question, places, each.record, sure=sure, needed=answer_inputs.SURE_ANSWER)
    right = not set(given.evidence).isdisjoint((each.places[each.gold] + 1).tolist())
    return right, given.certainty == "answer"


@dataclass(frozen=True, slots=True, eq=False)
class _Outcome:
    """What became of each question, in the order of the questions."""

    right: NDArray[np.bool_]
    """Whether what an answer quotes answers it."""
    sure: NDArray[np.bool_]
    """Whether it is given as the answer."""
    likely: NDArray[np.float64]


def _figures(asked: Sequence[Asked], found: Sequence[Ranking], outcome: _Outcome) -> dict[str, Any]:
    groups = np.array([each.group for each in asked])
    gold = [set(each.places[each.gold].tolist()) for each in asked]
    best = [places.places[: confidence.MAX_QUOTES].tolist() for places in found]
    first = np.array([not lines.isdisjoint(near[:1]) for lines, near in zip(gold, best, strict=True)])
    three = np.array([not lines.isdisjoint(near) for lines, near in zip(gold, best, strict=True)])
    wrong = outcome.sure & ~outcome.right

    def share(test: Callable[[Asked], bool], met: NDArray[np.bool_]) -> float | None:
        chosen = np.array([test(each) for each in asked])
        return round(float(met[chosen].mean()), 3) if chosen.any() else None

    def answered(test: Callable[[Asked], bool]) -> Mapping[str, Any]:
        own = np.array([not each.elsewhere and test(each) for each in asked])
        answerable = own & ~np.array([each.declined for each in asked])
        return {
            "answerable": int(answerable.sum()),
            "answered_surely": _with_interval(outcome.sure, answerable, groups),
            "wrong_and_sure": _with_interval(wrong, own, groups),
        }

    return {
        "first": share(lambda each: not each.declined, first),
        "among_three": share(lambda each: not each.declined, three),
        "among_three_other_words": share(lambda each: not each.declined and each.other_words is True, three),
        "among_three_same_words": share(lambda each: not each.declined and each.other_words is False, three),
        "quoted": share(lambda each: not each.declined, outcome.right),
        "answered_surely": share(lambda each: not each.declined, outcome.sure),
        "wrong_and_sure": share(lambda each: not each.elsewhere, wrong),
        "foreign_answered_surely": share(lambda each: each.declined and not each.elsewhere, outcome.sure),
        "elsewhere_answered_surely": share(lambda each: each.elsewhere, outcome.sure),
        "foreign_declined": share(lambda each: each.declined, outcome.likely < answer_inputs.CLOSEST_ANSWER),
        "own_declined": share(lambda each: not each.declined, outcome.likely < answer_inputs.CLOSEST_ANSWER),
        "of all": answered(lambda _: True),
        "of labelled meetings": answered(lambda each: each.labelled),
        "of Korean ones": answered(lambda each: each.language == "ko"),
        "of English ones": answered(lambda each: each.language == "en"),
        "at other thresholds": {
            str(least): [
                share(lambda each: not each.declined, outcome.likely >= least),
                share(lambda each: not each.elsewhere, (outcome.likely >= least) & ~outcome.right),
                share(lambda each: each.elsewhere, outcome.likely >= least),
            ]
            for least in (0.54, 0.58, 0.62, 0.66, 0.7)
        },
    }


def _with_interval(
    met: NDArray[np.bool_], chosen: NDArray[np.bool_], groups: NDArray[np.str_]
) -> tuple[float, float, float]:
    """The share of the chosen that are met, and its 95 % interval over groups of meetings drawn again."""
    names = np.unique(groups[chosen])
    of = np.array([(chosen & (groups == name)).sum() for name in names])
    hits = np.array([(met & chosen & (groups == name)).sum() for name in names])
    draws = np.random.default_rng(0).integers(len(names), size=(_DRAWS, len(names)))
    shares = hits[draws].sum(axis=1) / of[draws].sum(axis=1)
    low, high = np.percentile(shares, [2.5, 97.5])
    return round(float(hits.sum() / of.sum()), 3), round(float(low), 3), round(float(high), 3)


def _fold(each: Asked) -> int:
    return crc32(each.group.encode()) % FOLDS
