"""What a topic is called where people read it: the first, "Intro" to programs, is what it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.boundaries import Boundaries
from context.korean import has_hangul
from context.models import TopicSegment, Utterance
from context.topics import FIRST_NAME

_FIRST_KO: Final = "시작"


def title_of(segment: TopicSegment, utterances: Sequence[Utterance]) -> str:
    """Its name; of the first topic, what its words repeat. `utterances`: the meeting's, all."""
    if segment.name != FIRST_NAME:
        return segment.name
    guess = Boundaries.name_for(utterances, segment.start_utterance_id, segment.end_utterance_id)
    said = utterances[segment.start_utterance_id - 1 : segment.end_utterance_id]
    return guess or (_FIRST_KO if any(has_hangul(each.text) for each in said) else segment.name)
