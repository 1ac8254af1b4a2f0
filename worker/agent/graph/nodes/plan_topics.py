"""Seed 000's first stage: the planning input, and which earlier topics the answer needs in full."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import structlog

from context.answering.planning import MOST_TOPICS, PLANNING_PROMPT, Plan, topics_by_words
from context.budget import fit
from context.budgets.sent import sent
from context.ports import ChatMessage, PortError
from worker.agent import structured
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState
from worker.agent.quoting import block, quoted

log = structlog.get_logger(__name__)

PLAN_S: Final = 2.5
"""Of the 8 seconds to the first words."""
_TOKENS: Final = 200


async def plan_topics(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `required_topics`, `additional_context`, `missing_topics`, `planning_context`."""
    await run.ready()
    if state.get("skip_planning"):
        run.note("plan_topics", "skipped")
        return {}
    if not run.thinks or run.desk.topics_fit():
        # What a prompt shows anyway needs no plan, and quotes are looked for in all topics.
        run.note("plan_topics", "every topic is shown" if run.thinks else "no model")
        return {"skip_planning": True}
    planning = run.desk.planning_input(run.shares("plan")["outline"])
    names = await _named(planning, state["query"], run) if run.judges else None
    if names is None:
        names = topics_by_words(state["query"], run.desk.topics())
    text, missing = run.desk.required_topics(names)
    if missing:
        log.info("topics_missing", missing=missing)
    return {
        "planning_context": planning,
        "required_topics": names,
        "additional_context": text,
        "missing_topics": missing,
    }


async def _named(planning: str, query: str, run: Run) -> Sequence[str] | None:
    """The topics that the model names; None where it is away, late or makes no sense."""
    assert run.judge is not None
    asked = fit(quoted(query), run.shares("plan")["question"], run.desk.tokenizer)
    messages = (
        ChatMessage(role="system", content=PLANNING_PROMPT[run.desk.language].format(most=MOST_TOPICS)),
        ChatMessage(role="user", content=f"{block('meeting', planning)}\n\n{block('question', asked)}"),
    )
    brought = {"outline": planning, "question": asked}
    run.record.prompts.append(sent("plan", messages, run.desk.tokenizer, brought))
    try:
        async with asyncio.timeout(min(PLAN_S, run.first.remaining_s / 2)):
            plan = await structured.ask(
                run.judge,
                messages,
                Plan,
                name="plan",
                max_tokens=_TOKENS,
                on_repair=partial(run.sent_again, "plan"),
            )
    except (PortError, TimeoutError) as error:
        if isinstance(error, TimeoutError):
            run.judge.gave_up("plan")
        run.note("plan_topics", f"by words: {type(error).__name__}")
        return None
    return list(dict.fromkeys(plan.required_topics))[:MOST_TOPICS]
