"""Blocks of context: what one producer brings, what is known of it, and how much a producer may bring."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, Literal

from pydantic import Field

from context.models import Frozen

VsLevel = Literal["full", "enhanced", "light"]
"""The class of a producer (seed 004's VS level): how much it may bring, and its weight."""


class CompressionLevel(IntEnum):
    """How far a block is compressed: seed 004's levels 0 to 3, not L0 and L1 of a meeting's memory."""

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
"""Most tokens of a block at each level."""


class AgentLimits(Frozen, extra="forbid"):
    """The bounds of a producer's blocks, by its class."""

    max_output: int = Field(gt=0)
    """Most tokens of one block; a longer one is compressed."""
    summary_threshold: int = Field(gt=0)
    """Tokens above which a block is told in detail (level 1) instead of whole."""
    weight: float = Field(gt=0, le=1_000)
    """Its weight where a budget is shared out."""


PER_AGENT_LIMITS: Final[Mapping[VsLevel, AgentLimits]] = {
    "full": AgentLimits(max_output=8_000, summary_threshold=6_000, weight=3.0),
    "enhanced": AgentLimits(max_output=5_000, summary_threshold=4_000, weight=2.0),
    "light": AgentLimits(max_output=3_000, summary_threshold=2_500, weight=1.0),
}
"""Seed 004's `full_vs`, `enhanced_vs`, `light_vs`."""

MEETING_PRODUCERS: Final[Mapping[str, VsLevel]] = {
    **dict.fromkeys(("transcript", "evidence"), "full"),
    **dict.fromkeys(("topics", "required_topics", "documents"), "enhanced"),
    **dict.fromkeys(("earlier_meetings", "thread", "profile", "speakers", "first_answer"), "light"),
}
"""The classes of the producers of an answer's prompt.

`transcript` is the live window, `evidence` what was found in this meeting for the question,
`required_topics` the topics that planning asked for, `first_answer` what a second answer is to correct.
"""


def level_of(agent_id: str, producers: Mapping[str, VsLevel] = MEETING_PRODUCERS) -> VsLevel:
    """The class of a producer, by its id or the part before a hyphen (`02-theoretical`); else light."""
    return producers.get(agent_id) or producers.get(agent_id.partition("-")[0]) or "light"


def limits_of(
    agent_id: str,
    producers: Mapping[str, VsLevel] = MEETING_PRODUCERS,
    limits: Mapping[VsLevel, AgentLimits] = PER_AGENT_LIMITS,
) -> AgentLimits:
    """What a producer may bring, by its class."""
    return limits[level_of(agent_id, producers)]


class Alternative(Frozen):
    """Something else that might have been decided (seed 004)."""

    text: str
    t_score: float | None = None


class NextAgent(Frozen):
    """An agent that should go on, and why (seed 004); of a topic, who has an open item, and the item."""

    agent: str
    reason: str = ""


class AgentOutput(Frozen, extra="ignore"):
    """One block of context. All but `agent_id` may be missing; then seed 004's defaults stand (0.5, light).

    The scores are from 0 to 1; `calculate_priority` weighs them. `decision` and the fields after it are what
    the seed's templates name.
    """

    agent_id: str
    content: str = ""
    """The text that stands in a prompt."""
    vs_level: VsLevel = "light"
    level: CompressionLevel = CompressionLevel.FULL
    """How far `content` is compressed already."""
    shorter: tuple[str, ...] = ()
    """Its text at levels 1, 2, 3, where the producer gives one; else its weightiest sentences are chosen."""
    protected: bool = False
    """Whether it is never dropped, as the newest turn, decisions and actions are not."""

    recency_score: float = 0.5
    confidence: float = 0.5
    """Shown as /100."""
    has_dependents: bool = False
    """Whether other blocks rest on it."""
    relevance_score: float = 0.5

    decision: str = ""
    t_score: float | None = None
    reasons: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    strength: str = ""
    weakness: str = ""
    improvement: str = ""
    next_agents: tuple[NextAgent, ...] = ()
