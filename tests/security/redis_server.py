"""A real Redis, as Debian packages it (12 has 7.0); skips where there is none."""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import redis.asyncio as redis

from worker.embedded.child import Child, free_port


@asynccontextmanager
async def redis_server(directory: Path) -> AsyncIterator[str]:
    """Run a Redis that keeps nothing on a free port of loopback within the block; give its address."""
    binary = shutil.which("redis-server")
    if binary is None:
        pytest.skip("redis-server is not on this machine: apt-get install redis-server")
    port = free_port()
    options = ("--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(directory))
    child = Child(
        [binary, "--port", str(port), *options],
        log_file=directory / "redis.log",
        parent_death_signal=signal.SIGKILL,
    )
    url = f"redis://127.0.0.1:{port}/0"
    try:
        async with asyncio.timeout(15), redis.Redis.from_url(url) as client:
            while not await _answers(client):
                assert child.returncode is None, child.last_words()
                await asyncio.sleep(0.05)
        yield url
    finally:
        await child.stop(signal.SIGTERM, 10)


async def _answers(client: redis.Redis) -> bool:
    try:
        await client.ping()
    except (redis.RedisError, OSError):
        return False
    return True
