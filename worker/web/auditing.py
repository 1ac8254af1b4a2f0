"""Writing into the audit log who did what over HTTP, and reading it: `GET /v1/audit`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import structlog
from aiohttp import web
from pydantic import AwareDatetime, Field

from context.ports import PortError
from worker.audit import Audit, Deed
from worker.web.backends import api_of
from worker.web.bodies import MeetingId, PersonId, QueryString, read_query
from worker.web.errors import ApiError, Handler, json_response
from worker.web.viewers import VIEWER, viewer_of

log = structlog.get_logger(__name__)

_LASTING: Final = "/meetings/{meeting_id}/events"
"""The one route whose answer goes on for as long as somebody watches."""


class ReadAudit(QueryString):
    """The query string of `GET /v1/audit`: which entries are wanted."""

    meeting_id: MeetingId | None = Field(None, description="of this meeting")
    who: PersonId | None = Field(None, description="of this person, program or link")
    since: AwareDatetime | None = Field(None, description="from this moment on")
    limit: int = Field(100, ge=1, le=1000, description="how many, the newest first")


async def read(request: web.Request) -> web.Response:
    """Handle `GET /v1/audit`: list the entries, the newest first. Only programs may (403)."""
    if not viewer_of(request).program:
        raise ApiError(403, "the audit log is for programs with the API's token")
    rows = await api_of(request).audit.newest(**read_query(request, ReadAudit).model_dump())
    return json_response({"entries": [row.model_dump(mode="json") for row in rows]})


def audited(audit: Audit, actions: Mapping[tuple[str, str], str]) -> Any:
    """Make the middleware that notes requests in the audit log, after they have succeeded.

    `actions` has the names of what is noted by (method, path below `/v1`). Watching a meeting is noted as it
    begins, because it may end with the process. Where the log cannot be reached the request is answered all
    the same, and a warning is logged.
    """

    async def note(request: web.Request, action: str) -> None:
        about = {
            "meeting_id": request.match_info.get("meeting_id"),
            "subject": request.match_info.get("person"),
        }
        viewer = request.get(VIEWER)
        try:
            await audit.note(
                Deed(who=viewer.actor().known_as if viewer else "nobody", how="http", action=action, **about)
            )
        except PortError as error:
            log.warning("audit_not_written", action=action, error=str(error))

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        resource = request.match_info.route.resource
        route = resource.canonical.removeprefix("/v1") if resource else ""
        action = actions.get((request.method, route))
        if action is not None and route == _LASTING:
            await note(request, action)
            return await handler(request)
        response = await handler(request)
        if action is not None and response.status < 400:
            await note(request, action)
        return response

    return middleware
