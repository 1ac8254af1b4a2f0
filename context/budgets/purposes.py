"""How the prompts beside an answer's are shared out: each purpose has a workflow of its own.

The names of the purposes are those of `PromptRecord.purpose`. What one producer leaves unused may be
taken by the last one named, which is what the prompt is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from context.budgets.output import VsLevel
from context.budgets.workflows import Workflow

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
"""Who brings something into these prompts, beside the producers of an answer's prompt."""

PURPOSES: Final[Mapping[Purpose, Workflow]] = {
    "summary": Workflow(agents=("previous_summary", "earlier_decisions", "transcript"), total_budget=8_000),
    "thread_summary": Workflow(agents=("previous_summary", "thread")),
    "plan": Workflow(agents=("question", "outline"), total_budget=4_000),
    "quality": Workflow(agents=("question", "answer", "transcript"), total_budget=4_000),
    "verification": Workflow(agents=("claims", "transcript"), total_budget=4_000),
    "topic_detection": Workflow(agents=("previous_summary", "transcript"), total_budget=4_000),
    "compression": Workflow(agents=("question", "passages"), total_budget=4_000),
}
"""The defaults; where a model's window is smaller, the same shares of what there is."""
