"""How far a block is compressed, and how much weight its producer has."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, Literal

from pydantic import ConfigDict, Field

from context.models import Frozen

VsLevel = Literal["full", "enhanced", "light"]


class CompressionLevel(IntEnum):
    """Seed 004's Levels 0 to 3 (not to be confused with L0 and L1 of a meeting's memory)."""

    FULL = 0
    DETAILED = 1
    BRIEF = 2
    KEY = 3


TARGET_TOKENS: Final[Mapping[CompressionLevel, int]] = {
    CompressionLevel.FULL: 8_000,
    CompressionLevel.DETAILED: 3_000,
    CompressionLevel.BRIEF: 1_000,
    CompressionLevel.KEY: 300,
}
"""A block at a level counts at most so many tokens."""


class AgentLimits(Frozen):
    """What a producer of one level may bring."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_output: int = Field(gt=0)
    """Tokens of one block; what is above is compressed."""
    summary_threshold: int = Field(gt=0)
    """From here on a block is summarised for those after it."""
    weight: float = Field(gt=0, le=1_000)


PER_AGENT_LIMITS: Final[Mapping[VsLevel, AgentLimits]] = {
    "full": AgentLimits(max_output=8_000, summary_threshold=6_000, weight=3.0),
    "enhanced": AgentLimits(max_output=5_000, summary_threshold=4_000, weight=2.0),
    "light": AgentLimits(max_output=3_000, summary_threshold=2_500, weight=1.0),
}
"""Seed 004's `full_vs`, `enhanced_vs`, `light_vs`."""

RESEARCH_AGENTS: Final[Mapping[str, VsLevel]] = {
    **dict.fromkeys(("02", "03", "05", "10", "16"), "full"),
    **dict.fromkeys(("01", "04", "06", "07", "08", "09"), "enhanced"),
}
"""The seed's own agents; those that are not named are light."""

MEETING_PRODUCERS: Final[Mapping[str, VsLevel]] = {
    "transcript": "full",
    "evidence": "full",
    "topics": "enhanced",
    "required_topics": "enhanced",
    "documents": "enhanced",
    "earlier_meetings": "light",
    "thread": "light",
    "memory": "light",
    "profile": "light",
    "speakers": "light",
    "first_answer": "light",
}
"""Who brings blocks into the prompt of an answer.

`transcript` is the live window, `evidence` what was found in this meeting for the question,
`required_topics` the topics that planning asked for, `first_answer` what a second answer is to correct.
"""

PRODUCERS: Final[Mapping[str, VsLevel]] = {**RESEARCH_AGENTS, **MEETING_PRODUCERS}


def level_of(agent_id: str, producers: Mapping[str, VsLevel] = PRODUCERS) -> VsLevel:
    """The level of a producer, by its id or by what stands before a hyphen (`02-theoretical`); else light."""
    return producers.get(agent_id) or producers.get(agent_id.partition("-")[0]) or "light"


def limits_of(
    agent_id: str,
    producers: Mapping[str, VsLevel] = PRODUCERS,
    limits: Mapping[VsLevel, AgentLimits] = PER_AGENT_LIMITS,
) -> AgentLimits:
    """What a producer may bring."""
    return limits[level_of(agent_id, producers)]
