"""The part of a meeting that somebody missed, and how deep a question asks to be told of it.

`missed` says which part that is, `depth_of` how deep the catch-up is to go (`context.plain.catch_up`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from context.attendance import Attendee
from context.language.closed_lists import closed_lists, holds
from context.models import Frozen, Utterance
from context.retrieval.lexical import words

Depth = Literal["brief", "normal", "full"]
"""How deep a catch-up goes."""

_DEPTHS: Final = closed_lists("catching_up")
_LAST_MS: Final = 10 * 60_000
"""Who was there all the time is told the last ten minutes."""


class Absence(Frozen):
    """The part of a meeting that somebody missed, in milliseconds from its start; `end_ms` is not in it."""

    start_ms: int
    end_ms: int
    away: bool
    """Whether they were out of the room then; else it is just the last minutes."""


def depth_of(question: str) -> Depth:
    """How deep a catch-up the question asks for; "normal" where it does not say."""
    said = f" {' '.join(words(question))} "
    depths: tuple[Depth, ...] = ("full", "brief")
    return next((each for each in depths if holds(said, _DEPTHS[each])), "normal")


def everything(utterances: Sequence[Utterance]) -> Absence:
    """All that was said so far, for somebody who was never there."""
    return Absence(start_ms=0, end_ms=max((u.start_ms for u in utterances), default=0) + 1, away=True)


def missed(person: Attendee | None, now_ms: int) -> Absence:
    """What `person` missed by `now_ms`: their last absence, what was before they came, or the last minutes.

    None (a question from outside the room) was never there: everything so far.
    """
    if person is None:
        return Absence(start_ms=0, end_ms=now_ms, away=True)
    if not person.present and person.left_at_ms is not None:
        return Absence(start_ms=person.left_at_ms, end_ms=now_ms, away=True)
    if person.away:
        start_ms, end_ms = person.away[-1]
        return Absence(start_ms=start_ms, end_ms=end_ms, away=True)
    if person.joined_at_ms > 0:
        return Absence(start_ms=0, end_ms=person.joined_at_ms, away=True)
    return Absence(start_ms=max(0, now_ms - _LAST_MS), end_ms=now_ms, away=False)
