"""Makes the configured embedder, and keeps the machine's shared embedding engine running."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from context.corpora.search_hits import NO_MEANING, Floor
from context.ports import Unavailable
from stt.engine.protocol import VERSION
from worker.agent.calls.deadlines import TEXTS_S, VECTOR_GIVEN_UP_S, VECTORS_S
from worker.bootstrap.language_models import mask_of
from worker.configuration.setting_engines import LOCAL_ENCODER
from worker.configuration.settings import Settings
from worker.configuration.sockets import socket_path
from worker.embeddings.embedding_client import CalledEmbedder, OwnEmbedder, SharedEmbedder

if TYPE_CHECKING:
    from worker.adapters.openai_embedder import OpenAIEmbedder

log = structlog.get_logger(__name__)


_FLOORS: Final = {LOCAL_ENCODER: Floor(near=0.84, alone=0.88)}
"""What cosines say, by encoder, as `python -m tests.bench search` measures it."""


def search_floor(encoder: str) -> Floor:
    """The cosines of an encoder from which on passages are hits of a search; none if it is unmeasured."""
    return _FLOORS.get(encoder, NO_MEANING)


def embedding_socket(settings: Settings) -> Path:
    """The Unix socket at which the machine's shared embedding engine listens: one for each protocol."""
    return socket_path(settings, f"embeddings-{VERSION}")


@asynccontextmanager
async def embedder(
    settings: Settings, *, alone: bool = False, many: bool = False
) -> AsyncIterator[CalledEmbedder | None]:
    """The configured embedder, None where there is none; its connection is closed at the end.

    `alone`: for a command that no worker runs beside: the local model then runs in this process. `many`: for
    more texts than a question.
    """
    embed = settings.embed
    if embed.engine == "none":
        yield None
        return
    made: SharedEmbedder | OwnEmbedder | OpenAIEmbedder
    deadline_s = VECTOR_GIVEN_UP_S if alone else VECTORS_S  # a command's question waits for its vector
    if embed.engine == "openai":
        from worker.adapters.openai_embedder import OpenAIEmbedder

        made = OpenAIEmbedder(
            base_url=embed.base_url or None,
            api_key=embed.api_key,
            model=embed.model,
            mask=mask_of(settings),
        )
    elif alone:
        made = OwnEmbedder(settings.process.cache_dir, fast=many)
        deadline_s = TEXTS_S  # the model has to be loaded first
    else:
        made = SharedEmbedder(embedding_socket(settings))
    called = CalledEmbedder(made, query_deadline_s=deadline_s)
    connecting = asyncio.ensure_future(_connected(made)) if isinstance(made, SharedEmbedder) else None
    try:
        yield called
    finally:
        if connecting is not None:
            connecting.cancel()
            await asyncio.gather(connecting, return_exceptions=True)
        await called.aclose()
        await made.aclose()


async def _connected(shared: SharedEmbedder) -> None:
    """Connect before the first question comes; an engine that is not there yet is found at the first text."""
    with suppress(Unavailable):
        await shared.connect()


@asynccontextmanager
async def embedding_engine(settings: Settings) -> AsyncIterator[None]:
    """Keep the engine of the local model running beside the block, or join one that runs already.

    Does nothing where another embedder is configured. The block does not wait for the engine, and what keeps
    it from running is logged: without it, words alone decide.
    """
    if settings.embed.engine != "local":
        yield
        return
    from stt.engine.engine_supervisor import EngineOptions, EngineSupervisor
    from stt.segment import EngineFailed

    supervisor = EngineSupervisor(
        embedding_socket(settings),
        EngineOptions(cache_dir=settings.process.cache_dir, workers=1, queue=64),
        command=(sys.executable, "-m", "worker.embeddings"),
    )

    async def keep() -> None:
        try:
            await supervisor.run()
        except EngineFailed as error:
            log.warning("embeddings_away", error=str(error).replace("speech engine", "embedding engine"))

    keeping = asyncio.ensure_future(keep())
    try:
        yield
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
        await supervisor.aclose()
