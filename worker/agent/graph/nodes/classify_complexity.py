"""How much does the question ask for?"""

from __future__ import annotations

from typing import Any

from context.answering.complexity import complexity_of, k_for
from context.retrieval.questions import topic_words
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState


async def classify_complexity(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `query_complexity` and `dynamic_k`. Without `active_retrieval_enabled` k is the moderate one."""
    named = sum(len(values) for values in state["slot_out"].values())
    concepts = max(named, len(topic_words(state["user_text"]))) if run.parts.slots is None else named
    complexity = complexity_of(state["user_text"], concepts)
    run.record.complexity = complexity
    k = k_for(complexity if run.features.active_retrieval_enabled else "moderate", run.features)
    return {"query_complexity": complexity, "dynamic_k": k}
