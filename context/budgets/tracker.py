"""The tracker of one context (seed 004): which producer used how many tokens, and what is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from context.budgets.allocation import AGENT_OUTPUTS
from context.budgets.output import (
    MEETING_PRODUCERS,
    PER_AGENT_LIMITS,
    TARGET_TOKENS,
    AgentLimits,
    CompressionLevel,
    VsLevel,
    level_of,
    limits_of,
)

COMPRESSION_SHARE: Final = 0.8
"""The share of the budget above which later blocks are limited to level 2 (a user may set another)."""
_SHOWN_AGENTS: Final = 6
"""Most lines of producers on the dashboard."""


class ContextBudgetTracker:
    """Adds up what producers bring into one prompt; near the end of its budget compression mode is on."""

    def __init__(
        self,
        total_budget: int = AGENT_OUTPUTS,
        *,
        producers: Mapping[str, VsLevel] = MEETING_PRODUCERS,
        limits: Mapping[VsLevel, AgentLimits] = PER_AGENT_LIMITS,
        compression_share: float = COMPRESSION_SHARE,
    ) -> None:
        self.total_budget, self.compression_share = total_budget, compression_share
        self.used = 0
        """Tokens of all producers together."""
        self.agent_usage: dict[str, int] = {}
        """Tokens by producer."""
        self.compression_mode = False
        """Whether the next blocks are limited to level 2."""
        self._producers, self._limits = producers, limits

    def track(self, agent_id: str, tokens: int) -> None:
        """Add `tokens` that a producer brought, to those it had. Raises `ValueError` on a negative number."""
        if tokens < 0:
            raise ValueError(f"{agent_id} cannot have used {tokens} tokens")
        self.used += tokens
        self.agent_usage[agent_id] = self.agent_usage.get(agent_id, 0) + tokens
        if self.used > self.total_budget * self.compression_share:
            self.trigger_compression_mode()

    def trigger_compression_mode(self) -> None:
        """Limit all blocks from here on to level 2."""
        self.compression_mode = True

    def get_remaining(self) -> int:
        """The tokens that are left; below 0 where more was used than the budget holds."""
        return self.total_budget - self.used

    def level_for_next(self) -> CompressionLevel:
        """The lowest level that the next block may have: 2 in compression mode, else 0."""
        return CompressionLevel.BRIEF if self.compression_mode else CompressionLevel.FULL

    def next_budget(self, agent_id: str) -> int:
        """The most tokens that the next block of a producer may have; 0 where nothing is left."""
        most = limits_of(agent_id, self._producers, self._limits).max_output
        return max(0, min(most, TARGET_TOKENS[self.level_for_next()], self.get_remaining()))

    def report(self) -> dict[str, Any]:
        """The sums, under the keys that seed 004 names."""
        return {
            "total_budget": self.total_budget,
            "used": self.used,
            "remaining": self.get_remaining(),
            "usage_percent": self._percent(self.used),
            "per_agent": dict(self.agent_usage),
        }

    def dashboard(self, next_agent: str) -> str:
        """The report as text for people: totals, a bar, the largest producers, the mode, the next budget."""
        percent = self._percent(self.used)
        ranked = sorted(self.agent_usage.items(), key=lambda item: (-item[1], item[0]))
        if len(ranked) > _SHOWN_AGENTS:
            rest = sum(tokens for _, tokens in ranked[_SHOWN_AGENTS - 1 :])
            ranked = [*ranked[: _SHOWN_AGENTS - 1], ("Others", rest)]
        most = max((tokens for _, tokens in ranked), default=0)
        width = max((len(agent) for agent, _ in ranked), default=0)
        agents = [
            f"  {agent.ljust(width)} {_bar(100 * tokens / (most or 1), 20)}"
            f" {tokens:,} ({self._percent(tokens):.1f}%)"
            for agent, tokens in ranked
        ]
        level = level_of(next_agent, self._producers)
        return "\n".join(
            [
                "Context Budget Dashboard",
                "",
                f"Total Budget: {self.total_budget:,} tokens",
                f"Used: {self.used:,} tokens ({percent:.1f}%)",
                f"Remaining: {self.get_remaining():,} tokens",
                "",
                f"{_bar(percent, 34)} {percent:.1f}%",
                "",
                "Per Agent Usage:",
                *(agents or ["  (nobody yet)"]),
                "",
                f"Compression Status: {'Active (level 2)' if self.compression_mode else 'Normal'}",
                f"Next Agent Budget: {self.next_budget(next_agent):,} tokens ({level}: {next_agent})",
            ]
        )

    def _percent(self, tokens: int) -> float:
        return 100 * tokens / self.total_budget if self.total_budget > 0 else 0.0


def _bar(percent: float, width: int) -> str:
    full = max(0, min(width, round(width * percent / 100)))
    return "█" * full + "░" * (width - full)
