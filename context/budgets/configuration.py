"""Everything about budgets that a user may want otherwise, as one checked value.

What a file says is added to the seed's values by name, so a file that names one producer changes that one
alone. A wrong file gives one line that names the field, its value and what is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from pydantic import Field, PositiveInt, ValidationError, model_validator

from context.budget import ModelBudget, budget_for, custom_budget
from context.budgets.allocation import ContextBudget, allocate_context_budget
from context.budgets.cache import CACHE_LEVELS, CacheTier, TierRule
from context.budgets.output import (
    MEETING_PRODUCERS,
    PER_AGENT_LIMITS,
    PRODUCERS,
    AgentLimits,
    VsLevel,
    limits_of,
)
from context.budgets.templates import (
    SUMMARY_TEMPLATES,
    TOPIC_TEMPLATES,
    SummaryTemplate,
    TemplateName,
    TopicTemplate,
    TopicTemplateName,
)
from context.budgets.tracker import COMPRESSION_SHARE, ContextBudgetTracker
from context.budgets.workflows import (
    ANSWER_WORKFLOWS,
    PURPOSE_PRODUCERS,
    PURPOSES,
    WORKFLOWS,
    Purpose,
    Workflow,
)
from context.config import wish
from context.models import AgentCallType, Frozen

_SEEDS: Final = ContextBudget()
_SHOWN: Final = 60
"""Characters of a wrong value that are told."""


class BudgetConfig(Frozen, extra="forbid"):
    """The seed's values where nothing else is said."""

    total_budget: PositiveInt = _SEEDS.agent_outputs
    """Tokens of all prompts of one meeting together; above `compression_share` of it answers get less."""
    compression_share: float = Field(default=COMPRESSION_SHARE, gt=0, le=1)
    standing_share: float = Field(default=0.5, gt=0, le=1)
    """The most of an answer's prompt that is set aside for what must stand (see `prompt`)."""
    windows: Mapping[str, PositiveInt] = Field(default_factory=dict)
    """Model name → tokens of its window, for models that the table does not know or has otherwise."""
    limits: Mapping[VsLevel, AgentLimits] = PER_AGENT_LIMITS
    producers: Mapping[str, VsLevel] = {**PRODUCERS, **PURPOSE_PRODUCERS}
    templates: Mapping[TemplateName, SummaryTemplate] = SUMMARY_TEMPLATES
    topic_templates: Mapping[TopicTemplateName, TopicTemplate] = TOPIC_TEMPLATES
    """What prompts tell of a topic, by level."""
    workflows: Mapping[str, Workflow] = WORKFLOWS
    call_types: Mapping[AgentCallType, str] = {each: each.lower() for each in ANSWER_WORKFLOWS}
    """Which of `workflows` puts an answer's prompt together, by what is asked for."""
    purposes: Mapping[Purpose, Workflow] = PURPOSES
    """How all other prompts are shared out."""
    cache_levels: Mapping[CacheTier, TierRule] = CACHE_LEVELS

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for call_type, name in self.call_types.items():
            workflow = self.workflows.get(name)
            if workflow is None:
                raise ValueError(
                    f"call_types.{call_type}={name!r} must be one of {', '.join(sorted(self.workflows))}"
                )
            if not set(workflow.everyone) & set(MEETING_PRODUCERS):
                raise ValueError(
                    f"call_types.{call_type}={name!r} must be a workflow with producers of a meeting: "
                    f"{', '.join(MEETING_PRODUCERS)}"
                )
        for purpose, workflow in self.purposes.items():
            needed = PURPOSES[purpose].everyone
            if set(workflow.everyone) != set(needed):
                raise ValueError(f"purposes.{purpose}.agents must be {', '.join(needed)}, in any order")
        return self

    @classmethod
    def from_mapping(cls, given: Mapping[str, Any]) -> BudgetConfig:
        """From a file's content. Raises `ValueError` with one line naming the field and what is wrong.

        `total_available` stands for the `total_budget` that seed 004's split leaves of it.
        """
        merged = dict(given)
        if isinstance(whole := merged.pop("total_available", None), int) and whole > 0:
            merged.setdefault("total_budget", whole * _SEEDS.agent_outputs // _SEEDS.total_available)
        elif whole is not None:
            raise ValueError(f"total_available={whole!r} must be a whole number above 0")
        for name, field in cls.model_fields.items():
            if isinstance(field.default, Mapping) and isinstance(own := merged.get(name), Mapping):
                merged[name] = _over(name, field.default, own)
        try:
            return cls.model_validate(merged)
        except ValidationError as error:
            raise ValueError(_line(error)) from None

    def workflow_for(self, call_type: AgentCallType) -> Workflow:
        """The strategy of an answer's prompt."""
        return self.workflows[self.call_types[call_type]]

    def limits_of(self, producer: str) -> AgentLimits:
        """What a producer may bring."""
        return limits_of(producer, self.producers, self.limits)

    def shared_out(self, wants: Mapping[str, int], room: int) -> dict[str, int]:
        """Tokens per producer: by weight, none more than it wants, together never more than `room`.

        Who wants less than its weight gives it leaves the rest to the others, by their weights, and so on
        until every want is met or the room is full.
        """
        given = dict.fromkeys(wants, 0)
        waiting = [agent for agent, wanted in wants.items() if wanted > 0]
        left = max(0, room)
        while waiting:
            shares = self._by_weight(waiting, left)
            content = [agent for agent in waiting if wants[agent] <= shares[agent]]
            if not content:
                return given | shares
            for agent in content:
                given[agent] = wants[agent]
                left -= wants[agent]
            waiting = [agent for agent in waiting if agent not in content]
        return given

    def thread_share(self, model: ModelBudget) -> int:
        """The most that the thread has of a prompt: its share of L0 beside the transcript."""
        return self._by_weight(("transcript", "thread"), model.l0)["thread"]

    def shares(self, purpose: Purpose, most: int | None = None) -> dict[str, int]:
        """Tokens per producer of a prompt beside an answer's; `most`: of what is shown, as the model has it.

        What rounding leaves belongs to the last one named.
        """
        workflow = self.purposes[purpose]
        whole = workflow.budget if most is None else max(0, min(most, workflow.budget))
        shares = workflow.allocation(producers=self.producers, limits=self.limits, most=whole)
        shares[workflow.everyone[-1]] += whole - sum(shares.values())
        return shares

    def _by_weight(self, agents: Sequence[str], budget: int) -> dict[str, int]:
        return allocate_context_budget(agents, budget, producers=self.producers, limits=self.limits)

    def tracker(self) -> ContextBudgetTracker:
        """An empty tracker of one meeting."""
        return ContextBudgetTracker(
            self.total_budget,
            producers=self.producers,
            limits=self.limits,
            compression_share=self.compression_share,
        )

    def budget_for(self, model: str) -> ModelBudget:
        """The budget of a model: a window that was given for it, else the table's."""
        window = self.windows.get(model)
        return budget_for(model) if window is None else custom_budget(model, window)


def _over(name: str, defaults: Mapping[Any, Any], given: Mapping[str, Any]) -> dict[Any, Any]:
    """What a file says of one group, laid over the defaults: of a known entry, its other fields stay."""
    merged = dict(defaults)
    for key, told in given.items():
        if not isinstance(told, Mapping):
            merged[key] = told
            continue
        base, own = defaults.get(key), dict(told)
        if name == "workflows" and "preset" in own:
            base = _preset(str(own.pop("preset")), own.pop("stands_for", None), f"workflows.{key}")
        kept = {} if base is None else {field: getattr(base, field) for field in type(base).model_fields}
        merged[key] = kept | own
    return merged


def _preset(name: str, stands_for: Any, where: str) -> Workflow:
    """The workflow that a user's own begins with. `stands_for`: its agents → producers of a meeting."""
    preset = WORKFLOWS.get(name)
    if preset is None:
        raise ValueError(f"{where}.preset={name!r} must be one of {', '.join(sorted(WORKFLOWS))}")
    if stands_for is None:
        return preset
    if not isinstance(stands_for, Mapping) or not all(isinstance(one, str) for one in stands_for.values()):
        raise ValueError(f"{where}.stands_for must be a table of names: its agent = a producer of ours")
    if unknown := sorted(set(stands_for) - set(preset.everyone)):
        raise ValueError(
            f"{where}.stands_for.{unknown[0]} must be an agent of {name}: {', '.join(preset.everyone)}"
        )
    return preset.renamed(stands_for)


def _line(error: ValidationError) -> str:
    """The first fault: `limits.full.weight=0 must be greater than 0`."""
    wrong = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in wrong["loc"])
    if not where:  # found by looking at the whole, which says where itself
        return wish(wrong)
    if wrong["type"] == "extra_forbidden":
        return f"{where} is none of ours: see docs/how-to/budgets.md for what there is"
    value = wrong["input"]
    shown = "" if isinstance(value, Mapping) else f"={repr(value)[:_SHOWN]}"
    return f"{where}{shown} {wish(wrong)}"
