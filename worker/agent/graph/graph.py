"""The graph itself: which step follows which. LangGraph runs it; it keeps no checkpoints.

check_similarity ─hit──────────────────────────────┐
classify_intent ─small talk────────────────────────┤
plan_topics → extract_slots → store_memory → classify_complexity → plan_tokens
→ retrieve → grade ⇄ refine (at most 2 rewrites)   │
→ assemble_context → generate_answer ◄─────────────┘
→ quality_check ─(once: refine, or assemble_context)─▲
→ attribute → store_response
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any, Final, cast

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command
from langsmith.run_helpers import tracing_context

from worker.agent.graph.keeping import attribute, store_response
from worker.agent.graph.run import Run
from worker.agent.graph.searching import grade, refine, retrieve
from worker.agent.graph.state import AgentState
from worker.agent.graph.understanding import (
    check_similarity,
    classify_complexity,
    classify_intent,
    extract_slots,
    plan_tokens,
    plan_topics,
    store_memory,
)
from worker.agent.graph.writing import assemble_context, generate_answer, quality_check

Step = Callable[[AgentState, Run], Awaitable[dict[str, Any]]]

llm_node: Final[Step] = generate_answer
tool_node: Final[Step] = retrieve
"""Seed 001's names of two steps: the one that answers, and the agent's only tool, the search. The seed's
`summary_node` runs when a turn has ended, beside the answers (`worker.agent.thread_summarising`)."""

NODES: Final[Mapping[str, Step]] = {
    "check_similarity": check_similarity,
    "classify_intent": classify_intent,
    "plan_topics": plan_topics,
    "extract_slots": extract_slots,
    "store_memory": store_memory,
    "classify_complexity": classify_complexity,
    "plan_tokens": plan_tokens,
    "retrieve": tool_node,
    "grade": grade,
    "refine": refine,
    "assemble_context": assemble_context,
    "generate_answer": llm_node,
    "quality_check": quality_check,
    "attribute": attribute,
    "store_response": store_response,
}
"""The steps by name, in the order of a turn without rewrites and corrections."""
_STRETCHES: Final = (
    ("check_similarity",),
    ("classify_intent",),
    (
        "plan_topics",
        "extract_slots",
        "store_memory",
        "classify_complexity",
        "plan_tokens",
        "retrieve",
        "grade",
    ),
    ("refine", "retrieve", "grade"),
    ("assemble_context", "generate_answer"),
    ("generate_answer",),
    ("quality_check",),
    ("attribute", "store_response"),
)
"""Runs of steps with nothing to decide between them: each is one node of LangGraph's, under its first name.

A node costs some 0.4 ms of CPU and half a dozen turns of the loop, whatever it does: eleven before
the first words took as long as the answer itself. Steps are still measured one by one.
"""
_MOST_STEPS: Final = 60
"""LangGraph's bound on the nodes of one run: two rewrites and a correction make 12."""


async def run_turn(state: AgentState, run: Run) -> None:
    """Answer one question: run the steps to the end, streaming into `run.speech`. Raises what a step raises.

    LangChain's tracing is off whatever the environment says: meetings go to nobody's dashboard.
    """
    with tracing_context(enabled=False):
        await compiled().ainvoke(
            state, {"recursion_limit": _MOST_STEPS}, context=run, output_keys=["stopped_because"]
        )


@cache
def compiled() -> Any:
    """The process's one compiled graph; it holds no state of any run."""
    graph = StateGraph(AgentState, context_schema=Run)
    for names in _STRETCHES:
        graph.add_node(names[0], _stretch(names))
    graph.add_edge(START, "check_similarity")
    return graph.compile()


def _stretch(names: tuple[str, ...]) -> Any:
    """A node that runs the steps of these names, each measured, and each seeing what those before it set."""

    async def node(state: AgentState, runtime: Runtime[Run]) -> Command[Any]:
        run = runtime.context
        changes: dict[str, Any] = {}
        for name in names:
            began_s = run.means.clock()
            try:
                changes |= await NODES[name](cast("AgentState", {**state, **changes}), run)
            finally:
                took_s = run.means.clock() - began_s
                steps = run.record.steps
                steps[name] = round(steps.get(name, 0.0) + 1000 * took_s, 3)
                run.means.on_step(name, took_s)
        return Command(update=changes, goto=_behind(names[-1], cast("AgentState", {**state, **changes})))

    return node


def _behind(step: str, state: AgentState) -> str:
    """Where the graph goes on behind the last step of a stretch."""
    stopped = state.get("stopped_because")
    match step:
        case "check_similarity":
            return "generate_answer" if state.get("cache_hit") else "classify_intent"
        case "classify_intent":
            return "generate_answer" if state.get("response") else "plan_topics"
        case "grade":
            return "assemble_context" if stopped else "refine"
        case "generate_answer":
            return "attribute" if state.get("cache_hit") or state.get("response") else "quality_check"
        case "quality_check" if not stopped:
            return "refine" if state["quality_feedback"]["needs_retrieval"] else "assemble_context"
        case "quality_check":
            return "attribute"
        case _:
            return END
