"""How a thread is kept: seed 003's settings and seed 001's rate, as one value that may change at run time."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from context.models import Frozen
from context.thread.history import DEFAULT_RATE, HIGHEST_RATE, LOWEST_RATE

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
