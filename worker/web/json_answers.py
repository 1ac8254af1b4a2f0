"""Answers in JSON, and errors among them, as one line: `{"error": {"field", "value", "mend"}}`.

`field` names what the request got wrong (a field of the body, a parameter, a header), `value` what stood
there, cut short and never a secret, `mend` what to do. A fault of ours names neither and says so.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import structlog
from aiohttp import web

from context.ports import Refused, Unavailable
from worker.configuration.setting_values import hide_password

log = structlog.get_logger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

RETRY_SOON: Final = {"Retry-After": "2"}
_VALUE_CHARS: Final = 80
_EXACT_IN_JSON: Final = 2**53
"""Whole numbers up to this one are read exactly by every reader of JSON."""


class ApiError(Exception):
    """A request is not carried out. Handlers raise it; `errors_as_json` answers with its `response`."""

    def __init__(
        self,
        status: int,
        mend: str,
        *,
        field: str | None = None,
        value: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(mend)
        self.status, self.headers = status, dict(headers or {})
        self.body = {"error": {"field": quotable(field), "value": quotable(value), "mend": mend}}
        """The error as JSON."""

    def response(self) -> web.Response:
        """Make the answer to the request."""
        return json_response(self.body, status=self.status, headers=self.headers)


def json_response(
    shape: Mapping[str, Any], *, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    """Make an answer of JSON, with Korean letters as they are. NaN and infinity raise `ValueError`."""
    return web.Response(
        text=json.dumps(shape, ensure_ascii=False, allow_nan=False) + "\n",
        status=status,
        content_type="application/json",
        headers=headers,
    )


def quotable(value: object) -> str | int | float | bool | None:
    """Give a value as an error may quote it: at most 80 characters of one line; numbers as they are."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float) and abs(value) <= _EXACT_IN_JSON:  # others, NaN among them, as text
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = "".join(c if c.isprintable() else "\ufffd" for c in text)
    return text if len(text) <= _VALUE_CHARS else text[: _VALUE_CHARS - 1] + "…"


def out_of_reach(why: str) -> ApiError:
    """Make the error for a part that cannot be reached (503); a password in `why` is hidden."""
    return ApiError(503, f"{hide_password(why)}: try again", headers=RETRY_SOON)


def as_api_error(error: Exception, path: str = "") -> ApiError:
    """Give what the sender is told of an exception; what the sender cannot mend goes to the log instead."""
    match error:
        case ApiError():
            return error
        case web.HTTPRequestEntityTooLarge():
            return ApiError(413, "the body is too large: send less", field="body")
        case web.HTTPRequestTimeout():
            return ApiError(408, error.reason, field="body")
        case web.HTTPMethodNotAllowed():
            allowed = ", ".join(sorted(error.allowed_methods))
            headers = {"Allow": allowed}
            return ApiError(405, f"use {allowed}", field="method", value=error.method, headers=headers)
        case web.HTTPNotFound():
            return ApiError(404, "no such address: GET /v1/openapi.json lists them", field="path", value=path)
        case web.HTTPException():
            return ApiError(error.status, error.reason)
        case Unavailable():
            return out_of_reach(str(error))
        case Refused():  # a password, a schema: nothing that the asker could mend
            log.warning("api_part_refused", path=path, error=str(error))
            return ApiError(
                503, "a part of Moim is wrongly set up: see the dispatcher's log, or `moim check`"
            )
    log.error("api_failed", path=path, exc_info=error)
    return ApiError(500, "something went wrong here: the dispatcher's log has it")


async def keep_private(_request: web.Request, response: web.StreamResponse) -> None:
    """Forbid that an answer is stored, or taken for another type; a signal of aiohttp calls it."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"


def errors_as_json(on_request: Callable[[str, int], None]) -> Any:
    """Make the middleware that turns each exception into an answer, and counts all answers.

    `on_request` gets the pattern of the route and the status: a metric by paths would grow with the meetings.
    """

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            response = await handler(request)
        except Exception as error:  # noqa: BLE001 - each becomes an answer; what is ours is logged there
            response = as_api_error(error, request.path).response()
        resource = request.match_info.route.resource
        on_request(resource.canonical if resource is not None else "unknown", response.status)
        return response

    return middleware
