"""Letting others into a meeting: links to its page, and tokens for its room.

`/v1/meetings/{id}/links` handles who else may look at a meeting or edit it, and for how long;
`POST /v1/meetings/{id}/join` lets a browser speak in the meeting's room.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Annotated, Final
from urllib.parse import quote

from aiohttp import web
from pydantic import BeforeValidator, Field

from context.primitives.guest_identity import page_identity
from context.primitives.person_names import canonical, names_of_agent
from worker.links import Link
from worker.messages import to_one_line
from worker.names import name_fault
from worker.web.backends import api_of
from worker.web.bodies import Body, read_body
from worker.web.json_answers import ApiError, json_response
from worker.web.meetings import meeting_of
from worker.web.viewers import own_ids

MAX_LIFETIME: Final = timedelta(days=365)
"""How long a link may open a meeting at most."""
_USUAL_LIFETIME: Final = timedelta(days=7)


class MakeLink(Body):
    """A body for a link to one meeting."""

    edit: bool = Field(default=False, description="whoever opens it may edit, and not only look")
    seconds: int = Field(
        int(_USUAL_LIFETIME.total_seconds()),
        ge=60,
        le=int(MAX_LIFETIME.total_seconds()),
        description="how long it opens it",
    )


async def make(request: web.Request) -> web.Response:
    """Handle `POST /v1/meetings/{id}/links` (201): make a link; its `path` is told this once."""
    row = await meeting_of(request)
    body = await read_body(request, MakeLink)
    lasting = timedelta(seconds=body.seconds)
    link, secret = await api_of(request).links.make(row.id, may_edit=body.edit, lasting=lasting)
    return json_response({**link.model_dump(mode="json"), "path": path_of(link, secret)}, status=201)


async def list_standing(request: web.Request) -> web.Response:
    """Handle `GET /v1/meetings/{id}/links`: list the links that open the meeting, without their secrets."""
    row = await meeting_of(request)
    links = await api_of(request).links.standing(row.id)
    return json_response({"links": [link.model_dump(mode="json") for link in links]})


async def withdraw(request: web.Request) -> web.Response:
    """Handle `DELETE /v1/meetings/{id}/links/{link_id}`: those who came by it are out in two seconds.

    Out of the page, and out of the room.
    """
    row, link_id = await meeting_of(request), request.match_info["link_id"]
    if name_fault(link_id) is not None or not await api_of(request).links.withdraw(row.id, link_id):
        raise ApiError(404, "no such link opens this meeting", field="link_id", value=link_id)
    api_of(request).link_ended()
    return json_response({"withdrawn": link_id})


def path_of(link: Link, secret: str) -> str:
    """Give the page's address behind the host. What follows #, the secret, no server and no log sees."""
    return f"/m/{quote(link.meeting_id, safe='')}#link={secret}"


class JoinMeeting(Body):
    """A body to speak in a meeting's room, under a name."""

    name: Annotated[str, BeforeValidator(to_one_line), Field(max_length=80)] = Field(
        description="as others see it; without anything to be seen in it: the identity"
    )


async def join(request: web.Request) -> web.Response:
    """Handle `POST /v1/meetings/{id}/join`: give a LiveKit token.

    Its identity is the same whenever this viewer joins this meeting.
    """
    row, api = await meeting_of(request), api_of(request)
    if not api.settings.livekit.join_url:
        raise ApiError(
            409,
            "nobody can join from here: the dispatcher does not know the address at which browsers reach"
            " LiveKit; set MOIM_JOIN_URL=wss://…",
        )
    body = await read_body(request, JoinMeeting)
    if row.status not in {"wanted", "live"} or row.room is None:
        state = "a meeting without a room" if row.room is None else f"{row.status} already"
        raise ApiError(409, f"it is {state}: start another one", field="meeting_id", value=row.id)
    agent = api.settings.agent
    if canonical(body.name) in names_of_agent(agent.wake_words, agent.name):
        raise ApiError(400, "this is the agent's name: join under another one", field="name", value=body.name)
    # A program joins for somebody whom it does not name: somebody else each time.
    identity = next(iter(own_ids(request, row.id)), page_identity(secrets.token_hex(8)))
    token, url = api.room_token(row.room, identity, body.name or identity), api.settings.livekit.join_url
    return json_response({"url": url, "token": token, "identity": identity, "room": row.room})
