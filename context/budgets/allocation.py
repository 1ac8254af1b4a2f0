"""How a budget is shared among producers, by weight; how much a block matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from context.budgets.output import (
    MEETING_PRODUCERS,
    PER_AGENT_LIMITS,
    AgentLimits,
    AgentOutput,
    VsLevel,
    limits_of,
)

AGENT_OUTPUTS: Final = 150_000
"""Tokens that seed 004 leaves to all producers together."""


def allocate_context_budget(
    workflow: Sequence[str],
    total_budget: int = AGENT_OUTPUTS,
    *,
    producers: Mapping[str, VsLevel] = MEETING_PRODUCERS,
    limits: Mapping[VsLevel, AgentLimits] = PER_AGENT_LIMITS,
) -> dict[str, int]:
    """Share `total_budget` tokens among the producers of a workflow (seed 004): tokens by producer.

    A producer weighs what `limits` says of its class in `producers`; an unknown one is light. The shares
    never add up to more than the budget. A producer that is named twice weighs twice but has one share.
    """
    weights = [limits_of(agent, producers, limits).weight for agent in workflow]
    total = sum(weights)
    budget = max(0, total_budget)
    return {agent: int(weight / total * budget) for agent, weight in zip(workflow, weights, strict=True)}


FACTORS: Final[Mapping[str, float]] = {
    "recency": 0.3,
    "vs_level": 0.25,
    "confidence": 0.2,
    "dependencies": 0.15,
    "user_relevance": 0.1,
}
LEVEL_SCORES: Final[Mapping[VsLevel, float]] = {"full": 1.0, "enhanced": 0.7, "light": 0.4}
NO_DEPENDENTS_SCORE: Final = 0.3


def calculate_priority(output: AgentOutput | Mapping[str, Any]) -> float:
    """How much a block matters, by seed 004's five factors: 0 to 1, as all its scores are.

    Of a dictionary an absent score counts 0.5, an absent class light. Raises `ValueError` on a wrong shape.
    """
    block = as_output(output)
    return (
        FACTORS["recency"] * block.recency_score
        + FACTORS["vs_level"] * LEVEL_SCORES[block.vs_level]
        + FACTORS["confidence"] * block.confidence
        + FACTORS["dependencies"] * (1.0 if block.has_dependents else NO_DEPENDENTS_SCORE)
        + FACTORS["user_relevance"] * block.relevance_score
    )


def as_output(output: AgentOutput | Mapping[str, Any]) -> AgentOutput:
    """Read a block, also from the seed's plain dictionaries. Raises `ValueError` on a wrong shape."""
    if isinstance(output, AgentOutput):
        return output
    return AgentOutput.model_validate({"agent_id": "", **output})
