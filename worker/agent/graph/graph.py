"""The graph itself: which step follows which. LangGraph runs it; it keeps no checkpoints.

Its drawing stands in docs/architecture.md, made from `drawn()`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Mapping
from contextlib import aclosing
from functools import cache
from typing import Any, Final, Literal, Protocol, cast

import langsmith
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import TaskPayload, TaskResultPayload

from worker.agent.graph.answer_writing import assemble_context, generate_answer, quality_check
from worker.agent.graph.run import Run
from worker.agent.graph.searching import grade, refine, retrieve
from worker.agent.graph.state import AgentState
from worker.agent.graph.step_times import STREAM, StepTimes
from worker.agent.graph.storing import store_response
from worker.agent.graph.understanding import (
    check_similarity,
    classify_complexity,
    classify_intent,
    extract_slots,
    plan_tokens,
    plan_topics,
    store_memory,
)
from worker.configuration.settings import unset


class Step(Protocol):
    """A node of LangGraph's: it reads the state, works with the run, and gives the keys that it sets."""

    async def __call__(self, state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
        """Run the step."""


Route = Callable[[AgentState], Awaitable[str]]
"""What is decided behind a step; a coroutine, because LangGraph runs plain functions in a thread."""
Graph = CompiledStateGraph[AgentState, Run, AgentState, AgentState]

llm_node: Final[Step] = generate_answer
tool_node: Final[Step] = retrieve
"""Seed 001's names of two steps: the one that answers, and the agent's only tool, the search. The seed's
`summary_node` runs when a turn has ended, beside the answers (`agent.summaries.thread_summarising`)."""

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
    "store_response": store_response,
}
"""The steps by name, in the order of a turn without rewrites and corrections."""


async def kept_or_new(state: AgentState) -> Literal["kept", "new"]:
    """Tell a question that was answered before from a new one."""
    return "kept" if state["cache_hit"] else "new"


async def courtesy_or_question(state: AgentState) -> Literal["small talk", "question"]:
    """Tell small talk, whose answer is there already, from what has to be looked up."""
    return "small talk" if state.get("response") else "question"


async def found_or_rewrite(state: AgentState) -> Literal["enough", "rewrite"]:
    """Search once more, in other words, unless the grade of what was found has stopped that."""
    return "enough" if state["stopped_because"] else "rewrite"


async def made_or_given(state: AgentState) -> Literal["made", "given"]:
    """Have an answer checked that was made now; a kept one was, and small talk says nothing to be checked."""
    return "given" if state["cache_hit"] or state.get("response") else "made"


async def stands_or_corrected(state: AgentState) -> Literal["stands", "look again", "say again"]:
    """Correct an answer unless its check has stopped that, after a search where something is missing."""
    if state["stopped_because"]:
        return "stands"
    return "look again" if state["quality_feedback"]["needs_retrieval"] else "say again"


EDGES: Final = (
    (START, "check_similarity"),
    ("plan_topics", "extract_slots"),
    ("extract_slots", "store_memory"),
    ("store_memory", "classify_complexity"),
    ("classify_complexity", "plan_tokens"),
    ("plan_tokens", "retrieve"),
    ("retrieve", "grade"),
    ("refine", "retrieve"),
    ("assemble_context", "generate_answer"),
    ("store_response", END),
)
"""Which step follows which, where nothing is decided."""
ROUTES: Final[Mapping[str, tuple[Route, dict[Hashable, str]]]] = {
    "check_similarity": (kept_or_new, {"kept": "generate_answer", "new": "classify_intent"}),
    "classify_intent": (courtesy_or_question, {"small talk": "generate_answer", "question": "plan_topics"}),
    "grade": (found_or_rewrite, {"enough": "assemble_context", "rewrite": "refine"}),
    "generate_answer": (made_or_given, {"made": "quality_check", "given": "store_response"}),
    "quality_check": (
        stands_or_corrected,
        {"stands": "store_response", "look again": "refine", "say again": "assemble_context"},
    ),
}
"""What is decided behind a step, and which step each outcome leads to."""
_MOST_STEPS: Final = 40
"""LangGraph's bound on the steps of one run: two rewrites and a correction that searches make 26."""

_OLD_SWITCHES: Final = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")
"""Switches of a tracing that is no more: where one is set, LangChain ends every run with an error."""


async def run_turn(state: AgentState, run: Run) -> None:
    """Run the steps to the end, streaming the answer into `run.speech`. Raises what a step raises."""
    times = StepTimes(run)
    stream = compiled().astream(state, {"recursion_limit": _MOST_STEPS}, context=run, stream_mode=STREAM)
    try:
        async with aclosing(cast("AsyncGenerator[TaskPayload | TaskResultPayload]", stream)) as events:
            async for event in events:
                times.see(event)
    finally:
        times.end()


@cache
def compiled() -> Graph:
    """The process's one compiled graph; it holds no state of any run, and nobody is told of its runs."""
    _trace_nothing()
    return built(NODES)


def built(nodes: Mapping[str, Step]) -> Graph:
    """The graph with these steps for its nodes."""
    graph = StateGraph(AgentState, context_schema=Run)
    for name, step in nodes.items():
        graph.add_node(name, step)
    for before, behind in EDGES:
        graph.add_edge(before, behind)
    for name, (route, ways) in ROUTES.items():
        graph.add_conditional_edges(name, route, ways)
    return graph.compile()


def _trace_nothing() -> None:
    """Switch LangChain's tracing off whatever the environment says: meetings go to nobody's dashboard."""
    langsmith.configure(enabled=False)
    for name in _OLD_SWITCHES:
        unset(name)


def drawn() -> str:
    """The graph as a Mermaid flowchart."""
    return compiled().get_graph().draw_mermaid(with_styles=False)
