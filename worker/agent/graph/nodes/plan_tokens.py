"""How the prompt is shared out."""

from __future__ import annotations

from typing import Any

from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState


async def plan_tokens(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `token_plan`."""
    plan = run.desk.tokens.make_plan(
        run.desk.tokenizer.count(state["user_text"]),
        profile=bool(state.get("profile_summary")),
        longterm=bool(state.get("hierarchical_contexts")),
    )
    return {"token_plan": plan}
