"""Ranks the utterances of a meeting by how likely they answer a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.models import Utterance
from context.plain.answer_inputs import QuestionVectors
from context.plain.signals import FORM_SIGNALS, WORD_SIGNALS, Floats, signals
from context.reading.linear import trees
from context.retrieval.evidence import Ranked, rank
from context.retrieval.lexical import LexicalIndex
from context.retrieval.question_subject import named_speakers

TREES_WITH_MEANING: Final = Path(__file__).with_name("ranking.npz")
"""Trees over all signals."""
TREES_BY_WORDS: Final = Path(__file__).with_name("ranking_by_words.npz")
"""Trees over the signals that need no embeddings."""
VECTOR_CANDIDATES: Final = 64
"""So many utterances, the likeliest by their words, are to have vectors for a question."""
_MIN_KNOWN_SHARE: Final = 0.75
"""From this share of them on, vectors have a say."""
_MAX_WHOLE_UTTERANCES: Final = 400
"""The utterances of the longest meeting that is ranked whole. In a longer one only the stretches are ranked
where the question's words gather: 1,200 utterances would take 90 ms."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Utterances by how likely they answer a question, the likeliest first."""

    places: NDArray[np.int64]
    """Their places in the meeting, from 0 [utterances]."""
    scores: Floats
    """The trees' scores, comparable within one question only [utterances]."""
    rows: Floats
    """Their signals [utterances, `SIGNALS`]."""
    by_words: bool = False
    """Whether it was made without vectors."""

    def filtered(self, wanted: Sequence[bool]) -> Ranking:
        """The ranking of those of the utterances that are `wanted`, by their order in this one."""
        kept = np.array(wanted, dtype=bool)
        return Ranking(self.places[kept], self.scores[kept], self.rows[kept], self.by_words)


def rank_utterances(
    question: str,
    utterances: Sequence[Utterance],
    index: LexicalIndex,
    *,
    names: Sequence[str] = (),
    meaning: QuestionVectors | None = None,
) -> Ranking:
    """The utterances that may answer a question, the likeliest first; parameters as of `candidates`.

    Where too few of those that are likely by their words have a vector, words alone decide.
    """
    found = rank(question, index, len(utterances), whole=_MAX_WHOLE_UTTERANCES)
    if meaning is not None:
        meaning = meaning.padded(len(utterances))
        known = meaning.has_vector()[_likeliest_by_words(found, VECTOR_CANDIDATES)]
        if not len(known) or known.mean() < _MIN_KNOWN_SHARE:
            meaning = None
    table, where = _candidates(question, found, utterances, index, names=names, meaning=meaning)
    learnt = trees(TREES_WITH_MEANING if meaning is not None else TREES_BY_WORDS)
    scores = learnt.scores(
        table if meaning is not None else table[:, : len(WORD_SIGNALS) + len(FORM_SIGNALS)]
    )
    order = np.argsort(-scores, kind="stable")
    return Ranking(where[order], scores[order], table[order], by_words=meaning is None)


def places_by_words(question: str, index: LexicalIndex, upto: int, most: int) -> list[int]:
    """Places below `upto` where the answer may be, by words alone: at most `most`, the likeliest first."""
    likely: list[int] = _likeliest_by_words(
        rank(question, index, upto, whole=_MAX_WHOLE_UTTERANCES), most
    ).tolist()
    return likely


def _likeliest_by_words(found: Ranked, most: int) -> NDArray[np.int64]:
    """The places that are likeliest by words alone, at most `most`."""
    return found.places[np.argsort(-found.scores, kind="stable")[:most]]


def candidates(
    question: str,
    utterances: Sequence[Utterance],
    index: LexicalIndex,
    *,
    names: Sequence[str] = (),
    meaning: QuestionVectors | None = None,
) -> tuple[Floats, NDArray[np.int64]]:
    """The utterances that may answer a question: a row of `SIGNALS` of each, and their places, both in order.

    `index` holds `utterances`, the meeting's, all. `names`: of the participants. `meaning`: with it only
    utterances that have a vector are candidates, and those likeliest by words; such a one without a vector is
    as close as the mean of those that have one.
    """
    found = rank(question, index, len(utterances), whole=_MAX_WHOLE_UTTERANCES)
    if meaning is not None:
        meaning = meaning.padded(len(utterances))
    return _candidates(question, found, utterances, index, names=names, meaning=meaning)


def _candidates(
    question: str,
    found: Ranked,
    utterances: Sequence[Utterance],
    index: LexicalIndex,
    *,
    names: Sequence[str],
    meaning: QuestionVectors | None,
) -> tuple[Floats, NDArray[np.int64]]:
    speakers = frozenset(named_speakers(question, index.names))
    table = signals(question, found, utterances, names=names, speakers=speakers, meaning=meaning)
    if meaning is None:
        return table, found.places
    kept = meaning.has_vector()
    kept[_likeliest_by_words(found, VECTOR_CANDIDATES)] = True
    kept = kept[found.places]
    return table[kept], found.places[kept]
