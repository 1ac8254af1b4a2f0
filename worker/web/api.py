"""The API as one aiohttp application, to be mounted at `/v1`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from aiohttp import web

from worker.web import openapi
from worker.web.auditing import audited
from worker.web.backends import API, Api
from worker.web.bodies import MAX_BODY_BYTES, body_bytes, read_body, read_query
from worker.web.json_answers import ApiError, Handler, errors_as_json, json_response, keep_private
from worker.web.local_socket import operators
from worker.web.meetings import meeting_of
from worker.web.operations import OPERATIONS, Operation
from worker.web.viewer_quotas import limited
from worker.web.viewers import SIGN_IN, actor_of, authenticated, viewer_of

API_PREFIX: Final = "/v1"


def api(
    parts: Api,
    *,
    on_request: Callable[[str, int], None] = lambda _route, _status: None,
    on_refused: Callable[[str], None] = lambda _via: None,
) -> web.Application:
    """Make the application, with a route for each of `OPERATIONS` and `GET /openapi.json`.

    `on_request` is called with the route's pattern and the status of each answer, `on_refused` with `http`
    for each request that shows no right to be here.
    """
    known = authenticated(parts.sessions, parts.session_validity.of, parts.token_throttle.slow, on_refused)
    app = _application(parts, OPERATIONS, known, on_request)
    described = openapi.document()

    async def show(_: web.Request) -> web.Response:
        return json_response(described)

    app.router.add_get("/openapi.json", show)
    return app


def api_for_commands(
    parts: Api, *, on_request: Callable[[str, int], None] = lambda _route, _status: None
) -> web.Application:
    """Make the application for the commands of this machine: what they use of `api`, for operators."""
    return _application(
        parts, [operation for operation in OPERATIONS if operation.by_commands], operators, on_request
    )


def _application(
    parts: Api, operations: Iterable[Operation], known: Any, on_request: Callable[[str, int], None]
) -> web.Application:
    """Make an application with these routes; the middleware `known` finds out who sends a request."""
    middlewares = (errors_as_json(on_request), known, limited(parts.quotas))
    app = web.Application(middlewares=middlewares, client_max_size=MAX_BODY_BYTES)
    app.on_response_prepare.append(keep_private)
    app[API] = parts
    app.on_shutdown.append(_begin_stopping)
    for operation in operations:
        handler = operation.handler if operation.public else _guarded(operation)
        add = getattr(app.router, f"add_{operation.method}")  # a GET answers HEAD as well
        add(operation.path.removeprefix(API_PREFIX), handler, name=SIGN_IN if operation.public else None)
    return app


def _guarded(operation: Operation) -> Handler:
    """Wrap the operation's handler: who has no right gets 403, and nothing is done before its audit row.

    No row is written for a request that is wrong, or about a meeting that the viewer does not see.
    """

    async def handler(request: web.Request) -> web.StreamResponse:
        viewer_of(request).demand(operation.right)
        if operation.administrator:
            demand_administrator(request)
        if not operation.audit:
            return await operation.handler(request)
        if operation.body is not None:
            await body_bytes(request)
        if "{meeting_id}" in operation.path:
            await meeting_of(request)
        if operation.query is not None:
            read_query(request, operation.query)
        if operation.body is not None:
            await read_body(request, operation.body)
        return await audited(request, operation.audit, operation.handler)

    return handler


def demand_administrator(request: web.Request) -> None:
    """Raise `ApiError` (403) for whoever is no administrator."""
    if not actor_of(request).administrator:
        mend = "this is for administrators: the API's token, and whoever MOIM_ADMINS names"
        raise ApiError(403, mend)


async def _begin_stopping(app: web.Application) -> None:
    app[API].stopping = True


def no_api() -> web.Application:
    """Make what is mounted at `/v1` where no token is set: nobody can be told apart, so all get 404."""

    async def refuse(_: web.Request) -> web.Response:
        mend = "the API is off: set MOIM_API_TOKEN at the dispatcher"
        return ApiError(404, mend, field="MOIM_API_TOKEN").response()

    app = web.Application()
    app.on_response_prepare.append(keep_private)
    app.router.add_route("*", "/{any:.*}", refuse)
    return app
