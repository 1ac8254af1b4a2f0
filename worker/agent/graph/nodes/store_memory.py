"""What is known of the asker and of the exchanges before: brought up to date, and asked."""

from __future__ import annotations

from typing import Any

from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState


async def store_memory(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `profile_summary`, `hierarchical_memory` and `hierarchical_contexts`."""
    features = run.features
    if not run.thinks:
        # Quotes are chosen by the question alone: what is remembered goes into prompts, and a hundred
        # exchanges take some milliseconds to be gone through.
        run.note("store_memory", "no model")
        return {}
    if run.parts.memory is None or not (features.hierarchical_memory_enabled or features.include_profile):
        run.note("store_memory", "off" if run.parts.memory is not None else "no memory")
        return {}
    plan = run.desk.tokens.make_plan(0)
    known = await run.parts.memory.recall(
        run.invocation,
        run.manager,
        state["slot_out"],
        features,
        max_tokens=plan.for_longterm + plan.for_recent,
    )
    changes: dict[str, Any] = {}
    if features.include_profile and features.include_personalization:
        run.recalled = known
        changes["profile_summary"] = known.profile
    if features.hierarchical_memory_enabled:
        changes["hierarchical_memory"] = known
        changes["hierarchical_contexts"] = {
            "working": known.working,
            "compressed": known.compressed,
            "semantic": known.semantic,
        }
    return changes
