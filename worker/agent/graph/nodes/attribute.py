"""Who said it, and when: a checked claim gets both evidences, whatever the model has cited."""

from __future__ import annotations

from typing import Any

from worker.agent.graph import telling
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState


async def attribute(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `answer` and `evidence`."""
    if state.get("cache_hit") or state.get("response") or not run.thinks or run.outcome.degraded:
        return {"evidence": run.outcome.evidence}
    section, evidence = run.desk.both_sides(run.outcome.evidence)
    if section:
        await telling.tell(run, f"\n\n{section}")
        run.outcome.declined = False
        run.outcome.evidence = tuple(dict.fromkeys([*run.outcome.evidence, *evidence]))
    return {"answer": run.speech.text, "evidence": run.outcome.evidence}
