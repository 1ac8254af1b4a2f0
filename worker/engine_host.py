"""The machine's shared speech engine, as a process that needs it sees to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from worker.bootstrap import engine_socket
from worker.settings import Settings


@asynccontextmanager
async def local_engine(settings: Settings) -> AsyncIterator[None]:
    """Start it, or join the one that listens already; ours ends with the block."""
    from stt.engine.supervisor import EngineOptions, EngineSupervisor

    supervisor = EngineSupervisor(
        engine_socket(settings),
        EngineOptions(model=settings.stt.model or "auto", cache_dir=settings.process.cache_dir),
    )
    await supervisor.start()
    try:
        yield
    finally:
        await supervisor.aclose()
