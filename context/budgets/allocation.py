"""How a window is shared: first among its parts, then among the producers by weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from context.budgets.levels import PER_AGENT_LIMITS, PRODUCERS, AgentLimits, VsLevel, level_of
from context.models import Frozen

AGENT_OUTPUTS: Final = 150_000


class ContextBudget(Frozen):
    """Seed 004's split of a window of 200,000 tokens."""

    system_prompt: int = 5_000
    user_context: int = 10_000
    agent_outputs: int = AGENT_OUTPUTS
    buffer: int = 35_000

    @property
    def total_available(self) -> int:
        """The whole window."""
        return self.system_prompt + self.user_context + self.agent_outputs + self.buffer

    @classmethod
    def of_window(cls, tokens: int) -> ContextBudget:
        """The same shares of another window; what rounding leaves goes to the buffer."""
        whole = cls()
        system, user, outputs = (
            part * tokens // whole.total_available
            for part in (whole.system_prompt, whole.user_context, whole.agent_outputs)
        )
        rest = max(0, tokens - system - user - outputs)
        return cls(system_prompt=system, user_context=user, agent_outputs=outputs, buffer=rest)


def allocate_context_budget(
    workflow: Sequence[str],
    total_budget: int = AGENT_OUTPUTS,
    *,
    producers: Mapping[str, VsLevel] = PRODUCERS,
    limits: Mapping[VsLevel, AgentLimits] = PER_AGENT_LIMITS,
) -> dict[str, int]:
    """Tokens per producer, by the weight of its level in `limits` (unknown ones are light).

    The shares never add up to more than `total_budget`. Who is named twice weighs twice and has one share.
    """
    weights = [limits[level_of(agent, producers)].weight for agent in workflow]
    total = sum(weights)
    budget = max(0, total_budget)
    return {agent: int(weight / total * budget) for agent, weight in zip(workflow, weights, strict=True)}
