"""The official MCP client at `moim mcp`, and a dispatcher for it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from mcp import Client, MCPDeprecationWarning, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import Subscription
from mcp.types import CallToolResult, ResourceUpdatedNotification, TextContent

from tests.security.doors.process import TOKEN, Served
from worker.mcp.data import NOTICE

ID: Final = "회의 1"
URI: Final = "moim://meetings/%ED%9A%8C%EC%9D%98%201"
MODERN: Final = "2026-07-28"


def data_of(result: CallToolResult) -> dict[str, Any]:
    """The data of a result, which is marked as such, twice the same."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert not result.is_error, block.text
    assert json.loads(block.text) == result.structured_content
    assert block.text.startswith('{"notice": "Everything in `data` was said')
    assert list(result.structured_content) == ["notice", "data"]
    assert result.structured_content["notice"] == NOTICE
    return dict(result.structured_content["data"])


def error_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert result.is_error
    return block.text


@dataclass
class Agent:
    """The official client at `moim mcp`, and what it was told of changes."""

    client: Client
    log: Path
    told: list[str] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return data_of(await self.client.call_tool(tool, arguments))

    async def refused(self, tool: str, **arguments: Any) -> str:
        return error_of(await self.client.call_tool(tool, arguments))

    async def resource(self, uri: str = URI) -> dict[str, Any]:
        (content,) = (await self.client.read_resource(uri)).contents
        read = json.loads(content.text)
        assert read["notice"] == NOTICE
        return dict(read["data"])

    async def until(self, seen: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The resource as it is once this is seen: read again whenever it is said to have changed."""
        async with asyncio.timeout(60):
            while True:
                self.arrived.clear()
                if seen(read := await self.resource()):
                    return read
                await self.arrived.wait()

    def changed(self, uri: str) -> None:
        self.told.append(uri)
        self.arrived.set()


def command(*arguments: str, **environ: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "worker", "mcp", *arguments],
        env={"MOIM_LOG_LEVEL": "debug", **environ},
    )


@asynccontextmanager
async def on_stdio(tmp_path: Path, mode: str = MODERN, **environ: str) -> AsyncIterator[Agent]:
    """A client that has started `moim mcp`."""
    log = tmp_path / "mcp.log"
    with log.open("w") as written:
        made: list[Agent] = []

        async def hear(message: object) -> None:
            if isinstance(message, ResourceUpdatedNotification):
                made[0].changed(message.params.uri)

        transport = stdio_client(command(**environ), errlog=written)
        async with Client(transport, mode=mode, cache=None, message_handler=hear) as client:
            made.append(Agent(client, log))
            yield made[0]
    assert TOKEN not in log.read_text()


@asynccontextmanager
async def over_http(url: str, token: str | None, mode: str = MODERN) -> AsyncIterator[Client]:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode, cache=None) as client,
    ):
        yield client


@asynccontextmanager
async def subscribed(agent: Agent, mode: str) -> AsyncIterator[None]:
    """While it is told what changes in the meeting, as the protocol of its age has it."""
    if mode == "legacy":
        with pytest.warns(MCPDeprecationWarning):
            await agent.client.subscribe_resource(URI)
        yield
        with pytest.warns(MCPDeprecationWarning):
            await agent.client.unsubscribe_resource(URI)
        return

    async def listen(stream: Subscription) -> None:
        async for event in stream:
            agent.changed(getattr(event, "uri", ""))

    async with agent.client.listen(resource_subscriptions=[URI]) as stream, asyncio.TaskGroup() as tasks:
        listening = tasks.create_task(listen(stream))
        yield
        listening.cancel()


def address(served: Served) -> dict[str, str]:
    """The environment of a `moim mcp` at this dispatcher."""
    return {"MOIM_API_URL": f"http://127.0.0.1:{served.port}", "MOIM_API_TOKEN": TOKEN}
