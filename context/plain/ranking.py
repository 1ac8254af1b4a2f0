"""Which utterances answer a question: everything that was said, the likeliest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.models import Utterance
from context.plain.asking import Meaning
from context.plain.signals import FORM, WORDS, Floats, signals
from context.reading.linear import trees
from context.retrieval.answer_kinds import kind_asked
from context.retrieval.evidence import rank
from context.retrieval.lexical import LexicalIndex
from context.retrieval.questions import named_speakers

WITH_MEANING: Final = Path(__file__).with_name("ranking.npz")
BY_WORDS: Final = Path(__file__).with_name("ranking_by_words.npz")
_WHOLE: Final = 400
"""Of a meeting with more utterances the stretches are looked at where the question's words gather: 1,200
lines would take 90 ms."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Utterances by how likely they answer, best first."""

    places: NDArray[np.int64]
    """By place in the meeting, from 0."""
    scores: Floats
    rows: Floats
    """Their signals."""

    def only(self, wanted: Sequence[bool]) -> Places:
        """Those of them that are wanted."""
        kept = np.array(wanted, dtype=bool)
        return Places(self.places[kept], self.scores[kept], self.rows[kept])


def places(
    question: str,
    utterances: Sequence[Utterance],
    index: LexicalIndex,
    *,
    names: Sequence[str] = (),
    meaning: Meaning | None = None,
) -> Places:
    """All that is worth a look, the likeliest first; `index` holds `utterances`."""
    table, where = judged(question, utterances, index, names=names, meaning=meaning)
    learnt = trees(WITH_MEANING if meaning is not None else BY_WORDS)
    scores = learnt.scores(table if meaning is not None else table[:, : len(WORDS) + len(FORM)])
    order = np.argsort(-scores, kind="stable")
    return Places(where[order], scores[order], table[order])


def by_words(question: str, index: LexicalIndex, upto: int, most: int) -> list[int]:
    """Where the answer may be, by the words alone: at most so many places, the likeliest first."""
    found = rank(question, index, upto, whole=_WHOLE)
    likely: list[int] = found.places[np.argsort(-found.scores, kind="stable")[:most]].tolist()
    return likely


def judged(
    question: str,
    utterances: Sequence[Utterance],
    index: LexicalIndex,
    *,
    names: Sequence[str] = (),
    meaning: Meaning | None = None,
) -> tuple[Floats, NDArray[np.int64]]:
    """The signals of what is worth a look, and at which places it stands, in order of time."""
    found = rank(question, index, len(utterances), whole=_WHOLE)
    speakers = frozenset(named_speakers(question, index.names))
    kind = kind_asked(question)
    table = signals(kind, found, utterances, names=names, speakers=speakers, meaning=meaning)
    if meaning is None:
        return table, found.places
    known = meaning.known()[found.places]
    return table[known], found.places[known]
