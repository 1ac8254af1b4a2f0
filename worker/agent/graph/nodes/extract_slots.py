"""What does the question name?"""

from __future__ import annotations

from typing import Any

from context.retrieval.questions import topic_words
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState


async def extract_slots(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `slot_out`: by kind, as it was said. Without an entity pack, the words that name the subject."""
    query = state["query"]
    if run.parts.slots is None:
        run.note("extract_slots", "no entity pack")
        return {"slot_out": {"concepts": topic_words(query)}}
    return {"slot_out": dict(run.parts.slots.extract(query, run.desk.language))}
