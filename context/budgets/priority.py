"""Which block matters most: seed 004's five factors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from context.budgets.levels import VsLevel
from context.budgets.output import AgentOutput

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
