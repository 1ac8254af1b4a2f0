"""A real Prometheus, for as long as a `with` block, and what it answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from worker.embedded.child import free_port

_DEADLINE_S = 90.0


class Prometheus:
    """Its HTTP API."""

    def __init__(self, client: aiohttp.ClientSession, base: str) -> None:
        self._client, self._base = client, base

    async def asked(self, path: str, good: Callable[[Any], bool], **parameters: str) -> Any:
        """The data under `/api/v1/PATH`, as soon as it is good."""
        seen: Any = None
        try:
            async with asyncio.timeout(_DEADLINE_S):
                while True:
                    try:
                        async with self._client.get(
                            f"{self._base}/api/v1/{path}", params=parameters
                        ) as response:
                            seen = (await response.json())["data"]
                    except (aiohttp.ClientError, KeyError):
                        seen = None
                    if seen is not None and good(seen):
                        return seen
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise AssertionError(f"{path} {parameters}: {seen}") from None

    async def value(self, query: str, wanted: str | None = None) -> str:
        """The one value of a query, waited for until it is there and, where one is wanted, is that."""

        def good(data: Any) -> bool:
            found = data["result"]
            return bool(found) and wanted in {None, found[0]["value"][1]}

        data = await self.asked("query", good, query=query)
        return str(data["result"][0]["value"][1])


@asynccontextmanager
async def prometheus(folder: Path, config: dict[str, Any]) -> AsyncIterator[Prometheus]:
    """Run one on this configuration; its data lies in `folder`."""
    port = free_port()
    (folder / "prometheus.yml").write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
    server = await asyncio.create_subprocess_exec(
        "prometheus",
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with aiohttp.ClientSession() as client:
            yield Prometheus(client, f"http://127.0.0.1:{port}")
    finally:
        server.terminate()
        await server.wait()
