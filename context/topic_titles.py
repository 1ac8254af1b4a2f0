"""What a topic is called where people read it: the first, "Intro" to programs, is what it is about."""

from __future__ import annotations

from collections.abc import Sequence

from context.boundaries import Boundaries
from context.models import TopicSegment, Utterance
from context.topics import FIRST_NAME


def title_of(segment: TopicSegment, utterances: Sequence[Utterance]) -> str:
    """Its name; of the first topic, what its words repeat. `utterances`: the meeting's, all."""
    if segment.name != FIRST_NAME:
        return segment.name
    guess = Boundaries.name_for(utterances, segment.start_utterance_id, segment.end_utterance_id)
    return guess or segment.name
