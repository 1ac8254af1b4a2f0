"""What people read a topic as, where nobody has named it yet: its best noun phrase, else a number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from context.language.korean import has_hangul
from context.models import TopicSegment, Utterance
from context.primitives.values import changed
from context.topics.boundaries import name_for

FIRST_NAME: Final = "Intro"
"""The first topic's name until evidence names it (seed 000 §10.2.3)."""
_FIRST_KO: Final = "시작"
_NUMBERED_NAME: Final = re.compile(r"Topic (?P<number>\d+)")
"""The name of a topic that had no noun phrase when it began."""


def is_unnamed(name: str) -> bool:
    """Tell whether this is the name that a topic has until evidence names it: "Intro", "Topic 2"."""
    return name == FIRST_NAME or _NUMBERED_NAME.fullmatch(name) is not None


def title_of(segment: TopicSegment, utterances: Sequence[Utterance]) -> str:
    """What people read a topic as: its name, or a noun phrase of its own where nobody has named it yet.

    `utterances`: the meeting's, all. Where there is none: "Intro", "Topic 2", or 시작, 안건 2.
    """
    if not is_unnamed(segment.name):
        return segment.name
    first, last = segment.start_utterance_id, segment.end_utterance_id
    guess = name_for(utterances, first, last)
    return guess or title_of_unnamed(
        segment.name, [utterance.text for utterance in utterances[first - 1 : last]]
    )


def title_of_unnamed(name: str, texts: Iterable[str]) -> str:
    """What people read an unnamed topic as that has no noun phrase, by the language of its `texts`."""
    if not any(map(has_hangul, texts)):
        return name
    numbered = _NUMBERED_NAME.fullmatch(name)
    return f"안건 {numbered.group('number')}" if numbered else _FIRST_KO


def titled(segment: TopicSegment, utterances: Sequence[Utterance]) -> TopicSegment:
    """Give the topic with its title (`title_of`) as its name; `utterances`: the meeting's, all."""
    title = title_of(segment, utterances)
    return segment if title == segment.name else changed(segment, {"name": title})
