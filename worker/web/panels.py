"""`/v1/meetings/{id}/thread`, `/budget`, `/rate`: what the agent keeps in mind, and how short."""

from __future__ import annotations

from aiohttp import web
from pydantic import Field

from context.ports import Refused
from context.thread.history import HIGHEST_RATE, LOWEST_RATE
from worker.web.backends import Meetings, ThreadPanels
from worker.web.bodies import Asker, Body, read_body
from worker.web.errors import ApiError
from worker.web.meetings import answered, found
from worker.web.viewers import viewer_of


class SetRate(Body):
    """How short the thread's summaries are from the next one on."""

    rate: float = Field(ge=LOWEST_RATE, le=HIGHEST_RATE, description="share that is kept")
    by: Asker = Field("http", description="who says so")


class PanelPages:
    """The handlers."""

    def __init__(self, meetings: Meetings, panels: ThreadPanels) -> None:
        self._meetings, self._panels = meetings, panels

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Make them known."""
        router.add_get("/meetings/{meeting_id}/thread", self.thread)
        router.add_get("/meetings/{meeting_id}/budget", self.budget)
        router.add_put("/meetings/{meeting_id}/rate", self.set_rate)

    async def thread(self, request: web.Request) -> web.Response:
        """As `moim thread --json`."""
        return answered(await self._panels.thread(await found(self._meetings, request)))

    async def budget(self, request: web.Request) -> web.Response:
        """As `moim thread --budget --json`."""
        return answered(await self._panels.budget(await found(self._meetings, request)))

    async def set_rate(self, request: web.Request) -> web.Response:
        """Asked for; the holder sets it within a second."""
        viewer = viewer_of(request)
        viewer.demand_edit()
        row = await found(self._meetings, request)
        wish = await read_body(request, SetRate)
        try:
            await self._panels.set_rate(row, wish.rate, viewer.acts_as(wish.by))
        except Refused as error:
            raise ApiError(409, str(error), field="meeting_id", value=row.id) from error
        return answered({"meeting_id": row.id, "rate": wish.rate}, status=202)
