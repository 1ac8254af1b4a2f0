"""`PATCH /v1/meetings/{id}`: put something right; what rests on it is made again."""

from __future__ import annotations

from aiohttp import web

from context.ports import Refused
from worker.meeting.correcting import Correction, shown
from worker.web.backends import CorrectionTaker, Meetings
from worker.web.bodies import CorrectMeeting, read_body
from worker.web.errors import ApiError
from worker.web.meetings import answered, found
from worker.web.viewers import viewer_of


class CorrectionPage:
    """Handles corrections of a meeting."""

    def __init__(self, meetings: Meetings, corrections: CorrectionTaker) -> None:
        self._meetings, self._corrections = meetings, corrections

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Register the route."""
        router.add_patch("/meetings/{meeting_id}", self.correct)

    async def correct(self, request: web.Request) -> web.Response:
        """Taken: those who watch see it as soon as it is on the record."""
        viewer_of(request).demand_edit()
        row = await found(self._meetings, request)
        wish = await read_body(request, CorrectMeeting)
        correction = Correction(by=viewer_of(request).acts_as(wish.by), fix=wish.fix)
        try:
            id_ = await self._corrections.correct(row, correction)
        except Refused as error:
            raise ApiError(409, str(error), field="meeting_id", value=row.id) from error
        return answered(shown(correction, id_), status=202)
