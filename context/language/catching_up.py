"""Somebody missed a part: how deep should the catch-up go, and which part was it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from context.attendance import Attendee
from context.language.closed_lists import closed_lists
from context.models import Frozen, Utterance
from context.retrieval.terms import words

Depth = Literal["brief", "normal", "full"]

_LISTS: Final = closed_lists("catching_up")
_LAST_MS: Final = 10 * 60_000
"""Who was there all the time has missed the last ten minutes, if anything."""


class Missed(Frozen):
    """The part of a meeting that somebody was not there for, in ms from its start."""

    start_ms: int
    end_ms: int
    away: bool
    """Whether they were out of the room; else it is the last minutes."""


def depth_of(question: str) -> Depth:
    """How deep a catch-up is wanted."""
    said = words(question)
    depths: tuple[Depth, ...] = ("full", "brief")
    return next((depth for depth in depths if _names(depth, said)), "normal")


def _names(depth: Depth, said: Sequence[str]) -> bool:
    text = f" {' '.join(said)} "
    in_korean = any(phrase in text for phrase in _LISTS[f"{depth}_ko"])
    return in_korean or any(f" {phrase} " in text for phrase in _LISTS[f"{depth}_en"])


def everything(utterances: Sequence[Utterance]) -> Missed:
    """All that was said so far: who asks was never there."""
    return Missed(start_ms=0, end_ms=max((u.start_ms for u in utterances), default=0) + 1, away=True)


def missed(person: Attendee | None, now_ms: int) -> Missed:
    """What `person` missed: their last absence, what was before they came, or else the last minutes.

    Unknown people (a question from outside the room) were never there: everything so far.
    """
    if person is None:
        return Missed(start_ms=0, end_ms=now_ms, away=True)
    if not person.present and person.left_at_ms is not None:
        return Missed(start_ms=person.left_at_ms, end_ms=now_ms, away=True)
    if person.away:
        start_ms, end_ms = person.away[-1]
        return Missed(start_ms=start_ms, end_ms=end_ms, away=True)
    if person.joined_at_ms > 0:
        return Missed(start_ms=0, end_ms=person.joined_at_ms, away=True)
    return Missed(start_ms=max(0, now_ms - _LAST_MS), end_ms=now_ms, away=False)
