"""How a window is shared: first among its parts, then among the producers by weight.

How producers share one room: by weight, and what one does not need goes to those who can use it.

Which block matters most: seed 004's five factors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from context.budgets.output import PER_AGENT_LIMITS, PRODUCERS, AgentLimits, AgentOutput, VsLevel, level_of
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
        """Give the tokens of the whole window."""
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


def shared_out(
    wants: Mapping[str, int],
    room: int,
    *,
    producers: Mapping[str, VsLevel] = PRODUCERS,
    limits: Mapping[VsLevel, AgentLimits] = PER_AGENT_LIMITS,
) -> dict[str, int]:
    """Tokens per producer: by weight, none more than it wants, together never more than `room`.

    Who wants less than its weight gives it leaves the rest to the others, by their weights, and so on until
    every want is met or the room is full.
    """
    given = dict.fromkeys(wants, 0)
    waiting = [agent for agent, wanted in wants.items() if wanted > 0]
    left = max(0, room)
    while waiting:
        shares = allocate_context_budget(waiting, left, producers=producers, limits=limits)
        content = [agent for agent in waiting if wants[agent] <= shares[agent]]
        if not content:
            return given | shares
        for agent in content:
            given[agent] = wants[agent]
            left -= wants[agent]
        waiting = [agent for agent in waiting if agent not in content]
    return given


FACTORS: Final[Mapping[str, float]] = {
    "recency": 0.3,
    "vs_level": 0.25,
    "confidence": 0.2,
    "dependencies": 0.15,
    "user_relevance": 0.1,
}
LEVEL_SCORES: Final[Mapping[VsLevel, float]] = {"full": 1.0, "enhanced": 0.7, "light": 0.4}
NO_DEPENDENTS: Final = 0.3


def calculate_priority(output: AgentOutput | Mapping[str, Any]) -> float:
    """0 to 1 where all scores are. Absent scores count 0.5, an absent level is light."""
    block = as_output(output)
    return (
        FACTORS["recency"] * block.recency_score
        + FACTORS["vs_level"] * LEVEL_SCORES[block.vs_level]
        + FACTORS["confidence"] * block.confidence
        + FACTORS["dependencies"] * (1.0 if block.has_dependents else NO_DEPENDENTS)
        + FACTORS["user_relevance"] * block.relevance_score
    )


def as_output(output: AgentOutput | Mapping[str, Any]) -> AgentOutput:
    """A block, also from the seed's plain dictionaries. Raises `ValueError` on a wrong shape."""
    if isinstance(output, AgentOutput):
        return output
    return AgentOutput.model_validate({"agent_id": "", **output})
