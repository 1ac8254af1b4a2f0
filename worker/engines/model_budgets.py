"""The budget of a model: as its name is known, or as the settings say for a model of the user's own."""

from __future__ import annotations

from context.budget import ModelBudget, custom_budget
from worker.configuration.settings import Settings


def model_budget(settings: Settings, model: str) -> ModelBudget:
    """`LLM_WINDOW` counts for `LLM_MODEL`; else the budgets' file does, and for all others the table."""
    llm = settings.llm
    if llm.window and model == llm.model:
        return custom_budget(model, llm.window)
    return settings.budgets.budget_for(model)
