"""The question in other words: what the last check suggests, else with what is missing."""

from __future__ import annotations

from typing import Any

from context.answering.quality import Quality, retry_query
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState


async def refine(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `query`, `iteration_count` and `retry_count`."""
    feedback = Quality.model_validate(state["quality_feedback"])
    query = retry_query(run.question or state["user_text"], feedback)
    if query == state["query"]:
        run.note("refine", "the same query again")
    rewrites = state.get("iteration_count", 0) + 1
    return {"query": query, "iteration_count": rewrites, "retry_count": rewrites}
