"""The same line again and again says nothing new: of each so many a minute are written, then a count."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from worker.clock import monotonic_s

AT_MOST: Final = 20
"""Of one line, in one minute."""
_WINDOW_S: Final = 60.0
_LINES: Final = 5_000
"""So many different lines are told apart in a minute; a flood of different ones is another matter."""
_ALWAYS_ANOTHER: Final = frozenset(["timestamp", "_record", "_from_structlog"])


class Repeats(logging.Filter):
    """Lets a line through as long as it has not been written too often."""

    def __init__(self, *, clock: Callable[[], float] = monotonic_s) -> None:
        super().__init__()
        self._clock = clock
        self._since_s = clock()
        self._seen: Counter[str] = Counter()
        self._before: Counter[str] = Counter()
        """What the last minute held back, to be told with the next such line."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Work as a filter of a handler."""
        now_s = self._clock()
        if now_s - self._since_s >= _WINDOW_S:
            self._before = Counter({line: n - AT_MOST for line, n in self._seen.items() if n > AT_MOST})
            self._seen.clear()
            self._since_s = now_s
        line = _line(record)
        if line not in self._seen and len(self._seen) >= _LINES:
            return True
        self._seen[line] += 1
        if held := self._before.pop(line, 0):
            _tell(record, held)
        return self._seen[line] <= AT_MOST


def _line(record: logging.LogRecord) -> str:
    """What makes two lines the same: all but the time."""
    said: Any = record.msg
    if isinstance(said, dict):
        said = sorted((key, repr(value)) for key, value in said.items() if key not in _ALWAYS_ANOTHER)
        return f"{record.name} {record.levelno} {said}"
    return f"{record.name} {record.levelno} {record.getMessage()}"


def _tell(record: logging.LogRecord, held: int) -> None:
    if isinstance(record.msg, dict):
        record.msg = {**record.msg, "not_repeated": held}
    else:
        record.msg, record.args = f"{record.getMessage()} (and {held} times more a minute ago)", ()
