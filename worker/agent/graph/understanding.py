"""The steps before anything is looked up: what is asked, whether it was answered before, what it needs.

In the graph's order: the cache, small talk, topics that are needed in full, what is named, memory, how much
is asked for, and how the prompt is shared out.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import structlog
from langgraph.runtime import Runtime

from context.answering.follow_up import answered_by_history
from context.answering.planning import MOST_TOPICS, Plan, complexity_of, k_for, topics_by_words
from context.budgets.tokens import fit
from context.ports import ChatMessage
from context.prompts.answer_prompts import PLANNING_PROMPT
from context.prompts.quoting import block, quoted
from context.retrieval.question_subject import topic_words
from context.thread.small_talk import small_talk
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState

log = structlog.get_logger(__name__)

_PLAN_TOKENS: Final = 200


async def check_similarity(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Look for a kept answer: set `cache_hit` and `cached_response`, and on a hit its grade."""
    del state
    run = runtime.context
    nothing = {"cache_hit": False, "cached_response": None}
    answers = run.parts.answers
    if answers is None or not run.features.response_cache_enabled:
        run.note("check_similarity", "no cache" if answers is None else "off")
        return nothing
    if run.question.follows:
        run.note("check_similarity", "a follow-up")  # "why?" asks something else each time
        return nothing
    try:
        async with asyncio.timeout(run.means.deadlines.look_up_s):
            hit = await answers.find(run.question_context, run.features)
    except TimeoutError:
        run.note("check_similarity", "late")
        return nothing
    if hit is None:
        return nothing
    run.account.cache_hit = True
    run.answer.evidence = hit.evidence
    if hit.elsewhere:
        run.rests_elsewhere()
    return {
        "cache_hit": True,
        "cached_response": hit.text,
        "quality_score": hit.quality,
    }


async def classify_intent(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Tell small talk, which sets `response`, from questions: set `needs_retrieval` and `query`.

    What is asked was read where it came in. A follow-up needs no retrieval where, with
    `active_retrieval_enabled`, the turn before answers it.
    """
    del state
    run, question = runtime.context, runtime.context.question
    if (courtesy := small_talk(question.text, run.question_context.language)) is not None:
        return {"response": courtesy, "needs_retrieval": False, "query": question.text}
    history = run.question_context.history() if run.features.include_history else ()
    answered = False
    if question.follows:
        run.note("classify_intent", "read as a follow-up")
        answered = run.features.active_retrieval_enabled and answered_by_history(question.text, history)
    return {"needs_retrieval": not answered, "query": question.matter}


async def plan_topics(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Choose the topics that the prompt shows in full (seed 000 §10.3.3), by the judge or by words.

    Sets `required_topics`; none where there is no model to answer, or the prompt has room for every topic.
    """
    run = runtime.context
    await run.question_context.prepare()  # more may have been said while vectors were asked for
    if not run.thinks or run.question_context.topics_fit():
        # What a prompt shows anyway needs no plan, and quotes are looked for in all topics.
        run.note("plan_topics", "every topic is shown" if run.thinks else "no model")
        return {}
    query, shares = state["query"], run.shares("plan")
    planning = run.question_context.planning_input(shares["outline"])
    plan = None
    if run.judges:
        asked = fit(quoted(query), shares["question"], run.question_context.tokenizer)
        rules = PLANNING_PROMPT[run.question_context.language].format(most=MOST_TOPICS)
        content = f"{block('meeting', planning)}\n\n{block('question', asked)}"
        plan = await run.judged(
            "plan_topics",
            "plan",
            (ChatMessage(role="system", content=rules), ChatMessage(role="user", content=content)),
            Plan,
            shown={"outline": planning, "question": asked},
            within_s=min(run.means.deadlines.plan_s, run.first.remaining_s / 2),
            max_tokens=_PLAN_TOKENS,
        )
    if plan is not None:
        names = list(dict.fromkeys(plan.required_topics))[:MOST_TOPICS]
    else:
        names = list(topics_by_words(query, run.question_context.meeting.segments))
    _, missing = run.question_context.required_topics(names)
    if missing:
        log.info("topics_missing", missing=len(missing))
        log.debug("topics_missing_named", missing=missing)
    return {"required_topics": names}


async def extract_slots(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Set `slot_out`: what the query names, by kind; without an entity pack, the words of its subject."""
    run, query = runtime.context, state["query"]
    if run.parts.slots is None:
        run.note("extract_slots", "no entity pack")
        return {"slot_out": {"concepts": topic_words(query)}}
    return {"slot_out": dict(run.parts.slots.extract(query))}


async def store_memory(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Recall what is known of the asker and was asked before, for a model's prompt.

    Sets `profile_summary` and `hierarchical_contexts`, each where its flag is on. The name is seed 002's:
    what stores is the record.
    """
    del state
    run = runtime.context
    features, memory = run.features, run.parts.memory
    if not run.thinks:
        # Quotes are chosen by the question alone: what is remembered goes into prompts, and a hundred
        # exchanges take some milliseconds to be gone through.
        run.note("store_memory", "no model")
        return {}
    if memory is None or not (features.hierarchical_memory_enabled or features.include_profile):
        run.note("store_memory", "no memory" if memory is None else "off")
        return {}
    plan = run.question_context.tokens.make_plan(0)
    most = plan.for_longterm + plan.for_recent
    known = memory.recall(run.question, run.question_context.meeting, features, max_tokens=most)
    changes: dict[str, Any] = {}
    if features.include_profile and features.include_personalization:
        run.recalled = known
        changes["profile_summary"] = known.profile
    if features.hierarchical_memory_enabled:
        run.tiers = memory.tiers(run.question, run.question_context.meeting, features)
        tier_texts = run.tiers.retrieve_context(run.question.text, most - known.tokens)
        changes["hierarchical_contexts"] = tier_texts.model_dump(exclude={"tokens"})
    return changes


async def classify_complexity(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Set `dynamic_k` by how much is asked for; without `active_retrieval_enabled` it is the moderate one."""
    run = runtime.context
    named = sum(len(values) for values in state["slot_out"].values())
    concepts = max(named, len(topic_words(state["user_text"]))) if run.parts.slots is None else named
    complexity = complexity_of(state["user_text"], concepts)
    run.account.complexity = complexity
    k = k_for(complexity if run.features.active_retrieval_enabled else "moderate", run.features)
    return {"dynamic_k": k}


async def plan_tokens(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Set `token_plan`: how the prompt is shared out (seed 002 §3.6.1)."""
    run = runtime.context
    plan = run.question_context.tokens.make_plan(
        run.question_context.tokenizer.count(state["user_text"]),
        profile=bool(state.get("profile_summary")),
        longterm=bool(state.get("hierarchical_contexts")),
    )
    return {"token_plan": plan}
