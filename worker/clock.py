"""The one place that reads a clock. Everything else is handed a `Clock`."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Wall time for the record, monotonic time for durations."""

    def now_utc(self) -> datetime:
        """Tell the present moment, UTC-aware."""

    def monotonic_s(self) -> float:
        """Seconds that never go back."""


class SystemClock:
    """Tells the machine's own time."""

    def now_utc(self) -> datetime:
        """Tell the present moment, UTC-aware."""
        return now_utc()

    def monotonic_s(self) -> float:
        """Seconds that never go back."""
        return monotonic_s()


def now_utc() -> datetime:
    """Tell the present moment, UTC-aware."""
    return datetime.now(UTC)


def monotonic_s() -> float:
    """Seconds that never go back."""
    return time.monotonic()


async def happens(event: asyncio.Event, within_s: float) -> bool:
    """Wait for `event`, so long at most; whether it came."""
    try:  # `wait_for` may lose a cancellation, up to Python 3.11
        async with asyncio.timeout(within_s):
            return await event.wait()
    except TimeoutError:
        return False
