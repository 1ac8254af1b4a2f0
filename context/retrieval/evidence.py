"""Which utterances of a meeting bear on a question, and how much.

Which sentences carry a stretch of talk.
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
from context.retrieval.lexical import LexicalIndex, exact_terms, terms
from context.retrieval.questions import Subject, subject_of
from context.retrieval.ranker import Floats, trained
from context.retrieval.signals import OWN, Signals, Stretches

JUDGED_WHOLE: Final = 1200
"""A meeting of at most so many utterances is judged whole."""
_JUDGED_OF_LONGER: Final = 224
"""Of a longer one so many are judged: where the question's terms gather, and the newest."""
_BLOCK: Final = 32
_NEWEST_BLOCKS: Final = 4
_CLOSE_BLOCKS: Final = 2
"""So many more are judged for what they mean, where there are vectors: none of the words need be there."""
_CLOSENESS: Final = 1.5
_CLOSE_WORDS: Final = 600.0
"""A passage alone says little, the talk around it says more."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What was judged, in order of time."""

    places: NDArray[np.int64]
    scores: Floats
    """The log of how much a word there is expected to tell, up to a constant."""
    own: Floats
    """How plainly the utterance alone names what is asked about: its BM25 score."""


def rank(
    question: str,
    index: LexicalIndex,
    upto: int,
    *,
    over: bool = False,
    whole: int = JUDGED_WHOLE,
    close: Floats | None = None,
) -> Ranked:
    """Judge the first `upto` documents of `index`. `over`: the meeting has ended.

    `close`: for each document how close its passage is to the question, in deviations from the mean (see
    `ranker.per_utterance`); None where there are no vectors.
    """
    if upto <= 0:
        nothing = np.zeros(0, dtype=np.float32)
        return Ranked(np.zeros(0, dtype=np.int64), nothing, nothing)
    subject = subject_of(question, index.names)
    around = None if close is None else _around(close[:upto], index.sizes(upto))
    at = stretches_of(subject, index, upto, whole, around)
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


def stretches_of(
    subject: Subject,
    index: LexicalIndex,
    upto: int,
    whole: int = JUDGED_WHOLE,
    close: Floats | None = None,
) -> Stretches:
    """All documents, or, where there are more than `whole`, the stretches that are worth a look."""
    if upto <= whole:
        return Stretches(index, upto, np.arange(upto))
    blocks = -(-upto // _BLOCK)
    gathered = np.zeros(blocks)
    for term, share in subject.terms.items():
        posting = index.posting(term, upto)
        if posting is not None:
            weight = share * np.log(1 + upto / len(posting.documents))
            there = np.bincount(posting.documents // _BLOCK, minlength=blocks)
            gathered += weight * np.minimum(there, 4)
    around = gathered + 0.5 * (np.append(gathered[1:], 0) + np.append(0, gathered[:-1]))
    around[-_NEWEST_BLOCKS:] = np.inf
    room = _JUDGED_OF_LONGER // _BLOCK
    if close is not None:
        starts = np.arange(0, upto, _BLOCK)
        around[np.argsort(-np.maximum.reduceat(close, starts), kind="stable")[:_CLOSE_BLOCKS]] = np.inf
        room += _CLOSE_BLOCKS
    chosen = np.sort(np.argsort(-around, kind="stable")[:room])
    documents = (chosen[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
    return Stretches(index, upto, documents[documents < upto])


_FIGURE: Final = 0.3
_NAME: Final = 0.2
_SHORT: Final = 3
_SHORT_CHARS: Final = 8
_LONG: Final = 40
_NO_NAMES: Final = frozenset(
    [
        *("I", "I'm", "I'll", "I've", "I'd", "Yes", "No", "OK", "Okay"),
        *("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    ]
)
"""Closed lists that English writes with a capital."""


def importance(texts: Sequence[str]) -> list[float]:
    """How much each sentence says of the whole, roughly 0 to 2: centrality, figures, names, place, length."""
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
    likeness = [
        sum(count * weight[term] * centre[term] for term, count in bag.items()) / norm
        for bag, norm in zip(bags, norms, strict=True)
    ]
    highest = max(likeness, default=0.0) or 1.0
    found = [alike / highest + _bonus(text) for text, alike in zip(texts, likeness, strict=True)]
    return [worth + (0.1 if place == 0 else 0.0) for place, worth in enumerate(found)]


def _bonus(text: str) -> float:
    """For figures and names: Latin capitals within Korean, and inside an English sentence."""
    said = text.split()
    if has_hangul(text):
        named = any("A" <= word[0] <= "Z" for word in said)
    else:
        named = any("A" <= word[0] <= "Z" and word.rstrip(".,!?") not in _NO_NAMES for word in said[1:])
    bonus = _FIGURE * bool(stated(text) or heard(text)) + _NAME * named
    if len(said) < _SHORT or len(text) < _SHORT_CHARS:
        return bonus - 0.5
    return bonus - 0.2 if len(said) > _LONG else bonus


def likeness(one: str, other: str) -> float:
    """Shared terms over all terms, 0 to 1."""
    first, second = set(terms(one)), set(terms(other))
    return len(first & second) / len(first | second) if first and second else 0.0
