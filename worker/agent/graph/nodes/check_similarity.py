"""Was this answered before, and does that answer still stand?"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import structlog

from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState

log = structlog.get_logger(__name__)

LOOK_UP_S: Final = 0.5
"""A cache that takes longer saves nothing."""


async def check_similarity(_state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `cache_hit` and `cached_response`."""
    nothing = {"cache_hit": False, "cached_response": None}
    if not run.features.response_cache_enabled or run.parts.answers is None:
        run.note("check_similarity", "off" if run.parts.answers is not None else "no cache")
        return nothing
    if run.features.include_history and run.desk.follows() is not None:
        run.note("check_similarity", "a follow-up")  # "why?" asks something else each time
        return nothing
    await run.ready()
    try:
        async with asyncio.timeout(LOOK_UP_S):
            hit = await run.parts.answers.find(run.desk.asked_in, run.manager, run.features)
    except TimeoutError:
        run.note("check_similarity", "late")
        return nothing
    if hit is None:
        return nothing
    log.info("answer_cached", similarity=hit.similarity)
    run.record.cache_hit = True
    run.outcome.evidence = hit.evidence
    return {
        "cache_hit": True,
        "cached_response": hit.text,
        "quality_score": hit.quality,
        "evidence": hit.evidence,
    }
