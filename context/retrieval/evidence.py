"""Ranking: how likely each utterance is evidence for a question, and how much a sentence says of a text.

`rank` judges utterances by the trained net of `ranker` on the signals of `rank_signals`; `importance` weighs
the sentences of any text without a question.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.language.korean import has_hangul
from context.language.numbers import heard, stated
from context.retrieval.index_terms import exact_terms, terms
from context.retrieval.lexical import LexicalIndex
from context.retrieval.question_subject import Subject, subject_of
from context.retrieval.rank_signals import OWN, ConsideredDocuments, Signals
from context.retrieval.ranker import Floats, trained

WHOLE_UTTERANCES: Final = 1200
"""Most utterances of a meeting that is judged whole."""
_JUDGED_UTTERANCES: Final = 224
"""Utterances of a longer meeting that are judged: where the question's terms gather, and the newest."""
_BLOCK_UTTERANCES: Final = 32
_NEWEST_BLOCKS: Final = 4
_CLOSE_BLOCKS: Final = 2
"""Further blocks, the closest by their vectors, where there are any: they need not hold a term."""
_CLOSENESS: Final = 1.5
"""The weight of the closeness of vectors in a score."""
_CLOSE_WORDS: Final = 600.0
"""Words to each side over which that closeness is averaged: a passage alone says little."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The utterances that were judged for a question, in order of time: three arrays of one length."""

    places: NDArray[np.int64]
    """The places of the utterances among the documents of the index, from 0."""
    scores: Floats
    """The logarithm, up to a constant, of how much of the evidence a word there is expected to be."""
    own: Floats
    """The BM25 score of the utterance alone: how plainly it names what is asked about."""


def rank(
    question: str,
    index: LexicalIndex,
    upto: int,
    *,
    over: bool = False,
    whole: int = WHOLE_UTTERANCES,
    close: Floats | None = None,
) -> Ranked:
    """Judge how far each of the first `upto` documents of `index` bears on a question; empty for none.

    `over`: whether the meeting has ended. `whole`: most documents that are all judged; of more, some are.
    `close`: for each document how close its passage is to the question, in deviations from the mean
    (`ranker.per_utterance`); None where there are no vectors.
    """
    if upto <= 0:
        nothing = np.zeros(0, dtype=np.float32)
        return Ranked(np.zeros(0, dtype=np.int64), nothing, nothing)
    subject = subject_of(question, index.names)
    around = None
    if close is not None:  # what was said since counts as usual
        around = _around(np.pad(close[:upto], (0, max(0, upto - len(close)))), index.sizes(upto))
    at = considered_documents(subject, index, upto, whole, around)
    rows = Signals(subject, at).table(over=over)
    scores = trained().scores(rows)
    if around is not None:
        scores = scores + _CLOSENESS * around[at.documents]
    return Ranked(at.documents, scores, rows[:, OWN])


def _around(close: Floats, sizes: Floats) -> Floats:
    """The mean closeness of the talk around each document, `_CLOSE_WORDS` to each side."""
    held = np.maximum(sizes, 0.3).astype(np.float64)
    ends = np.cumsum(held)
    middle = ends - held / 2
    first = np.searchsorted(middle, middle - _CLOSE_WORDS)
    last = np.searchsorted(middle, middle + _CLOSE_WORDS, side="right")
    mass = np.append(0.0, np.cumsum(close * held))
    weight = np.append(0.0, ends)
    mean: Floats = ((mass[last] - mass[first]) / (weight[last] - weight[first])).astype(np.float32)
    return mean


def considered_documents(
    subject: Subject,
    index: LexicalIndex,
    upto: int,
    whole: int = WHOLE_UTTERANCES,
    close: Floats | None = None,
) -> ConsideredDocuments:
    """The documents to judge: all, or of more than `whole` those where the terms gather, and the newest.

    `close`: for each document how close the talk around it is to the question, or None.
    """
    if upto <= whole:
        return ConsideredDocuments(index, upto, np.arange(upto))
    blocks = -(-upto // _BLOCK_UTTERANCES)
    gathered = np.zeros(blocks)
    for term, share in subject.terms.items():
        posting = index.posting(term, upto)
        if posting is not None:
            weight = share * np.log(1 + upto / len(posting.documents))
            there = np.bincount(posting.documents // _BLOCK_UTTERANCES, minlength=blocks)
            gathered += weight * np.minimum(there, 4)
    around = gathered + 0.5 * (np.append(gathered[1:], 0) + np.append(0, gathered[:-1]))
    around[-_NEWEST_BLOCKS:] = np.inf
    room = _JUDGED_UTTERANCES // _BLOCK_UTTERANCES
    if close is not None:
        starts = np.arange(0, upto, _BLOCK_UTTERANCES)
        around[np.argsort(-np.maximum.reduceat(close, starts), kind="stable")[:_CLOSE_BLOCKS]] = np.inf
        room += _CLOSE_BLOCKS
    chosen = np.sort(np.argsort(-around, kind="stable")[:room])
    documents = (chosen[:, None] * _BLOCK_UTTERANCES + np.arange(_BLOCK_UTTERANCES)).ravel()
    return ConsideredDocuments(index, upto, documents[documents < upto])


_FIGURE_BONUS: Final = 0.3
_NAME_BONUS: Final = 0.2
_SHORT_WORDS: Final = 3
_SHORT_CHARS: Final = 8
_LONG_WORDS: Final = 40
_NO_NAMES: Final = frozenset(
    [
        *("I", "I'm", "I'll", "I've", "I'd", "Yes", "No", "OK", "Okay"),
        *("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    ]
)
"""Words that English writes with a capital though they name nobody and nothing."""


def importance(texts: Sequence[str]) -> list[float]:
    """How much each sentence says of the whole, -0.5 to 1.6: centrality, figures, names, place, length."""
    bags = [Counter(exact_terms(text)) for text in texts]
    spread = Counter(term for bag in bags for term in bag)
    weight = {term: math.log(1 + len(texts) / count) for term, count in spread.items()}
    centre: Counter[str] = Counter()
    norms: list[float] = []
    for bag in bags:
        norm = math.sqrt(sum((count * weight[term]) ** 2 for term, count in bag.items())) or 1.0
        norms.append(norm)
        for term, count in bag.items():
            centre[term] += count * weight[term] / norm  # type: ignore[assignment]  # a Counter of floats
    centrality = [
        sum(count * weight[term] * centre[term] for term, count in bag.items()) / norm
        for bag, norm in zip(bags, norms, strict=True)
    ]
    highest = max(centrality, default=0.0) or 1.0
    found = [central / highest + _bonus(text) for text, central in zip(texts, centrality, strict=True)]
    return [worth + (0.1 if place == 0 else 0.0) for place, worth in enumerate(found)]


def _bonus(text: str) -> float:
    """What a sentence gains by figures and names (capitals inside it), or loses by its length."""
    said = text.split()
    if has_hangul(text):
        named = any("A" <= word[0] <= "Z" for word in said)
    else:
        named = any("A" <= word[0] <= "Z" and word.rstrip(".,!?") not in _NO_NAMES for word in said[1:])
    bonus = _FIGURE_BONUS * bool(stated(text) or heard(text)) + _NAME_BONUS * named
    if len(said) < _SHORT_WORDS or len(text) < _SHORT_CHARS:
        return bonus - 0.5
    return bonus - 0.2 if len(said) > _LONG_WORDS else bonus


def likeness(one: str, other: str) -> float:
    """The Jaccard likeness of two texts: shared terms over all terms, 0 to 1; 0 where one has none."""
    first, second = set(terms(one)), set(terms(other))
    return len(first & second) / len(first | second) if first and second else 0.0
