"""`/v1/session`: a browser signs in, asks what it may, and signs out."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Annotated, Final, Self

from aiohttp import web
from pydantic import Field, model_validator

from worker.ports import Links
from worker.web.bodies import Body, read_body
from worker.web.errors import ApiError
from worker.web.meetings import answered
from worker.web.viewers import (
    COOKIE,
    SESSION,
    SIGN_IN,
    Sessions,
    Viewer,
    demand_own_page,
    set_cookie,
    viewer_of,
)

_WRONG_AT_ONCE: Final = 4
"""Wrong tokens are answered after a second, so many at a time: nobody guesses one so."""
_WRONG_S: Final = 1.0


class SignIn(Body):
    """Who signs in: with the token, or by a link."""

    token: Annotated[str, Field(max_length=1_000)] = Field(
        "", description="MOIM_PAGES_TOKEN or MOIM_API_TOKEN"
    )
    link: Annotated[str, Field(max_length=200)] = Field("", description="what stands behind #link= in a link")

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if not self.token and not self.link:
            raise ValueError("token: give a token, or a link")
        return self


class SessionPage:
    """Handles `/v1/session`: signing in and out, and who one is."""

    def __init__(
        self, sessions: Sessions, links: Links, *, may_join: bool, kept_days: int | None = None
    ) -> None:
        """`may_join`: the pages offer to speak into a room. `kept_days`: for how long words are kept."""
        self._sessions, self._links, self._may_join = sessions, links, may_join
        self._kept_days = kept_days
        self._wrong = asyncio.Semaphore(_WRONG_AT_ONCE)

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Register the routes."""
        router.add_post("/session", self.sign_in, name=SIGN_IN)
        router.add_get("/session", self.show)
        router.add_delete("/session", self.sign_out)

    async def sign_in(self, request: web.Request) -> web.Response:
        """A cookie for the right token."""
        if "Origin" in request.headers:
            demand_own_page(request)
        wish = await read_body(request, SignIn)
        viewer, lasting = await self._let_in(wish)
        response = answered(self._shown(viewer))
        # A proxy that ends TLS says so; whoever claims it wrongly keeps their own cookie from themselves.
        secure = request.secure or request.headers.get("X-Forwarded-Proto") == "https"
        set_cookie(response, self._sessions.issued(viewer, lasting), secure=secure, lasting=lasting)
        return response

    async def _let_in(self, wish: SignIn) -> tuple[Viewer, timedelta]:
        """Who this is, and for how long."""
        if wish.link:
            if (link := await self._links.opened(wish.link)) is None:
                raise await self._refused("link", "this link has expired or was withdrawn: ask for another")
            return Viewer(link.meeting_id, link.may_edit, link.id), self._sessions.until(link.expires_at)
        if not self._sessions.is_person(wish.token):
            mend = "this is not the dispatcher's MOIM_PAGES_TOKEN, nor its MOIM_API_TOKEN"
            raise await self._refused("token", mend)
        return Viewer(), SESSION

    async def _refused(self, field: str, mend: str) -> ApiError:
        """After a while, and few at a time."""
        if self._wrong.locked():
            return ApiError(429, "too many wrong tokens: try again", headers={"Retry-After": "2"})
        async with self._wrong:
            await asyncio.sleep(_WRONG_S)
        return ApiError(401, mend, field=field)

    async def show(self, request: web.Request) -> web.Response:
        """Tell what this viewer may do."""
        return answered(self._shown(viewer_of(request)))

    async def sign_out(self, _: web.Request) -> web.Response:
        """Forget the cookie."""
        response = answered({"signed_out": True})
        response.del_cookie(COOKIE, path="/")
        return response

    def _shown(self, viewer: Viewer) -> dict[str, object]:
        return {
            "meeting_id": viewer.meeting_id,
            "may_edit": viewer.may_edit,
            "may_join": self._may_join and viewer.may_edit,
            "person": viewer.person,
            "kept_days": self._kept_days,
        }
