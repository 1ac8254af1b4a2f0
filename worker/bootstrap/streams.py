"""Opens Redis: a meeting's streams, and the stream by which programs want meetings."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from worker.adapters.redis_bus import RedisBus
from worker.adapters.redis_dispatches import RedisDispatches
from worker.adapters.redis_streams import StreamNames
from worker.configuration.settings import Settings
from worker.monitoring.metrics import process_metrics


@asynccontextmanager
async def bus(settings: Settings) -> AsyncIterator[RedisBus]:
    """Open the streams of the tenant's meetings. Raises `ConfigError` without REDIS_URL."""
    settings.require("REDIS_URL")
    redis = RedisBus(
        settings.redis.url.get_secret_value(),
        names=stream_names(settings),
        token=settings.api.token.get_secret_value(),
        # Metrics are made when they are needed: the fork server opens a bus, and counts nothing.
        on_refused=lambda kind: process_metrics().command_refused(kind),
    )
    try:
        yield redis
    finally:
        await redis.aclose()


@asynccontextmanager
async def bus_if_any(settings: Settings) -> AsyncIterator[RedisBus | None]:
    """Open the streams of the tenant's meetings; None without REDIS_URL."""
    if not settings.redis.url.get_secret_value():
        yield None
        return
    async with bus(settings) as opened:
        yield opened


@asynccontextmanager
async def dispatches(settings: Settings) -> AsyncIterator[RedisDispatches | None]:
    """Open `moim:{tenant}:dispatch`, by which programs want meetings; None without REDIS_URL."""
    if not settings.redis.url.get_secret_value():
        yield None
        return
    stream = RedisDispatches(
        settings.redis.url.get_secret_value(),
        names=stream_names(settings),
        name=f"{socket.gethostname()}-{os.getpid()}",
        token=settings.api.token.get_secret_value(),
        on_refused=process_metrics().command_refused,
    )
    try:
        yield stream
    finally:
        await stream.aclose()


def stream_names(settings: Settings) -> StreamNames:
    """Give the names of the tenant's keys in Redis."""
    return StreamNames(settings.process.tenant)
