"""A block of context: what one producer brings, what is known about it, and how much its producer weighs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, Literal

from pydantic import AwareDatetime, Field

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


class AgentLimits(Frozen, extra="forbid"):
    """What a producer of one level may bring."""

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
    **dict.fromkeys(("transcript", "evidence"), "full"),
    **dict.fromkeys(("topics", "required_topics", "documents"), "enhanced"),
    **dict.fromkeys(("earlier_meetings", "thread", "memory", "profile", "speakers", "first_answer"), "light"),
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


class Alternative(Frozen):
    """Something else that might have been decided."""

    text: str
    t_score: float | None = None


class NextAgent(Frozen):
    """Who should go on, and why."""

    agent: str
    reason: str = ""


class AgentOutput(Frozen, extra="ignore"):
    """One block. Everything but `agent_id` may be missing; seed 004's defaults stand in (0.5, light)."""

    agent_id: str
    content: str = ""
    vs_level: VsLevel = "light"
    level: CompressionLevel = CompressionLevel.FULL
    """How far `content` is compressed already."""
    shorter: tuple[str, ...] = ()
    """The block at levels 1, 2, 3, as far as its producer knows better than a choice of sentences."""
    protected: bool = False
    """The newest turn, decisions, actions: never dropped."""

    recency_score: float = 0.5
    confidence: float = 0.5
    """0 to 1; shown as /100."""
    has_dependents: bool = False
    relevance_score: float = 0.5

    source: str = ""
    """Of what it tells: a meeting's id; empty where that is plain."""
    title: str = ""
    """How `source` is named where it is cited."""
    said_at: AwareDatetime | None = None
    evidence: tuple[int, ...] = ()
    """The utterances of `source` that it rests on."""
    witness: str = ""
    """The digest of what stood there when it was kept: what reads otherwise today is not believed."""

    decision: str = ""
    t_score: float | None = None
    reasons: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    strength: str = ""
    weakness: str = ""
    improvement: str = ""
    next_agents: tuple[NextAgent, ...] = ()
