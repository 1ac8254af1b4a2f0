"""The one module that reads the machine's clock. All else gets a `Clock`, or calls the functions here."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """The time of day, for the record, and monotonic time, for durations."""

    def now_utc(self) -> datetime:
        """Give the present moment, with the time zone UTC."""

    def monotonic_s(self) -> float:
        """Give seconds that never go back; only differences of them mean anything."""


class SystemClock:
    """The machine's own clock."""

    def now_utc(self) -> datetime:
        """See `Clock.now_utc`."""
        return now_utc()

    def monotonic_s(self) -> float:
        """See `Clock.monotonic_s`."""
        return monotonic_s()


def now_utc() -> datetime:
    """Give the machine's present time of day, with the time zone UTC."""
    return datetime.now(UTC)


def monotonic_s() -> float:
    """Give the machine's monotonic seconds, the same in all of its processes."""
    return time.monotonic()


async def happens(event: asyncio.Event, within_s: float) -> bool:
    """Wait for `event`, `within_s` at most; give whether it came."""
    try:  # `wait_for` may lose a cancellation, up to Python 3.11
        async with asyncio.timeout(within_s):
            return await event.wait()
    except TimeoutError:
        return False
