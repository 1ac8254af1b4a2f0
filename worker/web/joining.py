"""`POST /v1/meetings/{id}/join`: a token for LiveKit, so that a browser can speak in a meeting's room."""

from __future__ import annotations

import secrets
from typing import Annotated, Final

from aiohttp import web
from pydantic import AfterValidator, Field

from worker.web.backends import Admission, Meetings
from worker.web.bodies import Body, one_line, read_body
from worker.web.errors import ApiError
from worker.web.meetings import answered, found
from worker.web.viewers import viewer_of

_OPEN: Final = ("wanted", "live")


class JoinMeeting(Body):
    """Who joins."""

    name: Annotated[str, Field(min_length=1, max_length=80), AfterValidator(one_line)] = Field(
        description="as others see it"
    )


class JoinPage:
    """The handler."""

    def __init__(self, meetings: Meetings, admission: Admission, url: str) -> None:
        """`url`: LiveKit, as browsers reach it."""
        self._meetings, self._admission, self._url = meetings, admission, url

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Make it known."""
        router.add_post("/meetings/{meeting_id}/join", self.join)

    async def join(self, request: web.Request) -> web.Response:
        """A token under an identity of its own: two people of one name stay two."""
        viewer_of(request).demand_edit()
        row = await found(self._meetings, request)
        wish = await read_body(request, JoinMeeting)
        if row.status not in _OPEN or row.room is None:
            state = "a meeting without a room" if row.room is None else f"{row.status} already"
            raise ApiError(409, f"it is {state}: start another one", field="meeting_id", value=row.id)
        identity = f"web-{secrets.token_hex(6)}"
        token = self._admission(row.room, identity, wish.name)
        return answered({"url": self._url, "token": token, "identity": identity, "room": row.room})
