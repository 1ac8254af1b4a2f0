"""Signals (features) of whether an utterance answers a question: words and meaning in common, and form.

An answer often lies in the line behind the one that names the matter, so each line is seen with its
neighbours. Scores of one meeting are comparable only with each other, so they are given also as deviations
from the meeting's own mean and as ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.models import Utterance
from context.plain.answer_inputs import QuestionVectors
from context.retrieval.answer_kinds import kind_asked
from context.retrieval.evidence import Ranked
from context.retrieval.measures import tells

Floats = NDArray[np.float32]

WORD_SIGNALS: Final = (
    "words", "words share", "words around", "words before", "words behind", "words place",
    "evidence", "evidence deviation", "evidence place",
)  # fmt: skip
FORM_SIGNALS: Final = (
    "length", "asks", "after a question", "gives the kind", "no kind asked", "asked-for speaker", "position",
)  # fmt: skip
MEANING_SIGNALS: Final = (
    "meaning", "meaning deviation", "meaning place", "around", "around deviation", "around place",
    "before deviation", "second before deviation", "behind deviation",
)  # fmt: skip
SIGNALS: Final = (*WORD_SIGNALS, *FORM_SIGNALS, *MEANING_SIGNALS)
"""The names of the columns, in order; "place" is a rank from 0, the best first."""
_NEIGHBOUR_WEIGHTS: Final = np.array([0.3, 0.6, 1.0, 0.6, 0.3], dtype=np.float32)
"""Weights of a line and of its two neighbours on each side."""


def signals(
    question: str,
    found: Ranked,
    utterances: Sequence[Utterance],
    *,
    names: Sequence[str] = (),
    speakers: frozenset[str] = frozenset(),
    meaning: QuestionVectors | None = None,
) -> Floats:
    """One row of `SIGNALS` for each utterance that `found` has, in its order [utterances, `SIGNALS`].

    `utterances`: all, by place. `names`: of the participants.
    `speakers`: the names of those whose words are asked for. `meaning`: None where there are no vectors;
    then its columns are 0.
    """
    said = [utterances[place] for place in found.places.tolist()]
    count, own, scores = len(said), found.own, found.scores
    asks = np.array(["?" in each.text for each in said], dtype=np.float32)
    words = [
        own, own / (own.max(initial=0.0) + 1e-6), np.convolve(own, _NEIGHBOUR_WEIGHTS)[2:-2] if count else
        own, _shifted(own, 1), _shifted(own, -1), _ranks(own), scores - scores.max(initial=0.0),
        _z_scores(scores), _ranks(scores),
    ]  # fmt: skip
    form = [
        [len(each.text) for each in said], asks, _shifted(asks, 1),
        [tells(question, each.text, names) for each in said], [kind_asked(question) is None] * count,
        [each.speaker_name in speakers for each in said], np.arange(count) / max(1, count),
    ]  # fmt: skip
    none = [np.zeros(count)] * len(MEANING_SIGNALS)
    columns = [*words, *form, *(none if meaning is None else _meaning_columns(meaning, found.places))]
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)


def _meaning_columns(meaning: QuestionVectors, places: NDArray[np.int64]) -> list[Floats]:
    """The columns `MEANING_SIGNALS` of the utterances at `places`."""
    lines = meaning.lines
    known = meaning.has_vector()
    alone = np.where(known, lines @ meaning.question, np.nan)
    within = np.cumsum(np.concatenate([np.zeros((1, lines.shape[1]), dtype=np.float32), lines]), axis=0)
    count = len(lines)
    first, last = np.maximum(0, np.arange(count) - 2), np.minimum(count, np.arange(count) + 2)
    window = within[last] - within[first]
    size: Floats = np.linalg.norm(window, axis=1)
    around = np.where(known, (window @ meaning.question) / np.maximum(size, 1e-6), np.nan)
    here = [_filled(each)[places] for each in (alone, around)]
    deviation = _z_scores(_filled(alone))
    of_both = [of for each in here for of in (each, _z_scores(each), _ranks(each))]
    return [*of_both, *(_shifted(deviation, step)[places] for step in (1, 2, -1))]


def _filled(values: Floats) -> Floats:
    """The values with the mean of those that are known in the place of each NaN."""
    known = ~np.isnan(values)
    mean = values[known].mean() if known.any() else 0.0
    filled: Floats = np.where(known, values, mean).astype(np.float32)
    return filled


def _z_scores(values: Floats) -> Floats:
    """Each value in standard deviations from the mean."""
    if not len(values):
        return values
    deviation: Floats = ((values - values.mean()) / (values.std() + 1e-6)).astype(np.float32)
    return deviation


def _ranks(values: Floats) -> Floats:
    """The rank of each value from 0, the highest first."""
    places = np.empty(len(values), dtype=np.float32)
    places[np.argsort(-values, kind="stable")] = np.arange(len(values), dtype=np.float32)
    return places


def _shifted(values: Floats, step: int) -> Floats:
    """The value of the line `step` before each (behind it, where negative); 0 beyond the ends."""
    moved = np.zeros_like(values)
    if abs(step) < len(values):
        if step > 0:
            moved[step:] = values[:-step]
        else:
            moved[:step] = values[-step:]
    return moved
