"""`POST /v1/meetings/{id}/consent`: somebody agrees to be heard, or does not."""

from __future__ import annotations

import uuid

from aiohttp import web
from pydantic import Field

from worker.messages import ConsentMessage
from worker.web.backends import MeetingOrders, Meetings
from worker.web.bodies import Asker, Body, read_body
from worker.web.errors import ApiError
from worker.web.meetings import answered, found
from worker.web.viewers import NOBODY, viewer_of


class TellConsent(Body):
    """What a participant says to being heard."""

    person: Asker = Field(description="the participant's id (their LiveKit identity)")
    agreed: bool = Field(description="whether they agree to be heard")
    by: Asker | None = Field(default=None, description="who tells it for them, where a program does")
    erase: bool = Field(default=False, description="with a no: what they have said so far is deleted, too")


class ConsentPage:
    """The handler: programs tell for anybody, people for themselves."""

    def __init__(self, meetings: Meetings, orders: MeetingOrders | None) -> None:
        """`orders` None: no Redis, so nobody can be told."""
        self._meetings, self._orders = meetings, orders

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Make it known."""
        router.add_post("/meetings/{meeting_id}/consent", self.tell)

    async def tell(self, request: web.Request) -> web.Response:
        """Taken: the holder obeys at once."""
        row = await found(self._meetings, request)
        wish = await read_body(request, TellConsent)
        viewer = viewer_of(request)
        if not viewer.program and viewer.person != wish.person:
            raise ApiError(
                403, "only they themselves, or a program, may say it", field="person", value=wish.person
            )
        if row.status != "live":
            raise ApiError(409, f"it is {row.status}: nobody is heard", field="meeting_id", value=row.id)
        if self._orders is None:
            raise ApiError(503, "a live meeting is told through Redis: set REDIS_URL")
        message = ConsentMessage(
            id=f"consent-{uuid.uuid4().hex[:12]}",
            person=wish.person,
            agreed=wish.agreed,
            erase=wish.erase,
            how="http" if viewer.program else "page",
            by=(wish.by or NOBODY) if viewer.program else None,
        )
        await self._orders.ask(row.id, message)
        return answered({"person": wish.person, "agreed": wish.agreed}, status=202)
