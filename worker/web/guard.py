"""How requests are counted, and how an error looks: around every handler of the API."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web

from worker.web.errors import Handler, of


def errors_as_json(on_request: Callable[[str, int], None]) -> Callable[..., object]:
    """Every outcome is an answer with a status, and counted under the pattern of its route."""

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            response = await handler(request)
        except Exception as error:  # noqa: BLE001 - each becomes an answer; what is ours is logged there
            response = of(error, request).response()
        on_request(_route(request), response.status)
        return response

    return middleware


def _route(request: web.Request) -> str:
    """The pattern, so that there are as many series as routes and not as many as meetings."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else "unknown"
