"""How hard it is for a process to keep up with its meeting, and what gives way to what people say.

A machine at its limit gets slower; it drops nothing that is said. What can wait gives way, in this order:
interims (a reading that the next one replaces), embeddings (words are found without them), summaries (they
come later), and then whole meetings: the worker takes no more of them. The record never does. What is left
after that is lateness.

One measure decides, and each that yields asks it by itself: how late the event loop comes to what is due, and
how many seconds of speech wait for their text.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final, Literal, get_args

Yielding = Literal["interims", "embeddings", "summaries", "meetings"]
YIELDING: Final[tuple[Yielding, ...]] = get_args(Yielding)
"""What gives way, in order."""
LAG_S: Final[dict[Yielding, float]] = {
    "interims": 0.25, "embeddings": 0.5, "summaries": 1.0, "meetings": 1.0,
}  # fmt: skip
"""The lateness of the event loop from which on it gives way."""
BACKLOG_S: Final[dict[Yielding, float]] = {
    "interims": 5.0, "embeddings": 10.0, "summaries": 15.0, "meetings": 20.0,
}  # fmt: skip
"""The speech that waits for its text from which on, after some seconds, it gives way."""
_LASTING_SAMPLES: Final = 4
"""So many times in a row, once a second, a backlog is told that lasts: one long turn is read before that."""
CALM_S: Final = 10.0
"""What gives way does so until all was well for this long."""
_MOMENT_S: Final = 1.0
"""What is told within so long is of one moment: hundreds of meetings tell of one pause of their process."""
_LOOK_EVERY_S: Final = 0.5


class Pressure:
    """The one measure of a process; without what it is told, nothing gives way."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        """`now_s` gives monotonic time."""
        self._now_s = now_s
        self._lag_s = self._lag_before_s = 0.0
        self._moment_s = -_MOMENT_S
        self._backlogs_s: deque[float] = deque(maxlen=_LASTING_SAMPLES)
        self._until_s: dict[Yielding, float] = {}

    def lagged(self, lag_s: float) -> None:
        """Note how late the event loop came to what was due just now. One late moment counts for nothing."""
        now_s = self._now_s()
        if now_s - self._moment_s < _MOMENT_S:
            self._lag_s = max(self._lag_s, lag_s)
        else:
            self._lag_before_s, self._lag_s, self._moment_s = self._lag_s, lag_s, now_s
        self._judge()

    def waiting(self, backlog_s: float) -> None:
        """Note how many seconds of speech wait for their text now; to be told once a second."""
        self._backlogs_s.append(backlog_s)
        self._judge()

    @property
    def backlog_s(self) -> float:
        """How many seconds of speech have been waiting for a while."""
        return min(self._backlogs_s) if len(self._backlogs_s) == _LASTING_SAMPLES else 0.0

    @property
    def lag_s(self) -> float:
        """How late the event loop is."""
        return min(self._lag_s, self._lag_before_s)

    @property
    def giving_way(self) -> tuple[Yielding, ...]:
        """What gives way now, in order."""
        return tuple(what for what in YIELDING if self.gives_way(what))

    @property
    def cause(self) -> str:
        """Why something gives way, in words; empty where nothing does."""
        if not self.giving_way:
            return ""
        if self.backlog_s >= BACKLOG_S["interims"]:
            return f"{self.backlog_s:.0f} s of speech wait for their text"
        if self.lag_s >= LAG_S["interims"]:
            return f"it comes {self.lag_s:.1f} s late to what is due"
        return "it could not keep up a moment ago"

    def gives_way(self, what: Yielding) -> bool:
        """Tell whether this is to wait now."""
        return self._now_s() < self._until_s.get(what, 0.0)

    async def room_for(self, what: Yielding, most_s: float) -> None:
        """Wait until this need not give way any more, `most_s` at most."""
        until_s = self._now_s() + most_s
        while self.gives_way(what) and self._now_s() < until_s:  # noqa: ASYNC110 - it ends by the clock
            await asyncio.sleep(_LOOK_EVERY_S)

    def _judge(self) -> None:
        for what in YIELDING:
            if self.lag_s >= LAG_S[what] or self.backlog_s >= BACKLOG_S[what]:
                self._until_s[what] = self._now_s() + CALM_S
