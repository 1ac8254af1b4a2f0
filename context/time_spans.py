"""The spans of time that a question may be about: since a moment, or while somebody was away."""

from __future__ import annotations

from context.models import Frozen


class Since(Frozen):
    """The moment from which on a question asks for changes: one of `hour`, `ago_ms` and `last_meeting`."""

    rest: str
    """The question without the moment: it may name a subject."""
    hour: int | None = None
    """The hour by the clock, 0 to 23."""
    minute: int = 0
    ambiguous: bool = False
    """Whether it may be in the morning as well as in the afternoon: three o'clock."""
    ago_ms: int | None = None
    """How long before the question it begins."""
    last_meeting: bool = False
    """Whether the span is since the last meeting."""


class Absence(Frozen):
    """The part of a meeting that somebody missed, in milliseconds from its start; `end_ms` is not in it."""

    start_ms: int
    end_ms: int
    away: bool
    """Whether they were out of the room then; else it is just the last minutes."""
