"""One meeting through the real pipeline, its questions at the end: what `moim replay` does, beside an endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, Final

from pydantic import SecretStr

from context.fold.meeting import Meeting
from tests.bench.model.endpoint import Endpoint
from tests.bench.model.meetings import GoldMeeting
from worker.agent.calls.deadlines import Deadlines
from worker.bootstrap.embedders import embedder
from worker.bootstrap.thinking import thinking
from worker.configuration.settings import Settings
from worker.holder.solo import solo_meeting
from worker.monitoring.metrics import process_metrics
from worker.passages.indexers import MeetingIndexers
from worker.replaying import Recording, Replay, ReplayClock

WINDOW: Final = 32_768
"""Tokens of a recorded model's window."""
_UNCACHED: Final = {"response_cache_enabled": "0"}


def pointed_at(endpoint: Endpoint, settings: Settings) -> Settings:
    """These settings, their language model behind the endpoint."""
    llm: dict[str, Any] = {
        "engine": "openai",
        "base_url": endpoint.base_url,
        "api_key": SecretStr(endpoint.key),
        "model": endpoint.model,
        "window": settings.llm.window or WINDOW,
    }
    return settings.model_copy(update={"llm": settings.llm.model_copy(update=llm)})


async def play(
    gold: GoldMeeting,
    settings: Settings,
    questions: Sequence[str],
    *,
    features: Mapping[str, str] | None = None,
) -> Meeting:
    """The meeting as it is in the end, with its replies."""
    async with AsyncExitStack() as stack:
        encoder = await stack.enter_async_context(embedder(settings, alone=True))
        thinker = await stack.enter_async_context(
            thinking(
                settings,
                process_metrics(),
                encoder=MeetingIndexers(encoder, None),
                deadlines=Deadlines(encoder_s=None),  # the same prompts on a slow machine
            )
        )
        meeting = Meeting(gold.id, settings.context, tokenizer=thinker.tokenizer, judge=thinker.judges)
        clock = ReplayClock()
        opened = solo_meeting(
            settings, meeting, thinker=thinker, engine=None, clock=clock, language=gold.language
        )
        async with opened as (session, attendant):
            replay = Replay(session, attendant, clock, until=None)
            await replay.play(Recording(gold.id, gold.language, lines=tuple(gold.lines())))
            await replay.ask(questions, {**_UNCACHED, **(features or {})})
            await session.close_topics()
            await session.end("replayed")
    return meeting
