"""Who has subscribed to a meeting is told whenever its record changes: words come, are put right, are erased.

A follower reads the meeting's events by the API, with the token of whoever subscribed. If the stream breaks
off (the dispatcher is started again), it goes on behind the last event that it has seen. The words themselves
are not sent: whoever is told reads the resource again, with the rights that they have then.

Clients of 2026-07-28 subscribe by `subscriptions/listen`, whose answer is the stream. Older ones send
`resources/subscribe`, and are told beside their requests: that needs a connection that stays (stdio).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import anyio
import structlog
from anyio.abc import TaskGroup
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.types import SubscriptionsListenRequestParams, SubscriptionsListenResult

from worker.mcp.api_client import ApiClient, Fault
from worker.mcp.resources import meeting_of

log = structlog.get_logger(__name__)

MAX_SUBSCRIPTIONS: Final = 20
"""How many meetings one client may have subscribed to: each is a stream of the dispatcher's."""
_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 15.0


class Follower:
    """Follows one meeting's record."""

    def __init__(self, api: ApiClient, uri: str) -> None:
        """Follow the meeting that the URI names. Raises `MCPError` where it names none."""
        self.uri = uri
        self._api, self._meeting_id = api, meeting_of(uri)
        self._after = 0

    async def begin(self) -> None:
        """Find out where the record stands: `run` tells of all that comes behind. Raises `Fault`."""
        async with self._api.watching(self._meeting_id, None) as numbers:
            self._after = await anext(numbers, 0)

    async def run(self, changed: Callable[[str], Awaitable[None]]) -> None:
        """Call `changed` with the URI at each change, until the meeting may not be seen any more."""
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                async with self._api.watching(self._meeting_id, self._after) as numbers:
                    async for number in numbers:
                        self._after, pause_s = number, _FIRST_PAUSE_S
                        await changed(self.uri)
            except Fault as fault:
                if fault.lasting:  # whoever reads it now is told why
                    await changed(self.uri)
                    return
                log.info("meeting_followed_later", meeting_id=self._meeting_id)
            await anyio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)


async def _begun(api: ApiClient, uris: Sequence[str]) -> list[Follower]:
    if len(uris) > MAX_SUBSCRIPTIONS:
        raise Fault(f"subscribe to {MAX_SUBSCRIPTIONS} meetings at most, not to {len(uris)}")
    followers = [Follower(api, uri) for uri in dict.fromkeys(uris)]
    if not followers:  # a stream of nothing is for those alone whom the API knows
        await api.read("/v1/session")
    for follower in followers:
        await follower.begin()
    return followers


async def listen(
    context: ServerRequestContext[Any, Any], api: ApiClient, params: SubscriptionsListenRequestParams
) -> SubscriptionsListenResult:
    """Serve one `subscriptions/listen`, until the client leaves or may see none of its meetings any more.

    Raises `Fault` before it is acknowledged, where one of the meetings may not be seen.
    """
    followers = await _begun(api, params.notifications.resource_subscriptions or ())
    bus = InMemorySubscriptionBus()  # of this client alone: another one's token is another one's right
    handler = ListenHandler(bus)

    async def changed(uri: str) -> None:
        await bus.publish(ResourceUpdated(uri=uri))

    async def follow_all() -> None:
        async with anyio.create_task_group() as each:
            for follower in followers:
                each.start_soon(follower.run, changed)
        handler.close()

    async with anyio.create_task_group() as tasks:
        if followers:
            tasks.start_soon(follow_all)
        try:
            return await handler(context, params)
        finally:
            tasks.cancel_scope.cancel()
    raise AssertionError


class Subscriptions:
    """The `resources/subscribe` of one connection."""

    def __init__(self, tasks: TaskGroup) -> None:
        """Follow meetings in `tasks`, which the connection ends."""
        self._tasks = tasks
        self._scopes: dict[str, anyio.CancelScope] = {}

    async def add(self, api: ApiClient, uri: str, changed: Callable[[str], Awaitable[None]]) -> None:
        """Call `changed` at each change of a meeting from now on; once, however often it is added.

        Raises `Fault` where it may not be seen.
        """
        if uri in self._scopes:
            return
        if len(self._scopes) >= MAX_SUBSCRIPTIONS:
            raise Fault(f"subscribe to {MAX_SUBSCRIPTIONS} meetings at most")
        (follower,) = await _begun(api, (uri,))
        if uri in self._scopes:  # it was added meanwhile
            return
        scope = self._scopes[uri] = anyio.CancelScope()
        self._tasks.start_soon(self._follow, follower, scope, changed)

    def remove(self, uri: str) -> None:
        """Call nothing any more at changes of this meeting."""
        if (scope := self._scopes.pop(uri, None)) is not None:
            scope.cancel()

    async def _follow(
        self, follower: Follower, scope: anyio.CancelScope, changed: Callable[[str], Awaitable[None]]
    ) -> None:
        with scope:
            await follower.run(changed)
        if self._scopes.get(follower.uri) is scope:
            del self._scopes[follower.uri]
