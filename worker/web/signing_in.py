"""`/v1/session`: a browser signs in, asks what it may, and signs out."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Annotated, Final, Self

from aiohttp import web
from pydantic import Field, model_validator

from worker.web.backends import api_of, places
from worker.web.bodies import Body, read_body
from worker.web.errors import ApiError
from worker.web.meetings import answered
from worker.web.viewers import (
    COOKIE,
    SESSION,
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


async def sign_in(request: web.Request) -> web.Response:
    """A cookie for the right token."""
    if "Origin" in request.headers:
        demand_own_page(request)
    wish = await read_body(request, SignIn)
    viewer, lasting = await _let_in(request, wish)
    response = answered(_shown(request, viewer))
    # A proxy that ends TLS says so; whoever claims it wrongly keeps their own cookie from themselves.
    secure = request.secure or request.headers.get("X-Forwarded-Proto") == "https"
    set_cookie(response, api_of(request).sessions.issued(viewer, lasting), secure=secure, lasting=lasting)
    return response


async def _let_in(request: web.Request, wish: SignIn) -> tuple[Viewer, timedelta]:
    """Who this is, and for how long."""
    sessions = api_of(request).sessions
    if wish.link:
        if (link := await api_of(request).parts.links.opened(wish.link)) is None:
            raise await _refused(request, "link", "this link has expired or was withdrawn: ask for another")
        return Viewer(link.meeting_id, link.may_edit, link.id), sessions.until(link.expires_at)
    if not sessions.is_person(wish.token):
        mend = "this is not the dispatcher's MOIM_PAGES_TOKEN, nor its MOIM_API_TOKEN"
        raise await _refused(request, "token", mend)
    return Viewer(), SESSION


async def _refused(request: web.Request, field: str, mend: str) -> ApiError:
    """After a while, and few at a time."""
    wrong = places(request, "wrong tokens", _WRONG_AT_ONCE)
    if wrong.locked():
        return ApiError(429, "too many wrong tokens: try again", headers={"Retry-After": "2"})
    async with wrong:
        await asyncio.sleep(_WRONG_S)
    return ApiError(401, mend, field=field)


async def show_session(request: web.Request) -> web.Response:
    """Tell what this viewer may do."""
    return answered(_shown(request, viewer_of(request)))


async def sign_out(_: web.Request) -> web.Response:
    """Forget the cookie."""
    response = answered({"signed_out": True})
    response.del_cookie(COOKIE, path="/")
    return response


def _shown(request: web.Request, viewer: Viewer) -> dict[str, object]:
    parts = api_of(request).parts
    return {
        "meeting_id": viewer.meeting_id,
        "may_edit": viewer.may_edit,
        "may_join": bool(parts.join_url) and viewer.may_edit,
        "person": viewer.person,
        "kept_days": parts.kept_days,
    }
