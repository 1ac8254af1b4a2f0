"""Who said it, and when: a checked claim gets both evidences, whatever the model has cited; and notices."""

from __future__ import annotations

from typing import Any

from worker.agent.graph import telling
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState


async def attribute(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `answer` and `evidence`."""
    if not state.get("response"):
        if run.thinks and not state.get("cache_hit") and not run.outcome.degraded:
            await _both_sides(run)
        await _notices(run)
    return {"answer": run.speech.text, "evidence": run.outcome.evidence}


async def _both_sides(run: Run) -> None:
    section, evidence = run.desk.both_sides(run.outcome.evidence)
    if section:
        await telling.tell(run, f"\n\n{section}")
        run.outcome.declined = False
        run.outcome.evidence = tuple(dict.fromkeys([*run.outcome.evidence, *evidence]))


async def _notices(run: Run) -> None:
    """Medicines that are known to interact: said to the asker, whoever made the answer, kept ones too."""
    if run.parts.memory is None:
        return
    told = run.parts.memory.notices(run.invocation, run.manager, run.speech.text, run.desk.language)
    if told:
        run.noticed = True
        await telling.tell(run, "\n\n" + "\n".join(told))
