"""The local model's server as a process of its own: an OpenAI-compatible endpoint on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from tests.bench.local_weights import LocalModel
from worker.clock import monotonic_s
from worker.errors import InputError

_READY_S: Final = 120.0
_STOP_S: Final = 10.0
_LOOK_EVERY_S: Final = 0.02
_IDLE_S: Final = 180.0


class LocalServer:
    """A running server."""

    def __init__(self, url: str, process: asyncio.subprocess.Process) -> None:
        self.url = url
        """Ends in `/v1`."""
        self._process = process
        self._client = httpx.AsyncClient(
            base_url=url.removesuffix("/v1"),
            timeout=_IDLE_S,  # it tells between two batches
            limits=httpx.Limits(max_keepalive_connections=0),  # it hangs up on idle connections
        )

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid

    def must_live(self) -> None:
        """Raises `InputError` where it has ended by itself: what was measured since then is nothing."""
        if self._process.returncode is not None:
            raise InputError(
                f"the local model's server ended by itself ({self._process.returncode}): measure again"
            )

    async def busy(self) -> int:
        """How many requests it works on at this moment."""
        slots: list[dict[str, Any]] = (await self._client.get("/slots")).raise_for_status().json()
        return sum(bool(slot.get("is_processing")) for slot in slots)

    async def until(self, busy: int) -> float:
        """Wait until it works on so many; the seconds that took. Raises `TimeoutError`."""
        began_s = monotonic_s()
        async with asyncio.timeout(_IDLE_S):
            while await self.busy() != busy:
                await asyncio.sleep(_LOOK_EVERY_S)
        return monotonic_s() - began_s

    async def stop(self) -> None:
        """End the process; once is enough."""
        if self._process.returncode is None:
            self._process.terminate()
            try:
                async with asyncio.timeout(_STOP_S):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        await self._client.aclose()


@asynccontextmanager
async def served(model: LocalModel, *, slots: int = 1, context: int = 8192) -> AsyncIterator[LocalServer]:
    """The server, until the end of the block. Raises `InputError` where it does not start here.

    On a busy machine it gets one thread: several wait for each other actively, and so for the neighbours.
    """
    cores = os.cpu_count() or 1
    threads = 1 if os.getloadavg()[0] > cores else cores
    log_path = model.gguf.parent / "server.log"
    with log_path.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.bench.local_engine", "--model", str(model.gguf)),
            *("--name", model.name, "--slots", str(slots), "--context", str(context)),
            *("--engine", str(model.engine), "--threads", str(threads), "--parent", str(os.getpid())),
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
        )
    server: LocalServer | None = None
    try:
        server = LocalServer(await _address(process, log_path), process)
        yield server
    finally:
        if server is not None:
            await server.stop()
        elif process.returncode is None:
            process.kill()
            await process.wait()


async def _address(process: asyncio.subprocess.Process, log_path: Path) -> str:
    assert process.stdout is not None
    try:
        async with asyncio.timeout(_READY_S):
            line = await process.stdout.readline()
    except TimeoutError as error:
        raise InputError(f"the local model was not loaded in {_READY_S:.0f} s: see {log_path}") from error
    told: dict[str, str] = json.loads(line) if line.startswith(b"{") else {}
    if "url" not in told:
        raise InputError(f"the local model's server did not start: {told.get('error') or f'see {log_path}'}")
    return told["url"]
