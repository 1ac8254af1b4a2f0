"""Everything about budgets that a user may want otherwise, as one checked value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field, PositiveInt, ValidationError

from context.budget import BUDGETS, ModelBudget, budget_for, custom_budget
from context.budgets.cache import CACHE_LEVELS, CacheTier, TierRule
from context.budgets.levels import PRODUCERS, VsLevel
from context.budgets.templates import SUMMARY_TEMPLATES, SummaryTemplate, TemplateName
from context.budgets.workflows import WORKFLOWS, Workflow
from context.models import Frozen


class BudgetConfig(Frozen):
    """The seed's values where nothing else is said; what is said is added to them, by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    windows: Mapping[str, PositiveInt] = Field(default_factory=dict)
    """Model name → tokens of its window, for models that the table does not know or has otherwise."""
    producers: Mapping[str, VsLevel] = PRODUCERS
    templates: Mapping[TemplateName, SummaryTemplate] = SUMMARY_TEMPLATES
    workflows: Mapping[str, Workflow] = WORKFLOWS
    cache_levels: Mapping[CacheTier, TierRule] = CACHE_LEVELS

    @classmethod
    def from_mapping(cls, given: Mapping[str, Any]) -> BudgetConfig:
        """From a file's content. Raises `ValueError` with one line naming the field and what is wrong."""
        try:
            own = cls.model_validate(given)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ValueError(f"{where}: {first['msg']}") from None
        return cls(
            windows=own.windows,
            producers={**PRODUCERS, **own.producers},
            templates={**SUMMARY_TEMPLATES, **own.templates},
            workflows={**WORKFLOWS, **own.workflows},
            cache_levels={**CACHE_LEVELS, **own.cache_levels},
        )

    def budget_for(self, model: str) -> ModelBudget:
        """The budget of a model: a window that was given for it, else the table's."""
        window = self.windows.get(model)
        return budget_for(model) if window is None else custom_budget(model, window)

    def models(self) -> list[ModelBudget]:
        """The whole table, own models last."""
        return [*BUDGETS, *(custom_budget(model, window) for model, window in self.windows.items())]
