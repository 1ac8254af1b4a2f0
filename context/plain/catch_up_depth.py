"""How deep a question asks to be told of what its asker missed (`context.plain.catch_up`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from context.language.closed_lists import closed_lists, holds
from context.models import Utterance
from context.retrieval.index_terms import words
from context.time_spans import Absence

Depth = Literal["brief", "normal", "full"]
"""The depth of a catch-up."""

_DEPTHS: Final = closed_lists("catching_up")


def depth_of(question: str) -> Depth:
    """How deep a catch-up the question asks for; "normal" where it does not say."""
    said = f" {' '.join(words(question))} "
    depths: tuple[Depth, ...] = ("full", "brief")
    return next((each for each in depths if holds(said, _DEPTHS[each])), "normal")


def whole_meeting(utterances: Sequence[Utterance]) -> Absence:
    """The span of all that was said so far, for somebody who was never there."""
    return Absence(start_ms=0, end_ms=max((u.start_ms for u in utterances), default=0) + 1, away=True)
