"""The step behind an answer's last word: it is kept for the next asker."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from context.answer_cache.entry import is_for_asker_alone
from context.answering.quality import GOOD_QUALITY, unframed
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState
from worker.agent.question.remembering import Remembered


async def store_response(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Keep the answer in the cache, if it was verified, is public, and rests on this meeting alone."""
    run = runtime.context
    answers, why = run.parts.answers, _why_not(state, run)
    if answers is None or why:
        run.note("store_response", why)
        return {}
    try:
        async with asyncio.timeout(run.means.deadlines.keep_s):
            await answers.keep(
                run.question_context,
                run.features,
                text=run.speech.text.strip(),
                evidence=run.answer.evidence,
                quality=state.get("quality_score", 0.0),
                tokens=run.account.tokens_used,
                took_ms=1000 * (run.means.clock() - run.began_s),
                personal=_is_for_asker_alone(run),
                elsewhere=run.answer.elsewhere,
            )
    except TimeoutError:
        run.note("store_response", "late")
    return {}


def _is_for_asker_alone(run: Run) -> bool:
    if not run.thinks and run.recalled is None:
        return False  # quotes are chosen by the question alone
    known = run.recalled or Remembered()
    # Who said what is cited is public: the asker's name there makes nothing of the answer their own.
    answer = "\n".join(map(unframed, run.speech.text.splitlines()))
    return is_for_asker_alone(
        run.question.matter, answer, name=known.name, personal=known.personal, tasks=known.tasks
    )


def _why_not(state: AgentState, run: Run) -> str:
    if not run.features.response_cache_enabled or run.parts.answers is None:
        return "off"
    if state.get("cache_hit") or state.get("response"):
        return "nothing new"
    if run.question.private:
        return "private"
    if run.answer.degraded or run.answer.certainty != "answer" or not run.answer.evidence:
        return "not a full answer"
    if run.answer.corrections or run.account.taken_back:
        return "corrected"
    if run.account.verified is False:
        return "unverified"
    if run.question.follows:
        return "a follow-up"
    if run.question.since is not None:
        return "holds for this moment"  # what is new an hour later has nothing to do with its words
    if run.answer.sources:
        return "rests on other sources"
    return "" if state.get("quality_score", 0.0) >= GOOD_QUALITY else "not good enough"
