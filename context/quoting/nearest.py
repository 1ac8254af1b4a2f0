"""What comes closest to a question that the meeting can answer, though no sentence of it plainly does.

Long meetings seldom answer in the question's own words. Where talk of its subject is known to be there
(`corpora.answerable`), the ranker of evidence says where; of the turns that it expects to tell most, the
sentences that share most with the question are quoted; where somebody's words are asked for, theirs alone.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from context.extractive.cues import kind_of
from context.extractive.sentences import split
from context.models import AgentCallType, Utterance
from context.quoting.quotes import ExtractiveAnswer, Found, nothing, quoting
from context.quoting.record import Record
from context.retrieval.evidence import rank
from context.retrieval.questions import Asked, coverage
from context.retrieval.subject import named_speakers
from context.retrieval.terms import exact_terms, plain
from context.topics.cues import find as cue_in

_LOOKED_AT: Final = 24
_QUOTED: Final = 3
_LEAST_TERMS: Final = 3
"""A sentence of fewer says little by itself."""
_LONGEST_CHARS: Final = 400


def nearest(question: str, asked: Asked, record: Record, wanted: AgentCallType) -> ExtractiveAnswer:
    """At most three quotes, in order of time; declined where there is nothing to quote."""
    judged = rank(question, record.index, len(record.utterances))
    places = [int(judged.places[row]) for row in np.argsort(-judged.scores, kind="stable")]
    ranked = [record.utterances[place] for place in places if place < len(record.utterances)]
    people = named_speakers(question, record.index.names) if asked.saying else set()
    theirs = [utterance for utterance in ranked if not people or utterance.speaker_name in people]
    looked_at = enumerate(theirs[:_LOOKED_AT])
    found = [best for place, said in looked_at if (best := _best_of(said, asked, record, place)) is not None]
    if not found:
        return nothing(record, wanted)
    found.sort(key=lambda each: (-each.score, each.utterance.id))
    chosen = sorted(found[:_QUOTED], key=lambda each: each.utterance.id)
    return quoting("nearest", chosen, record, wanted)


def _best_of(utterance: Utterance, asked: Asked, record: Record, standing: int) -> Found | None:
    """The sentence of a turn that tells most, less the further down the turn stands."""
    best: Found | None = None
    for part in split(utterance):
        text = plain(part.text)
        if (
            len(set(exact_terms(text))) < _LEAST_TERMS
            or len(text) > _LONGEST_CHARS
            or cue_in(text) is not None
        ):
            continue
        if kind_of(text, record.names) in {"question", "courtesy"}:
            continue
        score = coverage(asked, text) - 0.5 * standing / _LOOKED_AT
        if best is None or score > best.score:
            best = Found(part.text, utterance, score)
    return best
