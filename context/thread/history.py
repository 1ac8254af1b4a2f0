"""What the summaries of a thread are: `summary_history`, the compression rate, the totals of the panel.

How a thread is kept: seed 003's settings and seed 001's rate, as one value that may change at run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import Field

from context.models import Frozen

DEFAULT_RATE: Final = 0.3
LOWEST_RATE: Final = 0.1
HIGHEST_RATE: Final = 0.5
RATE_STEP: Final = 0.05


def checked_rate(rate: float) -> float:
    """`rate` on the slider's steps. Raises `ValueError` outside 0.1–0.5."""
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise ValueError(f"compression rate {rate:g}: give {LOWEST_RATE:g} to {HIGHEST_RATE:g}")
    return round(round(rate / RATE_STEP) * RATE_STEP, 2)


def target_length(original_chars: int, compression_rate: float) -> int:
    """Characters that a summary should have (seed 001's length rule)."""
    return int(original_chars * compression_rate)


class SummaryEntry(Frozen):
    """One summary of some turns. The first seven fields are those of seed 001's `summary_history`."""

    thread_id: str
    turns: tuple[int, ...]
    turn_length: int
    original_chars: int
    summary_chars: int
    compression_rate: float
    """The rate that was asked for when it was written."""
    summary: str
    version: int = 0
    engine: str = ""

    @property
    def heading(self) -> str:
        """`1-3`, or `4` for a single turn."""
        first, last = self.turns[0], self.turns[-1]
        return f"{first}-{last}" if last > first else f"{first}"

    def as_history(self) -> dict[str, Any]:
        """The entry with exactly the seed's keys, JSON-able."""
        return self.model_dump(mode="json", exclude={"version", "engine"})


class Statistics(Frozen):
    """The totals of the side panel."""

    summaries: int
    turns_covered: int
    original_chars: int
    summary_chars: int
    saved_percent: float
    """Of the original characters; never above 100, below 0 where summaries grew longer."""


def statistics(entries: Sequence[SummaryEntry]) -> Statistics:
    """Add up all summaries of the thread."""
    original = sum(entry.original_chars for entry in entries)
    written = sum(entry.summary_chars for entry in entries)
    return Statistics(
        summaries=len(entries),
        turns_covered=sum(entry.turn_length for entry in entries),
        original_chars=original,
        summary_chars=written,
        saved_percent=round(100 * (1 - written / original), 1) if original else 0.0,
    )


THRESHOLD: Final = 8_000
RECENT_MESSAGES: Final = 6


class ThreadPolicy(Frozen):
    """The whole of it. It reaches the fold as an event (`ThreadTuned`), so a record explains itself."""

    enabled: bool = True
    """Off: a question goes out alone, and nothing is summarised."""
    threshold: int = Field(default=THRESHOLD, ge=1)
    """So many unsummarised tokens are summarised before their third turn is there."""
    recent_messages: int = Field(default=RECENT_MESSAGES, ge=0)
    """The newest messages are shown raw, whatever a summary covers; a floor."""
    share_tokens: int = Field(default=THRESHOLD, ge=1)
    """What the thread may take of a prompt: its share of the model's window."""
    compression_rate: float = Field(default=DEFAULT_RATE, ge=LOWEST_RATE, le=HIGHEST_RATE)

    @property
    def trigger_tokens(self) -> int:
        """The threshold, or the thread's share of the window where that is less."""
        return min(self.threshold, self.share_tokens)

    @property
    def summary_tokens(self) -> int:
        """All summaries together; what is above is folded into fewer."""
        return max(1, self.share_tokens // 2)
