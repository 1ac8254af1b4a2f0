"""The tiers of the context cache (seed 004): sessions whole, projects in detail, and for good the key.

A tier says how long an output counts, and at which level. Nothing is stored here: of a meeting's topics the
`session` is the meeting itself, the other two tiers are rows of the table of passages (`topic_notes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator

from context.budgets.output import AgentOutput, CompressionLevel
from context.budgets.preservation import summarize_output
from context.models import Frozen

CacheTier = Literal["session", "project", "persistent"]


class TierRule(Frozen, extra="forbid"):
    """How long the entries of a tier count, and at which level."""

    lifetime: Annotated[timedelta | None, BeforeValidator(lambda value: None if value == "never" else value)]
    """How long an entry is valid: in a file as `"P7D"` (days) or `"never"`, which is None here: for good."""
    level: CompressionLevel

    def holds(self, kept_at: datetime, now: datetime) -> bool:
        """Whether what was kept at one moment still counts at another."""
        return self.lifetime is None or now - kept_at <= self.lifetime

    def told(self, output: AgentOutput) -> AgentOutput:
        """An output at the tier's level, as it is kept there; one without text is not kept."""
        return summarize_output(output, self.level) if self.level else output


CACHE_LEVELS: Final[Mapping[CacheTier, TierRule]] = {
    "session": TierRule(lifetime=None, level=CompressionLevel.FULL),
    "project": TierRule(lifetime=timedelta(days=7), level=CompressionLevel.DETAILED),
    "persistent": TierRule(lifetime=None, level=CompressionLevel.KEY),
}
