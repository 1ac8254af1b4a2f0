"""A block of context: what one producer brings, and what is known about it."""

from __future__ import annotations

from pydantic import AwareDatetime, ConfigDict

from context.budgets.levels import CompressionLevel, VsLevel
from context.models import Frozen


class Alternative(Frozen):
    """Something else that might have been decided."""

    text: str
    t_score: float | None = None


class NextAgent(Frozen):
    """Who should go on, and why."""

    agent: str
    reason: str = ""


class AgentOutput(Frozen):
    """One block. Everything but `agent_id` may be missing; seed 004's defaults stand in (0.5, light)."""

    model_config = ConfigDict(frozen=True, extra="ignore")

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
