"""The API as one aiohttp application, to be mounted at `/v1`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from aiohttp import web

from worker.web import openapi
from worker.web.auditing import audited
from worker.web.backends import API, Api, ApiParts
from worker.web.bodies import MAX_BODY
from worker.web.errors import ApiError, errors_as_json
from worker.web.meetings import answered
from worker.web.operations import OPERATIONS
from worker.web.viewers import SIGN_IN, LinkStanding, Sessions, authenticated, limited

API_PREFIX: Final = "/v1"


def api(
    parts: ApiParts,
    sessions: Sessions,
    *,
    on_request: Callable[[str, int], None] = lambda _route, _status: None,
    on_refused: Callable[[str], None] = lambda _via: None,
) -> web.Application:
    """`sessions`: who may. `on_request`: told the route's pattern and the status of each."""
    standing = LinkStanding(parts.links)
    actions = {
        (each.method.upper(), each.path.removeprefix(API_PREFIX)): each.audit
        for each in OPERATIONS
        if each.audit
    }
    # aiohttp's own type is narrower than what it takes.
    around: Any = (
        errors_as_json(on_request),
        authenticated(sessions, standing, on_refused),
        limited(),
        audited(parts.audit, actions),
    )
    app = web.Application(middlewares=around, client_max_size=MAX_BODY)
    app[API] = Api(parts, sessions, standing)
    app.on_shutdown.append(_let_go)
    for each in OPERATIONS:
        if each.joins and not parts.join_url:
            continue
        add = getattr(app.router, f"add_{each.method}")
        add(each.path.removeprefix(API_PREFIX), each.handler, name=SIGN_IN if each.public else None)
    described = openapi.document()

    async def show(_: web.Request) -> web.Response:
        return answered(described)

    app.router.add_get("/openapi.json", show)
    return app


async def _let_go(app: web.Application) -> None:
    app[API].stopping = True


def no_api() -> web.Application:
    """What stands at `/v1` where no token is set: nobody can be told apart, so nobody is served."""

    async def refuse(_: web.Request) -> web.Response:
        return ApiError(
            404, "the API is off: set MOIM_API_TOKEN at the dispatcher", field="MOIM_API_TOKEN"
        ).response()

    app = web.Application()
    app.router.add_route("*", "/{any:.*}", refuse)
    return app
