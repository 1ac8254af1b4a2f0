"""A meeting's own time: ms since its first human, on a clock that no jump of the wall clock shifts."""

from __future__ import annotations

from datetime import datetime, timedelta

from context.manager import ContextManager
from worker.clock import Clock


class MeetingTime:
    """The present moment of one meeting."""

    def __init__(self, manager: ContextManager, clock: Clock) -> None:
        self._manager, self._clock = manager, clock
        self._zero_s: float | None = None

    @property
    def zero_s(self) -> float:
        """The meeting's zero on the monotonic clock; this moment before the first human."""
        started_at = self._manager.meeting.started_at
        if started_at is None:
            return self._clock.monotonic_s()
        if self._zero_s is None:
            # Wall time is asked once; after that the monotonic clock counts, so a jump shifts nothing.
            elapsed_s = (self._clock.now_utc() - started_at).total_seconds()
            self._zero_s = self._clock.monotonic_s() - elapsed_s
        return self._zero_s

    def now_ms(self) -> int:
        """Milliseconds of meeting time; 0 before the first human."""
        return max(0, round((self._clock.monotonic_s() - self.zero_s) * 1000))

    def now_utc(self) -> datetime:
        """Wall time of the present moment."""
        started_at = self._manager.meeting.started_at
        if started_at is None:
            return self._clock.now_utc()
        return started_at + timedelta(milliseconds=self.now_ms())
