"""Is what was found worth answering from, or is it worth searching again?"""

from __future__ import annotations

from typing import Any, Final

from context.answering.quality import found_quality
from context.answering.stops import stop
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState

SEARCH_S: Final = 4.0
"""Searched again only while so much of the time to the first words remains: a search may take two seconds,
and the model needs some of the rest."""


async def grade(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `quality_feedback`, `found_history`, and `stopped_because` where no further search is made.

    By words, always: a model's verdict would keep the asker waiting for the first words.
    """
    if run.parts.retriever is None or not state.get("needs_retrieval", True):
        return {"stopped_because": "off"}
    if run.speech.begun:
        return {"stopped_because": "corrected"}  # a correction looks once, for what the check has missed
    texts = [passage.searched for passage in state.get("retrieved_docs", ())]
    quotes = None if run.thinks else run.extractive()
    if quotes is not None and quotes.certainty == "answer":
        texts.append(quotes.text)
    found = found_quality(state["user_text"], texts)
    scores = [*state.get("found_history", ()), found.overall_quality]
    features = run.features
    if not (features.self_refine_enabled and features.dynamic_query_rewrite):
        stopped: str | None = "off"
    elif quotes is not None and quotes.certainty == "answer":
        stopped = "good"
    else:
        stopped = stop(
            found.overall_quality,
            rewrites=state.get("iteration_count", 0),
            most_rewrites=features.max_refine_iterations,
            documents=state.get("retrieved_docs_history", ()),
            scores=scores,
            remaining_s=run.first.remaining_s,
            needed_s=SEARCH_S,
        )
    if stopped:
        run.record.stopped_because = stopped
    return {
        "quality_feedback": found.model_dump(),
        "found_history": scores,
        "stopped_because": stopped or "",
    }
