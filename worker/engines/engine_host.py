"""The machine's shared engines, for speech and for embeddings, as a process that needs them sees to them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import structlog

from worker.configuration.settings import ConfigError, Settings
from worker.engines.embedders import embedding_socket
from worker.engines.speech_engines import engine_socket

if TYPE_CHECKING:
    from stt.engine.supervisor import EngineSupervisor

log = structlog.get_logger(__name__)


@asynccontextmanager
async def local_engine(settings: Settings) -> AsyncIterator[None]:
    """Start it, or join the one that listens already; ours ends with the block.

    Raises `ConfigError` where the engine cannot be started with these settings.
    """
    from stt.engine.supervisor import EngineMisconfigured, EngineOptions, EngineSupervisor

    supervisor = EngineSupervisor(
        engine_socket(settings),
        EngineOptions(model=settings.stt.model or "auto", cache_dir=settings.process.cache_dir),
    )
    try:
        try:
            await supervisor.start()
        except EngineMisconfigured as error:
            raise ConfigError(str(error)) from error
        yield
    finally:
        await supervisor.aclose()


@asynccontextmanager
async def embedding_engine(settings: Settings) -> AsyncIterator[None]:
    """Where the local model is configured: keep its engine running beside the block, or join another's.

    Nobody waits for it, and what keeps it from running is logged: without it, words alone decide.
    """
    if settings.embed.engine != "local":
        yield
        return
    from stt.engine.supervisor import EngineOptions, EngineSupervisor

    supervisor = EngineSupervisor(
        embedding_socket(settings),
        EngineOptions(cache_dir=settings.process.cache_dir, workers=1, queue=64),
        command=(sys.executable, "-m", "worker.embeddings"),
    )
    keeping = asyncio.ensure_future(_keep(supervisor))
    try:
        yield
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
        await supervisor.aclose()


async def _keep(supervisor: EngineSupervisor) -> None:
    from stt.segment import EngineFailed

    try:
        await supervisor.run()
    except EngineFailed as error:
        log.warning("embeddings_away", error=str(error).replace("speech engine", "embedding engine"))
