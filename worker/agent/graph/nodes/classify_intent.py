"""Is it small talk, and does it need anything to be looked up at all?"""

from __future__ import annotations

from typing import Any

from context.answering.follow_up import answered_by_history
from context.thread.small_talk import small_talk
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState
from worker.agent.material import weighed


async def classify_intent(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `needs_retrieval`, `query` and `conversation_history`; for small talk, `response`.

    Whole words only, and never a question. A follow-up is read in the light of the turn
    before it, and needs no retrieval where, with `active_retrieval_enabled`, that turn answers it.
    """
    question = state["user_text"]
    if (courtesy := small_talk(question)) is not None:
        return {"response": courtesy, "needs_retrieval": False, "query": question}
    history = run.desk.history() if run.features.include_history else ()
    run.follows = run.desk.follows() if run.features.include_history else None
    query = question
    if run.follows is not None:
        query = run.follows.text
        run.note("classify_intent", "read as a follow-up")
        await weighed(run.desk, query, run.encoder_s)
    run.question = query
    answered = run.features.active_retrieval_enabled and answered_by_history(
        question, history, run.desk.request.wish
    )
    return {"needs_retrieval": not answered, "query": query, "conversation_history": history}
