"""The steps of a search: `retrieve` looks, `grade` says whether that is enough, `refine` rewrites."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any, Final

import structlog
from langgraph.runtime import Runtime

from context.answering.quality import Quality, found_quality, retry_query, stop
from context.corpora.passage import Corpus, Passage, Query, Retrieved
from context.models import ToolUse
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState

log = structlog.get_logger(__name__)

ELSEWHERE_CORPORA: Final[tuple[Corpus, ...]] = ("earlier", "document")
"""The corpora beside the present meeting."""
_UNBOUNDED_TOKENS: Final = 1_000_000
"""Tokens for passages while `budget_aware_retrieval` is off: k alone bounds them."""


async def retrieve(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Search for `query`: set `retrieved_docs`, to which a second search adds, and `retrieved_docs_history`.

    A retriever that is late found nothing. Without a model nothing is searched where this meeting answers.
    """
    run = runtime.context
    retriever, history = run.parts.retriever, list(state.get("retrieved_docs_history", ()))
    why = _why_not(state, run)
    if retriever is None or why:
        run.note("retrieve", why)
        return {"retrieved_docs": (), "retrieved_docs_history": history}
    most = state["dynamic_k"]
    budget = state["token_plan"].for_docs if run.features.budget_aware_retrieval else _UNBOUNDED_TOKENS
    query = _widened(run.question_context.query(state["query"], run.features), run)
    if not run.thinks:  # quotes of this meeting are found in all of it, and not in its passages
        query = query.model_copy(update={"corpora": ELSEWHERE_CORPORA, "notes_at": None})
    limit = run.whole if run.speech.begun else run.first
    try:
        async with asyncio.timeout(min(run.means.deadlines.retrieve_s, limit.remaining_s)):
            retrieved = await retriever.retrieve(query, k=most, budget_tokens=budget)
    except TimeoutError:
        log.warning("retrieval_late", after_s=run.means.deadlines.retrieve_s)
        run.note("retrieve", "late")
        retrieved = Retrieved()
    if retrieved.degraded:
        run.note("retrieve", f"away: {', '.join(retrieved.degraded)}")
    run.account.retrieval_count += 1
    # How many, not what: the thread is everybody's, and what was found speaks in the answer.
    used = ToolUse(name="search", arguments=query.text, result=f"{len(retrieved.passages)} passages")
    run.tools.append(used)
    docs = _joined(retrieved.passages, state.get("retrieved_docs", ()), most=most, budget=budget, run=run)
    if docs != run.passages:
        run.passages, run.quotes = docs, None
    history.append(frozenset(passage.digest for passage in retrieved.passages))
    return {"retrieved_docs": docs, "retrieved_docs_history": history}


def _why_not(state: AgentState, run: Run) -> str:
    if run.parts.retriever is None:
        return "no retriever"
    if not run.features.include_evidence:
        return "off"
    if not state.get("needs_retrieval", True):
        return "not needed"
    if (
        not run.thinks
        and run.question_context.call_type != "SEARCH"
        and run.extractive().certainty == "answer"
    ):
        return "answered here"  # this meeting's quotes come before any other's, and go out at once
    return ""


def _widened(query: Query, run: Run) -> Query:
    """The query, and beside it one with what is known of the asker (seed 002 §3.5.2)."""
    features, memory = run.features, run.parts.memory
    if memory is None or not (features.include_profile and features.include_personalization):
        return query
    known = memory.widening(run.question, run.question_context.meeting, run.question_context.language)
    if not known:
        return query
    return query.model_copy(update={"rewritings": (f"{query.text} {known}", *query.rewritings)})


def _joined(
    found: Sequence[Passage], before: Sequence[Passage], *, most: int, budget: int, run: Run
) -> tuple[Passage, ...]:
    """What was found now and before, turn about, none twice, within `most` and the budget."""
    if not before:
        return tuple(found)
    turns = chain.from_iterable(zip_longest(found, before))
    joined: list[Passage] = []
    for passage in {
        passage_or_none.id: passage_or_none for passage_or_none in turns if passage_or_none is not None
    }.values():
        tokens = run.question_context.tokenizer.count(passage.searched)
        if tokens <= budget and len(joined) < most:
            joined.append(passage)
            budget -= tokens
    return tuple(joined)


async def grade(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Grade what was found: set `quality_feedback`, `found_history`, and why the search stops, or "".

    It is graded by words, always: a model's verdict would keep the asker waiting for the first words.
    """
    run = runtime.context
    if run.parts.retriever is None or not state.get("needs_retrieval", True):
        return {"stopped_because": "off"}
    if run.speech.begun:
        return {"stopped_because": "corrected"}  # a correction looks once, for what the check has missed
    texts = [passage.searched for passage in state.get("retrieved_docs", ())]
    answered = not run.thinks and run.extractive().certainty == "answer"
    if answered:
        texts.append(run.extractive().text)
    quality = found_quality(state["user_text"], texts)
    scores = [*state.get("found_history", ()), quality.overall_quality]
    features = run.features
    stopped: str | None
    if not (features.self_refine_enabled and features.dynamic_query_rewrite):
        stopped = "off"
    elif answered:
        stopped = "good"
    else:
        stopped = stop(
            quality.overall_quality,
            rewrites=state.get("iteration_count", 0),
            most_rewrites=features.max_refine_iterations,
            documents=state.get("retrieved_docs_history", ()),
            scores=scores,
            remaining_s=run.first.remaining_s,
            needed_s=run.means.deadlines.search_again_s,
        )
    if stopped:
        run.account.stopped_because = stopped
    return {
        "quality_feedback": quality.model_dump(),
        "found_history": scores,
        "stopped_because": stopped or "",
    }


async def refine(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Rewrite the query with what was missing: set `query` and `iteration_count`."""
    run = runtime.context
    query = retry_query(run.question.matter, Quality.model_validate(state["quality_feedback"]))
    if query == state["query"]:
        run.note("refine", "the same query again")
    return {"query": query, "iteration_count": state.get("iteration_count", 0) + 1}
