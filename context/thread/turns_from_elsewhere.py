"""What of a thread rests on other meetings or on documents: it is not for those who see one meeting alone.

A summary goes on from the one before it, so from the first turn on that rests on them every summary may tell
of it. The thread lets go of turns that a summary covers: where such a turn is gone, any summary may.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from context.models import Reply
from context.thread.summaries import SummaryEntry
from context.thread.turn import Turn


@dataclass(frozen=True, slots=True)
class TurnsFromElsewhere:
    """The turns and summaries of one thread that rest on more than its meeting."""

    ids: frozenset[str] = frozenset()
    """The ids of those turns' questions."""
    since: int | None = None
    """The number of the first such public turn, 0 where it is not known; None: there is none."""

    @classmethod
    def of(cls, turns: Iterable[Turn], replies: Iterable[Reply]) -> Self:
        """Find them, by the meeting's replies and those `turns` of its thread that are still there."""
        resting = {reply.invocation_id: reply.private for reply in replies if reply.rests_elsewhere}
        numbers = {turn.id: turn.number for turn in turns}
        public = [numbers.get(id_, 0) for id_, private in resting.items() if not private]
        return cls(frozenset(resting), min(public, default=None))

    def turn(self, turn: Turn) -> bool:
        """Tell whether a turn's answer rests on more than this meeting."""
        return turn.id in self.ids

    def summary(self, entry: SummaryEntry) -> bool:
        """Tell whether a summary may tell of such an answer."""
        return self.since is not None and entry.turns[-1] >= self.since


NOTHING_LEFT_OUT = TurnsFromElsewhere()
