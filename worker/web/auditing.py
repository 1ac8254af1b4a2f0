"""Who did what over HTTP goes into the audit log; `GET /v1/audit` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import structlog
from aiohttp import web
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from context.ports import PortError
from worker.audit import Audit, Deed
from worker.web.backends import api_of
from worker.web.bodies import Asker, MeetingId, read_query
from worker.web.errors import ApiError, Handler
from worker.web.meetings import answered
from worker.web.viewers import VIEWER, viewer_of

log = structlog.get_logger(__name__)

_LASTING: Final = "/meetings/{meeting_id}/events"
"""Goes on for as long as somebody watches."""


class ReadAudit(BaseModel):
    """Which rows, of a query string."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    meeting_id: MeetingId | None = Field(None, description="of this meeting")
    who: Asker | None = Field(None, description="of this person, program or link")
    since: AwareDatetime | None = Field(None, description="from this moment on")
    limit: int = Field(100, ge=1, le=1000, description="how many, the newest first")


async def read(request: web.Request) -> web.Response:
    """List the entries, the newest first."""
    if not viewer_of(request).program:
        raise ApiError(403, "the audit log is for programs with the API's token")
    wish = read_query(request, ReadAudit)
    rows = await api_of(request).parts.audit.newest(
        meeting_id=wish.meeting_id, who=wish.who, since=wish.since, limit=wish.limit
    )
    return answered({"entries": [row.model_dump(mode="json") for row in rows]})


def audited(audit: Audit, actions: Mapping[tuple[str, str], str]) -> Any:
    """A middleware that notes what was done, behind the answer; a log that is away keeps nobody waiting.

    `actions`: what each method and route is called in the log; others are not noted. That somebody watches is
    noted as they begin: it may end by a process's death.
    """

    async def note(request: web.Request, action: str) -> None:
        try:
            await audit.note(_deed(request, action))
        except PortError as error:
            log.warning("audit_not_written", action=action, error=str(error))

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        resource = request.match_info.route.resource
        route = resource.canonical.removeprefix("/v1") if resource else ""
        action = actions.get((request.method, route))
        if action is None:
            return await handler(request)
        if route == _LASTING:
            await note(request, action)
            return await handler(request)
        response = await handler(request)
        if response.status < 400:
            await note(request, action)
        return response

    return middleware


def _deed(request: web.Request, action: str) -> Deed:
    viewer = request.get(VIEWER)
    if viewer is None:
        who = "nobody"
    elif viewer.program:
        who = "program"
    else:
        who = viewer.person or (f"link {viewer.link_id}" if viewer.link_id else "page")
    found = request.match_info
    return Deed(
        who=who, how="http", action=action, meeting_id=found.get("meeting_id"), subject=found.get("person")
    )
