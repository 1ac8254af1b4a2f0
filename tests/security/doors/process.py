"""A dispatcher as it is run: a process of its own, with an API, a door for probes, a Postgres and a log."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiohttp

from tests.conftest import migrated_postgres, open_directory
from worker.embedded.child import free_port

TOKEN: Final = "a-token-of-the-doors-and-long"
KEY: Final = "key"
SECRET: Final = "a-secret-that-is-long-enough-for-livekit"


@dataclass(frozen=True, slots=True)
class Served:
    """Where it is, and what else there is to know of it."""

    port: int
    probe_port: int
    log: Path
    pid: int
    environ: dict[str, str]
    """With which another command works on the same record."""


@asynccontextmanager
async def dispatcher(**more: str) -> AsyncIterator[Served]:
    """A dispatcher that answers, with a Postgres of its own. `more`: settings."""
    with open_directory() as directory:
        async with (
            migrated_postgres(directory) as postgres,
            running(directory, postgres.url, **more) as served,
        ):
            yield served


@asynccontextmanager
async def running(directory: Path, database_url: str, **more: str) -> AsyncIterator[Served]:
    """A dispatcher on this database that answers. No LiveKit is there: nothing here needs a room."""
    port, probe_port, log = free_port(), free_port(), directory / "dispatcher.log"
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith("MOIM_")},
        "MOIM_CACHE_DIR": os.environ.get("MOIM_CACHE_DIR", ".cache"),
        "DATABASE_URL": database_url,
        "LIVEKIT_URL": "ws://127.0.0.1:9",
        "LIVEKIT_API_KEY": KEY,
        "LIVEKIT_API_SECRET": SECRET,
        "MOIM_API_TOKEN": TOKEN,
        "MOIM_HTTP_PORT": str(port),
        "MOIM_PROBE_PORT": str(probe_port),
        "MOIM_HTTP_HOST": "127.0.0.1",
        "MOIM_STATE_DIR": str(directory / "state"),
        **more,
    }
    with log.open("wb") as written:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "worker", "dispatcher", env=environ, stderr=written
        )
    try:
        await _answers(int(environ["MOIM_HTTP_PORT"]))
        yield Served(int(environ["MOIM_HTTP_PORT"]), probe_port, log, process.pid, environ)
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await asyncio.wait_for(process.wait(), 30)


@asynccontextmanager
async def mcp_over_http(served: Served) -> AsyncIterator[tuple[str, Path]]:
    """`moim mcp --http` at this dispatcher, whose token it has in its environment: its URL and its log."""
    log = served.log.with_name("mcp.log")
    with log.open("wb") as written:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "worker", "mcp", "--http", "0"),
            env={**served.environ, "MOIM_API_URL": f"http://127.0.0.1:{served.port}"},
            stdout=asyncio.subprocess.PIPE,
            stderr=written,
        )
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip(), log
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        assert await asyncio.wait_for(process.wait(), 30) == 0


async def _answers(port: int, within_s: float = 60.0) -> None:
    end_s = time.monotonic() + within_s
    async with aiohttp.ClientSession() as client:
        while time.monotonic() < end_s:
            with suppress(aiohttp.ClientError, OSError):
                async with client.get(f"http://127.0.0.1:{port}/healthz") as answer:
                    if answer.status == 200:
                        return
            await asyncio.sleep(0.2)
    raise AssertionError("the dispatcher does not answer")
