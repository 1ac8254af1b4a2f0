"""Writing into the audit log who does what over HTTP, and reading it: `GET /v1/audit`.

Each operation that shows words or changes anything has a row (`Operation.audit`). It is committed after the
viewer's right, their meeting and what they sent have been checked, and before anything is done: no word is
read out and nothing is changed without a row. A stream has one row, written as it opens. Where what was asked
for is refused all the same (the meeting is over, all places are taken), a second row says so:
`export_refused`. A fault of ours (5xx) has no second row: what was to be changed may have been.
"""

from __future__ import annotations

from typing import Final

import structlog
from aiohttp import web
from pydantic import AwareDatetime, Field

from context.ports import PortError
from worker.audit_log import Deed
from worker.web.backends import api_of
from worker.web.bodies import MeetingId, PersonId, QueryString, body_of, read_query
from worker.web.json_answers import RETRY_SOON, ApiError, Handler, json_response
from worker.web.viewers import actor_of, viewer_of

log = structlog.get_logger(__name__)

_SUBJECTS: Final = ("person", "link_id", "document_id", "erasure_id")
"""Parts of a path that name whom or what it is about."""


class ReadAudit(QueryString):
    """The query string of `GET /v1/audit`: which entries are wanted."""

    meeting_id: MeetingId | None = Field(None, description="of this meeting")
    who: PersonId | None = Field(
        None, description="of this actor: `program`, `link 5c1d09ab`, or an id alone, such as `minji`"
    )
    since: AwareDatetime | None = Field(None, description="from this moment on")
    limit: int = Field(100, ge=1, le=1000, description="how many, the newest first")


async def read(request: web.Request) -> web.Response:
    """Handle `GET /v1/audit`: list the entries, the newest first, without the one of this very request."""
    body = read_query(request, ReadAudit)
    fitting = body.model_dump() | {"limit": body.limit + 1}
    rows = list(await api_of(request).audit.newest(**fitting))
    reader = actor_of(request).known_as
    own = next((row for row in rows if (row.who, row.action) == (reader, "audit_read")), None)
    shown = [row for row in rows if row is not own][: body.limit]
    return json_response({"entries": [row.model_dump(mode="json") for row in shown]})


async def audited(request: web.Request, action: str, carry_out: Handler) -> web.StreamResponse:
    """Note in the audit log that the viewer does `action`, and then do it.

    Raises `ApiError` (503) where the row cannot be written: then nothing is done.
    """
    deed = _deed(request, action)
    try:
        await api_of(request).audit.note(deed)
    except PortError as error:
        log.warning("audit_not_written", action=action, error=str(error))
        mend = "the audit log cannot be written, and nothing is shown or changed without it: try again"
        raise ApiError(503, mend, headers=RETRY_SOON) from error
    try:
        return await carry_out(request)
    except (ApiError, web.HTTPException) as error:
        if error.status < 500:
            await _note_refused(request, deed)
        raise


async def _note_refused(request: web.Request, deed: Deed) -> None:
    """Note that nothing was done. Where it cannot be written, the log tells more than was done."""
    try:
        await api_of(request).audit.note(deed.model_copy(update={"action": f"{deed.action}_refused"}))
    except PortError as error:
        log.warning("audit_not_written", action=f"{deed.action}_refused", error=str(error))


def _deed(request: web.Request, action: str) -> Deed:
    named = request.match_info
    subjects = (*(named.get(part) for part in _SUBJECTS), getattr(body_of(request), "person", None))
    return Deed(
        who=actor_of(request).known_as,
        how="command" if viewer_of(request).operator is not None else "http",
        action=action,
        meeting_id=named.get("meeting_id"),
        subject=next((subject for subject in subjects if subject), None),
    )
