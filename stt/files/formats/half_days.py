"""The halves of a day beside a time on a twelve-hour clock: 오후 3:05, 3:05 PM, 3:05 p.m."""

from __future__ import annotations

from typing import Final

HALF_OF_DAY: Final = r"(?:오전|오후|[AaPp]\.?[Mm]\.?)"
"""A pattern for either half, as it is written."""


def hour_of_day(hour: int, half: str) -> int:
    """The hour from 0 to 23 that `hour` is in this half of the day; beside none it is what it is."""
    written = half.replace(".", "").lower()
    if "오후" in written or "pm" in written:
        return hour % 12 + 12
    return hour % 12 if "오전" in written or "am" in written else hour
