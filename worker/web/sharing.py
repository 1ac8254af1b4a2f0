"""`/v1/meetings/{id}/links`: who else may look at a meeting, or edit it, and for how long.

`POST /v1/meetings/{id}/join`: a token for LiveKit, so that a browser can speak in a meeting's room.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Annotated, Final
from urllib.parse import quote

from aiohttp import web
from pydantic import AfterValidator, Field

from worker.adapters.livekit_tokens import participant_token
from worker.messages import printable
from worker.ports import Link
from worker.web.backends import api_of
from worker.web.bodies import Body, read_body
from worker.web.errors import ApiError, answered
from worker.web.meetings import found

LONGEST: Final = timedelta(days=365)
_USUAL: Final = timedelta(days=7)


class MakeLink(Body):
    """A link to one meeting."""

    edit: bool = Field(default=False, description="whoever opens it may edit, and not only look")
    seconds: int = Field(
        int(_USUAL.total_seconds()),
        ge=60,
        le=int(LONGEST.total_seconds()),
        description="how long it opens it",
    )


async def make(request: web.Request) -> web.Response:
    """The address, without the host; it is told once."""
    row = await found(request)
    wish = await read_body(request, MakeLink)
    lasting = timedelta(seconds=wish.seconds)
    link, secret = await api_of(request).links.make(row.id, may_edit=wish.edit, lasting=lasting)
    return answered({**link.model_dump(mode="json"), "path": path_of(link, secret)}, status=201)


async def list_standing(request: web.Request) -> web.Response:
    """Those that open it still."""
    row = await found(request)
    links = await api_of(request).links.standing(row.id)
    return answered({"links": [link.model_dump(mode="json") for link in links]})


async def withdraw(request: web.Request) -> web.Response:
    """Within two seconds it opens nothing any more, also for those who came by it."""
    row, link_id = await found(request), request.match_info["link_id"]
    if not await api_of(request).links.withdraw(row.id, link_id):
        raise ApiError(404, "no such link opens this meeting", field="link_id", value=link_id)
    return answered({"withdrawn": link_id})


def path_of(link: Link, secret: str) -> str:
    """The page's address behind the host; what stands behind # no server and no log sees."""
    return f"/m/{quote(link.meeting_id, safe='')}#link={secret}"


class JoinMeeting(Body):
    """The body of a wish to join: under which name."""

    name: Annotated[str, Field(min_length=1, max_length=80), AfterValidator(printable)] = Field(
        description="as others see it"
    )


async def join(request: web.Request) -> web.Response:
    """A token under an identity of its own: two people of one name stay two."""
    row = await found(request)
    wish = await read_body(request, JoinMeeting)
    if row.status not in {"wanted", "live"} or row.room is None:
        state = "a meeting without a room" if row.room is None else f"{row.status} already"
        raise ApiError(409, f"it is {state}: start another one", field="meeting_id", value=row.id)
    identity, livekit = f"web-{secrets.token_hex(6)}", api_of(request).settings.livekit
    token = participant_token(
        livekit.api_key, livekit.api_secret.get_secret_value(), row.room, identity, wish.name
    )
    return answered({"url": livekit.join_url, "token": token, "identity": identity, "room": row.room})
