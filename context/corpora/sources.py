"""Which meeting or document a question is about, from the passages that its words found.

A source is judged by more than its best passage: by its best three, how much of the question is said in
it and in one passage of it, whether neighbouring words of the question were said side by side, and
whether the one whose words are asked for speaks there. Weighed by what was learned on QMSum's train split
(four stores of some forty meetings); measures are compared among the sources of one search only.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.corpora.passage import Passage
from context.corpora.words import passage_terms, weight
from context.retrieval.lexical import stem
from context.retrieval.questions import speakers_asked

WEIGHTS: Final = (1.0, 0.38, 0.19, 0.29, 0.47)
"""Of best three, together, in one passage, side by side, asked speaker."""
CLOSE_WEIGHT: Final = 0.8
_CLOSEST: Final = 3


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search by words found."""

    asked: Sequence[str]
    """The question's terms, as `words.asked_terms` has them."""
    passages: Sequence[Passage]
    ranked: Sequence[tuple[int, float]]
    """(place in `passages`, BM25), best first."""
    frequencies: Mapping[str, int]
    total: int
    """How many passages there are in all."""


def source_scores(question: str, hits: Hits, close: Mapping[str, float] | None = None) -> dict[str, float]:
    """Log odds of each source, up to a constant.

    `close`: how near each source's best passages are to the question, by vectors; other sources may be in it.
    """
    sources, table = source_measures(question, hits)
    scores: dict[str, float] = {}
    if sources:
        scores = dict(zip(sources, (_scaled(table) @ np.array(WEIGHTS)).tolist(), strict=True))
    if close:
        near = list(close)
        closeness = _scaled(np.array([[close[source]] for source in near]))[:, 0]
        least = min(scores.values(), default=0.0)
        for source, value in zip(near, closeness, strict=True):
            scores[source] = scores.get(source, least) + CLOSE_WEIGHT * float(value)
    return scores


def chances(scores: Mapping[str, float]) -> dict[str, float]:
    """How likely each source is the one that is asked about, together 1."""
    if not scores:
        return {}
    best = max(scores.values())
    odds = {source: math.exp(score - best) for source, score in scores.items()}
    whole = sum(odds.values())
    return {source: value / whole for source, value in odds.items()}


def closest(found: Sequence[tuple[str, float]]) -> dict[str, float]:
    """For each source how near its best three are; `found`: (source, cosine), best first."""
    near: dict[str, list[float]] = defaultdict(list)
    for source, cosine in found:
        if len(near[source]) < _CLOSEST:
            near[source].append(cosine)
    return {source: sum(values) / len(values) for source, values in near.items()}


def _scaled(table: NDArray[np.float64]) -> NDArray[np.float64]:
    spread = table.std(0)
    scaled: NDArray[np.float64] = (table - table.mean(0)) / np.where(spread > 1e-9, spread, 1.0)
    return scaled


def source_measures(question: str, hits: Hits) -> tuple[list[str], NDArray[np.float64]]:
    """The sources in order of their best passage, and a row of measures for each."""
    scores: dict[str, list[float]] = defaultdict(list)
    places: dict[str, list[int]] = defaultdict(list)
    for place, score in hits.ranked:
        source = hits.passages[place].source_id
        scores[source].append(score)
        places[source].append(place)
    rows = [
        (
            sum(found[:3]) / 3,
            *_held(question, hits, [hits.passages[place] for place in places[source]]),
        )
        for source, found in scores.items()
    ]
    return list(scores), np.array(rows, dtype=np.float64).reshape(len(rows), len(WEIGHTS))


def _held(question: str, hits: Hits, here: Sequence[Passage]) -> tuple[float, float, float, float]:
    """What one source's passages hold of the question.

    Its words: together, and at best in one; how often two of them stand side by side; and whether somebody
    speaks there who is asked for.
    """
    names = list(dict.fromkeys(name for passage in here for name in passage.speakers))
    spoken, words = speakers_asked(question, names)
    stems = {stem(word) for word in words}
    left = {
        term: weight(hits.frequencies.get(term, 0), hits.total) for term in hits.asked if term not in stems
    }
    whole = sum(left.values()) or 1.0
    side_by_side = set(pairwise(hits.asked))
    terms = [passage_terms(passage) for passage in here]
    pairs = Counter(pair for each in terms for pair in pairwise(each) if pair in side_by_side)

    def share(own: AbstractSet[str]) -> float:
        return sum(value for term, value in left.items() if term in own) / whole

    together = share({term for each in terms for term in each})
    best = max((share(set(each)) for each in terms), default=0.0)
    return together, best, sum(map(math.log1p, pairs.values())), float(bool(spoken))
