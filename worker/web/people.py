"""`GET /v1/people/{person}`: everything that the record has of one person."""

from __future__ import annotations

from aiohttp import web

from worker.web.backends import People
from worker.web.errors import ApiError
from worker.web.meetings import answered
from worker.web.viewers import viewer_of


class PeoplePage:
    """The handler: for programs, and for the person themselves where a proxy has signed them in."""

    def __init__(self, people: People) -> None:
        self._people = people

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Make it known."""
        router.add_get("/people/{person}", self.show)

    async def show(self, request: web.Request) -> web.Response:
        """Their words, questions and consents, over all meetings."""
        viewer, person = viewer_of(request), request.match_info["person"]
        if not viewer.program and viewer.person != person:
            raise ApiError(
                403, "only they themselves, or a program, may have it", field="person", value=person
            )
        return answered(await self._people.everything(person))
