"""Who did what over HTTP goes into the audit log; `GET /v1/audit` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import structlog
from aiohttp import web
from pydantic import AwareDatetime, Field

from context.ports import PortError
from worker.audit import Audit, Deed
from worker.web.backends import api_of
from worker.web.bodies import Asker, MeetingId, Query, read_query
from worker.web.errors import ApiError, Handler, answered
from worker.web.viewers import VIEWER, viewer_of

log = structlog.get_logger(__name__)

_LASTING: Final = "/meetings/{meeting_id}/events"
"""Goes on for as long as somebody watches."""


class ReadAudit(Query):
    """Which rows, of a query string."""

    meeting_id: MeetingId | None = Field(None, description="of this meeting")
    who: Asker | None = Field(None, description="of this person, program or link")
    since: AwareDatetime | None = Field(None, description="from this moment on")
    limit: int = Field(100, ge=1, le=1000, description="how many, the newest first")


async def read(request: web.Request) -> web.Response:
    """List the entries, the newest first."""
    if not viewer_of(request).program:
        raise ApiError(403, "the audit log is for programs with the API's token")
    rows = await api_of(request).audit.newest(**read_query(request, ReadAudit).model_dump())
    return answered({"entries": [row.model_dump(mode="json") for row in rows]})


def audited(audit: Audit, actions: Mapping[tuple[str, str], str]) -> Any:
    """A middleware that notes what was done, behind the answer; a log that is away keeps nobody waiting.

    `actions`: what each method and route is called in the log; others are not noted. That somebody watches is
    noted as they begin: it may end by a process's death.
    """

    async def note(request: web.Request, action: str) -> None:
        about = {
            "meeting_id": request.match_info.get("meeting_id"),
            "subject": request.match_info.get("person"),
        }
        viewer = request.get(VIEWER)
        try:
            await audit.note(
                Deed(who=viewer.known_as if viewer else "nobody", how="http", action=action, **about)
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
