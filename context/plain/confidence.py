"""Confidence in an answer: the calibrated probability that what is quoted answers the question.

Trained on questions that the meeting answers, on such as it does not, on the same without the lines that
answer them, and on such as were put to another meeting, which has most of their words but not their matter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from context.models import Utterance
from context.plain.ranking import Ranking
from context.plain.signals import SIGNALS, Floats
from context.plain.word_weights import missing_weights
from context.retrieval.answer_kinds import FIGURES, kind_asked
from context.retrieval.question_subject import coverage, topic_words

MAX_QUOTES: Final = 3
"""So many of the best utterances are quoted at most."""
SCORE_GAP: Final = 2.0
"""An utterance whose score is lower than the best one's by more is not quoted beside an answer."""
VERY_SURE_CHANCE: Final = 0.8
VERY_SURE_SCORE_GAP: Final = 1.0
"""From this probability on it is so much. Cross-validated, a tenth of what is quoted goes (2.7 lines an
answer become 2.4), and 5 more of 1,000 questions are answered wrongly; from 0.7 on it would be 11.
"""
WEIGHTS_FILE: Final = Path(__file__).with_name("sureness.json")
_BEST_COLUMNS: Final = [
    SIGNALS.index(name)
    for name in (
        "words", "words share", "evidence deviation", "gives the kind", "no kind asked", "meaning",
        "meaning deviation", "around", "around deviation",
    )
]  # fmt: skip
_MEANING, _WORDS, _GIVES = (SIGNALS.index(name) for name in ("meaning", "words", "gives the kind"))


def answer_chance(question: str, found: Ranking, utterances: Sequence[Utterance], *, by_words: bool) -> float:
    """The chance, 0 to 1, that what is quoted of `found`, which holds one utterance at least, has the answer.

    `utterances`: the meeting's, all. `by_words`: they were found without embeddings.
    """
    scale = _regressions()["by_words" if by_words else "with_meaning"]
    mean, spread, weights = (np.array(scale[name]) for name in ("mean", "spread", "weights"))
    values = (confidence_features(question, found, utterances) - mean) / spread
    return float(1 / (1 + np.exp(-(values @ weights + scale["bias"]))))


def max_score_gap(sure: float) -> float:
    """By how much less than the best one's the score may be of what is quoted beside it."""
    return VERY_SURE_SCORE_GAP if sure >= VERY_SURE_CHANCE else SCORE_GAP


def confidence_features(
    question: str, found: Ranking, utterances: Sequence[Utterance]
) -> NDArray[np.float64]:
    """The features of the regression: how far the best stands out, how much of the question is around it."""
    scores = found.scores.astype(np.float64)
    ahead = [scores[0] - scores[min(step, len(scores) - 1)] for step in (1, 3)]
    likely = np.exp(scores - scores[0])
    likely /= likely.sum()
    topic = topic_words(question)
    around = (utterances[max(0, place - 3) : place + 2] for place in found.places[:MAX_QUOTES].tolist())
    near = [" ".join(each.text for each in lines) for lines in around]
    covered = [0.0, 0.0, 0.0]
    if topic:
        covered = [
            max(coverage(topic, text) for text in near),
            coverage(topic, " ".join(near)),
            coverage(topic, " ".join(utterances[place].text for place in found.places.tolist())),
        ]
    best = found.rows[:MAX_QUOTES]
    shown = [
        utterances[place].text
        for place in found.places[:MAX_QUOTES][scores[:MAX_QUOTES] >= scores[0] - SCORE_GAP]
    ]
    together = len(scores) > 1 and abs(int(found.places[0]) - int(found.places[1])) <= 3
    return np.array(
        [
            scores[0], *ahead, scores[0] - scores.mean(), likely[0], likely[:MAX_QUOTES].sum(), *covered,
            len(topic), len(question), together, *found.rows[0, _BEST_COLUMNS], best[:, _MEANING].max(),
            best[:, _WORDS].max(), found.rows[:, _MEANING].max(), found.rows[:, _MEANING].mean(),
            best[:, _GIVES].max(), *_kind_features(question, best[: len(shown), _GIVES]),
            *missing_weights(topic, near[0]), *missing_weights(topic, " ".join(shown)),
        ],
        dtype=np.float64,
    )  # fmt: skip


def _kind_features(question: str, gives: Floats) -> list[float]:
    """The features that say whether a figure or a person is asked for, and whether what is shown gives none.

    `gives`: of each that is shown, whether it gives the kind that is asked for.
    """
    kind, none = kind_asked(question), not gives.any()
    figure, person = kind in FIGURES, kind == "who"
    return [figure, figure and bool(gives[0]), figure and none, person, person and none]


@cache
def _regressions() -> Mapping[str, Any]:
    """The logistic regression for each way of finding places: mean, spread and weight of traits, a bias."""
    return dict(json.loads(WEIGHTS_FILE.read_text("utf-8")))
