"""The MCP server: which request is answered by what, and errors as their sender is told them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final, TypeVar

import aiohttp
import anyio
import structlog
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    EmptyResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    TextContent,
    UnsubscribeRequestParams,
)

from worker.mcp import resources, subscriptions
from worker.mcp.api_client import ApiClient, Fault
from worker.mcp.data import NOTICE, marked, written
from worker.mcp.tools import TOOLS

log = structlog.get_logger(__name__)

INSTRUCTIONS: Final = (
    "Moim keeps the record of meetings: who said what, topics, decisions, tasks. These tools read it and ask"
    f" about it; none of them changes anything. Each result is JSON with `notice` and `data`. {NOTICE}"
    " Name the lines that an answer rests on by their numbers (`line`, `evidence`)."
)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Connected:
    """The connections that a server keeps while it runs."""

    session: aiohttp.ClientSession
    subscribed: subscriptions.Subscriptions


Context = ServerRequestContext[Connected, Any]


class MeetingServer:
    """Answers MCP requests by the API of one dispatcher."""

    def __init__(self, url: str, token: Callable[[Context], str], *, stays: bool) -> None:
        """`url` is the dispatcher's; `token` gives the token of a request's sender, or raises `Fault`.

        `stays`: each client has the connection to itself, as long as it is there (stdio).
        """
        self._url, self._token = url, token
        self.server: Server[Connected] = Server(
            "moim",
            title="Moim",
            version=version("moim"),
            instructions=INSTRUCTIONS,
            lifespan=self._running,
            get_tool_input_schema=lambda name: (
                TOOLS[name].described().input_schema if name in TOOLS else None
            ),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscriptions_listen=self._listen,
            on_subscribe_resource=self._subscribe if stays else None,
            on_unsubscribe_resource=self._unsubscribe if stays else None,
        )
        """The SDK's server, for a transport to run."""

    @asynccontextmanager
    async def _running(self, _server: Server[Connected]) -> AsyncIterator[Connected]:
        async with (
            aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
            anyio.create_task_group() as tasks,
        ):
            yield Connected(session, subscriptions.Subscriptions(tasks))
            tasks.cancel_scope.cancel()

    def _api(self, context: Context) -> ApiClient:
        return ApiClient(context.lifespan_context.session, self._url, self._token(context))

    async def _list_tools(self, _context: Context, _page: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[tool.described() for tool in TOOLS.values()])

    async def _call_tool(self, context: Context, call: CallToolRequestParams) -> CallToolResult:
        if (tool := TOOLS.get(call.name)) is None:
            raise MCPError(INVALID_PARAMS, f"there is no such tool: {', '.join(TOOLS)}")
        try:
            result = marked(await tool.run(self._api(context), tool.arguments(call.arguments or {})))
        except Fault as fault:  # in the result, so that a model reads it and mends its call
            return CallToolResult(content=[TextContent(text=str(fault))], is_error=True)
        return CallToolResult(content=[TextContent(text=written(result))], structured_content=result)

    async def _list_resources(
        self, context: Context, page: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return await _told(resources.live_ones(self._api(context), page.cursor if page is not None else None))

    async def _list_templates(
        self, _context: Context, _page: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=[resources.TEMPLATE])

    async def _read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        return await _told(resources.read(self._api(context), params.uri))

    async def _listen(
        self, context: Context, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        return await _told(subscriptions.listen(context, self._api(context), params))

    async def _subscribe(self, context: Context, params: SubscribeRequestParams) -> EmptyResult:
        subscribed, changed = context.lifespan_context.subscribed, context.session.send_resource_updated
        await _told(subscribed.add(self._api(context), params.uri, changed))
        return EmptyResult()

    async def _unsubscribe(self, context: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        context.lifespan_context.subscribed.remove(params.uri)
        return EmptyResult()


async def _told(work: Awaitable[Result]) -> Result:
    """Await work whose faults become errors of the protocol."""
    try:
        return await work
    except Fault as fault:
        raise MCPError(INVALID_PARAMS if fault.lasting else INTERNAL_ERROR, str(fault)) from fault
