"""What a topic is called where people read it: one without a name of its own is what its words repeat."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.language.korean import has_hangul
from context.models import TopicSegment, Utterance
from context.topics.boundaries import Boundaries
from context.topics.topics import FIRST_NAME
from context.values import changed

_FIRST_KO: Final = "시작"
_NUMBERED: Final = re.compile(r"Topic (?P<number>\d+)")
"""As topics are called in which nothing was repeated when they began."""


def title_of(segment: TopicSegment, utterances: Sequence[Utterance]) -> str:
    """Its name; where it has none, what its words repeat. `utterances`: the meeting's, all."""
    numbered = _NUMBERED.fullmatch(segment.name)
    if segment.name != FIRST_NAME and numbered is None:
        return segment.name
    guess = Boundaries.name_for(utterances, segment.start_utterance_id, segment.end_utterance_id)
    said = utterances[segment.start_utterance_id - 1 : segment.end_utterance_id]
    if guess or not any(has_hangul(each.text) for each in said):
        return guess or segment.name
    return f"안건 {numbered.group('number')}" if numbered else _FIRST_KO


def titled(segment: TopicSegment, utterances: Sequence[Utterance]) -> TopicSegment:
    """The segment as people read it: called by its title."""
    title = title_of(segment, utterances)
    return segment if title == segment.name else changed(segment, {"name": title})
