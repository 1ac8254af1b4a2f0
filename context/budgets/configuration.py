"""Everything that a user may set about budgets, as one checked value.

What a file says is laid over seed 004's values by name, so a file that names one producer changes that one
alone. A wrong file gives one line that names the field, its value and what is allowed. Users find each key
explained in `docs/how-to/budgets.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from pydantic import Field, PositiveInt, ValidationError, model_validator

from context.budgets.allocation import AGENT_OUTPUTS, allocate_context_budget
from context.budgets.cache_tiers import CACHE_LEVELS, CacheTier, TierRule
from context.budgets.output import (
    MEETING_PRODUCERS,
    PER_AGENT_LIMITS,
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
from context.budgets.tokens import ModelBudget, budget_for, custom_budget
from context.budgets.tracker import COMPRESSION_SHARE, ContextBudgetTracker
from context.budgets.workflows import (
    ANSWER_WORKFLOWS,
    PURPOSE_PRODUCERS,
    PURPOSES,
    WORKFLOWS,
    Purpose,
    Workflow,
)
from context.config import requirement
from context.models import AgentCallType, Frozen

_SHOWN_CHARACTERS: Final = 60
"""Most characters of a wrong value that an error shows."""


class BudgetConfig(Frozen, extra="forbid"):
    """The budgets of a process; the defaults are seed 004's values and ours for a meeting."""

    total_budget: PositiveInt = AGENT_OUTPUTS
    """Most tokens that all producers bring into one prompt, however large the model's window is."""
    compression_share: float = Field(default=COMPRESSION_SHARE, gt=0, le=1)
    """The share of a prompt's budget above which the producers that come later are held to level 2."""
    standing_share: float = Field(default=0.5, gt=0, le=1)
    """The largest share of an answer's prompt that is set aside for what must stand (see `prompt`)."""
    windows: Mapping[str, PositiveInt] = Field(default_factory=dict)
    """Tokens of a model's window by its name, for models that the table lacks or has otherwise."""
    limits: Mapping[VsLevel, AgentLimits] = PER_AGENT_LIMITS
    """What the producers of each class may bring."""
    producers: Mapping[str, VsLevel] = {**MEETING_PRODUCERS, **PURPOSE_PRODUCERS}
    """The class of each producer; one that is not named is light."""
    templates: Mapping[TemplateName, SummaryTemplate] = SUMMARY_TEMPLATES
    """What is kept of a block at levels 1 to 3."""
    topic_templates: Mapping[TopicTemplateName, TopicTemplate] = TOPIC_TEMPLATES
    """What prompts tell of a topic, by level."""
    workflows: Mapping[str, Workflow] = WORKFLOWS
    """The workflows that `call_types` may name."""
    call_types: Mapping[AgentCallType, str] = {each: each.lower() for each in ANSWER_WORKFLOWS}
    """The name of the workflow that puts an answer's prompt together, by call type."""
    purposes: Mapping[Purpose, Workflow] = PURPOSES
    """The workflow of every other prompt, by its purpose."""
    cache_levels: Mapping[CacheTier, TierRule] = CACHE_LEVELS
    """The rules of the cache's tiers."""

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
        """Read the parsed content of a file, laid over the defaults.

        Raises `ValueError` with one line that names the field and what is wrong.
        """
        merged = dict(given)
        for name, field in cls.model_fields.items():
            if isinstance(field.default, Mapping) and isinstance(own := merged.get(name), Mapping):
                merged[name] = _over(field.default, own)
        try:
            return cls.model_validate(merged)
        except ValidationError as error:
            raise ValueError(_line(error)) from None

    def workflow_for(self, call_type: AgentCallType) -> Workflow:
        """The workflow of the prompt of an answer of that call type."""
        return self.workflows[self.call_types[call_type]]

    def limits_of(self, producer: str) -> AgentLimits:
        """What a producer may bring, by its class."""
        return limits_of(producer, self.producers, self.limits)

    def shared_out(self, wants: Mapping[str, int], room: int) -> dict[str, int]:
        """Share `room` tokens among producers by weight, giving none more than it wants: tokens by producer.

        What a producer does not want of its share goes to the others, by their weights, until every want is
        met or the room is full. `wants`: tokens by producer.
        """
        given = dict.fromkeys(wants, 0)
        waiting = [agent for agent, wanted in wants.items() if wanted > 0]
        left = max(0, room)
        while waiting:
            shares = self._by_weight(waiting, left)
            satisfied = [agent for agent in waiting if wants[agent] <= shares[agent]]
            if not satisfied:
                return given | shares
            for agent in satisfied:
                given[agent] = wants[agent]
                left -= wants[agent]
            waiting = [agent for agent in waiting if agent not in satisfied]
        return given

    def thread_share(self, model: ModelBudget) -> int:
        """Most tokens of the thread in a model's prompt: its share of L0, by weight beside the transcript."""
        return self._by_weight(("transcript", "thread"), model.l0)["thread"]

    def shares(self, purpose: Purpose, most: int | None = None) -> dict[str, int]:
        """Tokens by producer in a prompt that is no answer's, by its purpose.

        `most`: the tokens that the model has for it, where those may be fewer than the purpose's budget. The
        last producer gets what rounding leaves, so that the shares add up to the whole.
        """
        workflow = self.purposes[purpose]
        whole = workflow.budget if most is None else max(0, min(most, workflow.budget))
        shares = workflow.allocation(producers=self.producers, limits=self.limits, most=whole)
        shares[workflow.everyone[-1]] += whole - sum(shares.values())
        return shares

    def _by_weight(self, agents: Sequence[str], budget: int) -> dict[str, int]:
        return allocate_context_budget(agents, budget, producers=self.producers, limits=self.limits)

    def tracker(self, budget: int = 0) -> ContextBudgetTracker:
        """An empty tracker of one prompt that has room for `budget` tokens; 0: for `total_budget`."""
        return ContextBudgetTracker(
            min(budget, self.total_budget) or self.total_budget,
            producers=self.producers,
            limits=self.limits,
            compression_share=self.compression_share,
        )

    def budget_for(self, model: str) -> ModelBudget:
        """The budget of a model: from the window that `windows` gives it, else from the built-in table."""
        window = self.windows.get(model)
        return budget_for(model) if window is None else custom_budget(model, window)


def _over(defaults: Mapping[Any, Any], given: Mapping[str, Any]) -> dict[Any, Any]:
    """One group of a file, laid over its defaults; fields of a known entry that the file omits stay."""
    merged = dict(defaults)
    for key, told in given.items():
        if not isinstance(told, Mapping):
            merged[key] = told
            continue
        base, own = defaults.get(key), dict(told)
        kept = {} if base is None else {field: getattr(base, field) for field in type(base).model_fields}
        merged[key] = kept | own
    return merged


def _line(error: ValidationError) -> str:
    """The first fault as one line: `limits.full.weight=0 must be greater than 0`."""
    wrong = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in wrong["loc"])
    if not where:  # found by looking at the whole, which says where itself
        return requirement(wrong)
    if wrong["type"] == "extra_forbidden":
        return f"{where} is none of ours: see docs/how-to/budgets.md for what there is"
    value = wrong["input"]
    shown = "" if isinstance(value, Mapping) else f"={repr(value)[:_SHOWN_CHARACTERS]}"
    return f"{where}{shown} {requirement(wrong)}"
