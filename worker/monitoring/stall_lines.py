"""livekit-agents' lines about a blocked event loop: one each five minutes, which counts the others.

On a busy machine a loop waits for its turn again and again, in each job, and every time it writes a line
with a stack: thousands that say one thing. How late loops are is in the metrics (`moim_loop_lag_seconds`).
"""

from __future__ import annotations

import logging
from typing import Final

EVERY_S: Final = 300.0
_TELLS: Final = "event loop blocked"
_NEEDLESS: Final = ("stack", "gc_time", "threshold")


class StallLines(logging.Filter):
    """For a handler: lets every other line pass. The first stall is told at once."""

    def __init__(self, *, stacks: bool = False) -> None:
        """`stacks`: every line as it is, for whoever looks for what blocks."""
        super().__init__()
        self._stacks = stacks
        self._told_at_s: float | None = None
        self._unsaid, self._longest_s = 0, 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written; what it says of those that were not is added to it."""
        if self._stacks or not str(record.msg).startswith(_TELLS):
            return True
        if self._told_at_s is not None and record.created - self._told_at_s < EVERY_S:
            self._unsaid += 1
            self._longest_s = max(self._longest_s, float(getattr(record, "duration", 0.0)))
            return False
        self._told_at_s = record.created
        if self._unsaid:
            record.unsaid_since, record.longest_unsaid_s = self._unsaid, round(self._longest_s, 3)
        self._unsaid, self._longest_s = 0, 0.0
        for name in _NEEDLESS:
            record.__dict__.pop(name, None)
        return True
