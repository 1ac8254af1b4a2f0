"""The bound on what one meeting's prompts may cost in an hour, where somebody has set one.

It is the only one that looks back: what a prompt may hold is its own budget's to say (`context.budgets`).
The prompt that crosses the bound is still sent; then the meeting's work is done without a model, until enough
of its prompts are an hour old. A question about a meeting that has ended is on no record and adds nothing:
whoever asks has a share of questions (`worker.web`), and the meeting's last hour would never pass.
"""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakSet

import structlog

from context.fold.meeting import Meeting

log = structlog.get_logger(__name__)


class HourlyTokens:
    """Says whether a meeting has used its tokens of this hour, and tells each time that this has begun."""

    def __init__(self, most: int = 0, *, on_spent: Callable[[], None] = lambda: None) -> None:
        """`most`: tokens of prompts in any hour of one meeting; 0: as many as it takes."""
        self._most, self._on_spent = most, on_spent
        self._told: WeakSet[Meeting] = WeakSet()

    def are_spent(self, meeting: Meeting, at_ms: int) -> bool:
        """Whether nothing more may be sent for the meeting at `at_ms`, in its own time."""
        used = meeting.prompts.of_last_hour(at_ms) if meeting.ended is None else 0
        spent = 0 < self._most <= used
        if not spent:
            self._told.discard(meeting)
        elif meeting not in self._told:
            self._told.add(meeting)
            self._on_spent()
            log.warning("tokens_of_hour_spent", meeting_id=meeting.meeting_id, used=used, most=self._most)
        return spent
