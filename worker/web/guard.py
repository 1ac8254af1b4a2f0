"""Who may ask, how it is counted, and how an error looks: around every handler of the API."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Final

from aiohttp import web

from worker.web.errors import ApiError, Handler, of

_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="moim"'}


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


def with_bearer(token: str, on_refused: Callable[[str], None]) -> Callable[..., object]:
    """`Authorization: Bearer TOKEN`, or 401. How long the comparison takes tells nothing of the token."""
    wanted = token.encode("utf-8", "surrogatepass")

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        # aiohttp reads headers as UTF-8 with surrogates for what is not.
        offered = given.strip().encode("utf-8", "surrogateescape")
        if not (hmac.compare_digest(offered, wanted) and scheme.lower() == "bearer"):
            on_refused("http")
            raise ApiError(
                401,
                "send `Authorization: Bearer …` with the dispatcher's MOIM_API_TOKEN",
                field="Authorization",
                headers=_CHALLENGE,
            )
        return await handler(request)

    return middleware


def _route(request: web.Request) -> str:
    """The pattern, so that there are as many series as routes and not as many as meetings."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else "unknown"
