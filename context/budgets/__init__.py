"""Budgets of context (seed 004): who may bring how much, what is kept when it does not fit, who used what.

An *agent* here is a named producer of blocks of context, with a level: for a meeting topics, transcript,
documents, earlier meetings, thread, profile, and any that a user registers.
"""

from context.budgets.allocation import ContextBudget, allocate_context_budget, calculate_priority, shared_out
from context.budgets.assembly import assemble
from context.budgets.cache import CACHE_LEVELS, ContextCache
from context.budgets.compression import summarize_output
from context.budgets.configuration import BudgetConfig
from context.budgets.output import PER_AGENT_LIMITS, AgentOutput, CompressionLevel
from context.budgets.preservation import select_context_to_preserve
from context.budgets.prompt import compose
from context.budgets.templates import SUMMARY_TEMPLATES
from context.budgets.topic_templates import TOPIC_TEMPLATES
from context.budgets.tracker import ContextBudgetTracker
from context.budgets.workflows import WORKFLOWS, Workflow

__all__ = [
    "CACHE_LEVELS",
    "PER_AGENT_LIMITS",
    "SUMMARY_TEMPLATES",
    "TOPIC_TEMPLATES",
    "WORKFLOWS",
    "AgentOutput",
    "BudgetConfig",
    "CompressionLevel",
    "ContextBudget",
    "ContextBudgetTracker",
    "ContextCache",
    "Workflow",
    "allocate_context_budget",
    "assemble",
    "calculate_priority",
    "compose",
    "select_context_to_preserve",
    "shared_out",
    "summarize_output",
]
