# ruff: noqa: E501  # patterns read better unbroken
"""Somebody missed a part: how deep should the catch-up go, and which part was it?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from context.attendance import Attendee
from context.models import Frozen, Utterance

Depth = Literal["brief", "normal", "full"]

_BRIEF: Final = re.compile(
    r"짧게|간단|한\s?(?:줄|문장|마디)|핵심만|요점만|결정(?:된\s?것)?만|\b(?:brief(?:ly)?|quick(?:ly)?|short(?:ly)?|in (?:one|a) (?:line|sentence|nutshell)|tl;?dr|just the decisions)\b",
    re.IGNORECASE,
)
_FULL: Final = re.compile(
    r"자세|상세|전부|모두|빠짐없이|다\s?알려|하나하나|\b(?:in (?:full|detail)|detail(?:s|ed)?|everything|full(?:y)?|complete(?:ly)?|thorough(?:ly)?)\b",
    re.IGNORECASE,
)
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
    if _FULL.search(question):
        return "full"
    return "brief" if _BRIEF.search(question) else "normal"


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
