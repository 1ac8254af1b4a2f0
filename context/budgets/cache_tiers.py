"""The tiers of the context cache (seed 004): sessions whole, projects in detail, and for good the key.

A tier says how long an output counts, and at which level. Nothing is stored here: of a meeting's topics the
`session` is the meeting itself, the other two tiers are rows of the table of passages (`topic_notes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, BeforeValidator

from context.budgets.allocation import as_output
from context.budgets.output import AgentOutput, CompressionLevel
from context.budgets.preservation import summarize_output
from context.budgets.tokens import EstimateTokenizer
from context.models import Frozen
from context.ports import Tokenizer

CacheTier = Literal["session", "project", "persistent"]


class TierRule(Frozen, extra="forbid"):
    """How long the entries of a tier count, and at which level."""

    lifetime: Annotated[timedelta | None, BeforeValidator(lambda value: None if value == "never" else value)]
    """How long an entry is valid: in a file as `"P7D"` (days) or `"never"`, which is None here: for good."""
    level: CompressionLevel

    def holds(self, kept_at: datetime, now: datetime) -> bool:
        """Whether what was kept at one moment still counts at another."""
        return self.lifetime is None or now - kept_at <= self.lifetime


CACHE_LEVELS: Final[Mapping[CacheTier, TierRule]] = {
    "session": TierRule(lifetime=None, level=CompressionLevel.FULL),
    "project": TierRule(lifetime=timedelta(days=7), level=CompressionLevel.DETAILED),
    "persistent": TierRule(lifetime=None, level=CompressionLevel.KEY),
}


class CachedOutput(Frozen):
    """One entry of the cache, its fields named as in seed 004."""

    agent_id: str
    timestamp: AwareDatetime
    """When it was saved."""
    content: AgentOutput


class ContextCache:
    """Producers' outputs by tier, each at the tier's level; as long as this object lives."""

    def __init__(
        self, *, rules: Mapping[CacheTier, TierRule] = CACHE_LEVELS, tokenizer: Tokenizer | None = None
    ) -> None:
        """Begin empty."""
        self._rules = rules
        self._tokenizer = tokenizer or EstimateTokenizer()
        self._entries: dict[tuple[CacheTier, str], CachedOutput] = {}

    def load_from_cache(
        self, agent_id: str, cache_level: CacheTier = "session", *, now: datetime
    ) -> CachedOutput | None:
        """The entry of a producer in a tier, at that tier's level; None where no valid one is there."""
        cached = self._entries.get((cache_level, agent_id))
        return cached if cached and self._rules[cache_level].holds(cached.timestamp, now) else None

    def save_to_cache(
        self,
        agent_id: str,
        output: AgentOutput | Mapping[str, Any],
        levels: Sequence[CacheTier] = ("session",),
        *,
        now: datetime,
    ) -> None:
        """Keep an output in these tiers, each at its level; where that leaves no text, nothing is kept."""
        block = as_output({"agent_id": agent_id, **output} if isinstance(output, Mapping) else output)
        for tier in levels:
            level = self._rules[tier].level
            content = summarize_output(block, level, tokenizer=self._tokenizer) if level else block
            if content.content:
                self._entries[tier, agent_id] = CachedOutput(
                    agent_id=agent_id, timestamp=now, content=content
                )
