"""Workflows (seed 004): how the producers of a prompt share its budget, in stages or by lists of agents.

An answer's prompt has a workflow by its call type, every other prompt one by its purpose; the purposes are
named as in `PromptRecord.purpose`. In those, the last producer named is what the prompt is about: it may take
what the others leave unused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, Self

from pydantic import Field, model_validator

from context.budgets.allocation import AGENT_OUTPUTS, allocate_context_budget
from context.budgets.output import (
    MEETING_PRODUCERS,
    PER_AGENT_LIMITS,
    AgentLimits,
    CompressionLevel,
    VsLevel,
)
from context.models import AgentCallType, Frozen


class WorkflowStage(Frozen, extra="forbid"):
    """One stage of a workflow: its producers, and the tokens that they share."""

    agents: tuple[str, ...]
    budget: int = Field(gt=0)
    """Tokens of the stage."""
    compression: CompressionLevel = CompressionLevel.FULL
    """The level of its blocks for later stages, or of a block that does not fit."""
    rationale: str = ""
    """Why it is so, for readers."""


class Workflow(Frozen, extra="forbid"):
    """How producers share a prompt: ours are below, a user's own have the same shape."""

    agents: tuple[str, ...] = ()
    """The producers in their order; may be empty where there are stages, whose producers then count."""
    total_budget: int = Field(default=0, ge=0)
    """Tokens of all producers; 0 stands for the sum of the stages, or 150,000 without stages."""
    stages: Mapping[str, WorkflowStage] = {}
    """The stages by name, in their order."""
    critical_agents: Mapping[str, str] = {}
    """The producers that are compressed last and least, each with the reason."""
    compressible_agents: tuple[str, ...] = ()
    """The producers that are compressed to level 2 as soon as not all fits."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        both = set(self.critical_agents) & set(self.compressible_agents)
        if both:
            raise ValueError(f"{', '.join(sorted(both))}: critical and compressible at once")
        return self

    @property
    def everyone(self) -> tuple[str, ...]:
        """All its producers, in their order."""
        return self.agents or tuple(agent for stage in self.stages.values() for agent in stage.agents)

    @property
    def budget(self) -> int:
        """The tokens of all its producers together."""
        return self.total_budget or sum(stage.budget for stage in self.stages.values()) or AGENT_OUTPUTS

    @property
    def parts(self) -> tuple[WorkflowStage, ...]:
        """The stages in their order; of a workflow without any, one with all producers in it."""
        return tuple(self.stages.values()) or (WorkflowStage(agents=self.everyone, budget=self.budget),)

    def allocation(
        self,
        *,
        producers: Mapping[str, VsLevel] = MEETING_PRODUCERS,
        limits: Mapping[VsLevel, AgentLimits] = PER_AGENT_LIMITS,
        most: int | None = None,
    ) -> dict[str, int]:
        """Share each stage's tokens among its producers by weight: tokens by producer.

        `most`: the tokens that there are, where those are fewer than the workflow's; all stages shrink alike.
        """
        whole = self.budget if most is None else max(0, min(most, self.budget))
        planned = max(self.budget, sum(stage.budget for stage in self.parts))
        shares: dict[str, int] = {}
        for stage in self.parts:
            part = stage.budget * whole // planned
            shares |= allocate_context_budget(stage.agents, part, producers=producers, limits=limits)
        return shares

    def level_after(self, agent: str) -> CompressionLevel:
        """The level of an agent's block for those after it, or where it does not fit."""
        if agent in self.critical_agents:
            return CompressionLevel.FULL
        if agent in self.compressible_agents:
            return CompressionLevel.BRIEF
        stages = (stage.compression for stage in self.stages.values() if agent in stage.agents)
        return next(stages, CompressionLevel.FULL)


_ALL_L1: Final = ("topics", "speakers", "transcript")
"""The producers of what seed 000's table shows: all L1, and the newest turns."""


def _answer(found: int, **shown: WorkflowStage) -> Workflow:
    """The workflow of one call type: the stages of seed 000's table, and `found` tokens for the question.

    What is brought for one question comes after what stays the same from one question to the next.
    """
    evidence = WorkflowStage(
        agents=(
            *("required_topics", "evidence", "documents", "earlier_meetings"),
            *("profile", "thread", "first_answer"),
        ),
        budget=found,
        rationale="what fits beside is evidence for the question",
    )
    return Workflow(
        stages={**shown, "found": evidence},
        critical_agents={
            "transcript": "the newest turn is what people talk about",
            "evidence": "what was said is what an answer rests on",
        },
        compressible_agents=("earlier_meetings", "profile", "thread"),
    )


ANSWER_WORKFLOWS: Final[Mapping[AgentCallType, Workflow]] = {
    "IMMEDIATE_RESPONSE": _answer(
        1_500,
        table=WorkflowStage(
            agents=("speakers", "transcript"), budget=1_500, rationale="the table: ten turns and roles, no L1"
        ),
        standing=WorkflowStage(
            agents=("topics",),
            budget=1_000,
            compression=CompressionLevel.BRIEF,
            rationale="decisions and open items stand in every prompt; all topics where they fit",
        ),
    ),
    "SUMMARY": _answer(2_250, table=WorkflowStage(agents=_ALL_L1, budget=1_750)),
    "SEARCH": _answer(2_250, table=WorkflowStage(agents=_ALL_L1, budget=1_750)),
    "ACTION_EXTRACTION": _answer(500, table=WorkflowStage(agents=_ALL_L1, budget=4_000)),
}
"""The workflows by call type (seed 000 §10.3.4), sized for an 8K window; other prompts scale them."""
WORKFLOWS: Final[Mapping[str, Workflow]] = {
    call_type.lower(): workflow for call_type, workflow in ANSWER_WORKFLOWS.items()
}
"""The same by the names that a user's file may give to a call type."""


Purpose = Literal[
    "summary", "thread_summary", "plan", "quality", "verification", "topic_detection", "compression"
]

PURPOSE_PRODUCERS: Final[Mapping[str, VsLevel]] = {
    "question": "light",
    "answer": "enhanced",
    "claims": "enhanced",
    "outline": "full",
    "passages": "full",
    "previous_summary": "light",
    "earlier_decisions": "light",
}
"""The classes of the producers of these prompts that are not producers of an answer's prompt."""

PURPOSES: Final[Mapping[Purpose, Workflow]] = {
    "summary": Workflow(agents=("previous_summary", "earlier_decisions", "transcript"), total_budget=8_000),
    "thread_summary": Workflow(agents=("previous_summary", "thread")),
    "plan": Workflow(agents=("question", "outline"), total_budget=4_000),
    "quality": Workflow(agents=("question", "answer", "transcript"), total_budget=4_000),
    "verification": Workflow(agents=("claims", "transcript"), total_budget=4_000),
    "topic_detection": Workflow(agents=("previous_summary", "transcript"), total_budget=4_000),
    "compression": Workflow(agents=("question", "passages"), total_budget=4_000),
}
"""The workflows by purpose; where a model's window is smaller, the same shares of what there is."""
