"""Who said it, and when; and notices."""

from __future__ import annotations

from typing import Any

from worker.agent.graph import telling
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState


async def attribute(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `answer` and `evidence`."""
    if not state.get("response"):
        await _notices(run)
    return {"answer": run.speech.text, "evidence": run.outcome.evidence}


async def _notices(run: Run) -> None:
    """Medicines that are known to interact: said to the asker, whoever made the answer, kept ones too."""
    if run.parts.memory is None:
        return
    told = run.parts.memory.notices(run.invocation, run.manager, run.speech.text, run.desk.language)
    if told:
        run.noticed = True
        await telling.tell(run, "\n\n" + "\n".join(told))
