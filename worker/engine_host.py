"""The machine's shared speech engine, as a process that needs it sees to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from worker.bootstrap import engine_socket
from worker.settings import ConfigError, Settings


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
