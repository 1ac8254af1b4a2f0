"""`/v1/session`: a browser signs in, asks what its viewer may do, and signs out."""

from __future__ import annotations

from typing import Annotated, Any, Self

from aiohttp import web
from pydantic import Field, model_validator

from worker.web.backends import api_of
from worker.web.bodies import Body, MeetingId, QueryString, read_body, read_query
from worker.web.json_answers import ApiError, json_response
from worker.web.sessions import SESSION
from worker.web.viewers import COOKIE, Viewer, demand_own_page, own_ids, viewer_of


class SignIn(Body):
    """A body to sign in, with a token or by a link."""

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
    """Handle `POST /v1/session`: set the cookie, which no script can read. Raises `ApiError` (401, 429)."""
    if "Origin" in request.headers:
        demand_own_page(request)
    body, api = await read_body(request, SignIn), api_of(request)
    before = request.cookies.get(COOKIE, "")
    if body.link:
        if (link := await api.links.opened(body.link)) is None:
            mend = "this link has expired or was withdrawn: ask for another"
            raise await _refused(request, "link", body.link, mend)
        await api.quotas.spend_sign_in(request, link.id)
        begun = await api.sessions.begin("link", link, before=before)
    elif (kind := api.sessions.signs_in(body.token)) is not None:
        await api.quotas.spend_sign_in(request, None)
        begun = await api.sessions.begin(kind, before=before)
    else:
        mend = "this is not the dispatcher's MOIM_PAGES_TOKEN, nor its MOIM_API_TOKEN"
        raise await _refused(request, "token", body.token, mend)
    response = json_response(_viewer_fields(request, begun.viewer))
    response.set_cookie(
        COOKIE,
        begun.cookie,
        # For as long as any session may last: by it the browser is the same person when it comes again.
        max_age=int(SESSION.total_seconds()),
        httponly=True,
        samesite="Strict",
        # A proxy that ends TLS says so; whoever claims it wrongly keeps their own cookie from themselves.
        secure=request.secure or request.headers.get("X-Forwarded-Proto") == "https",
    )
    return response


async def _refused(request: web.Request, field: str, offered: str, mend: str) -> ApiError:
    """The error (401) for a wrong token or link. Raises `ApiError` (429) where too many are tried."""
    await api_of(request).token_throttle.slow(request, offered)
    return ApiError(401, mend, field=field)


class ShowSession(QueryString):
    """The query string of `GET /v1/session`."""

    meeting_id: MeetingId | None = Field(None, description="the meeting whose `identity` is wanted")


async def show_session(request: web.Request) -> web.Response:
    """Handle `GET /v1/session`: tell what this viewer may do, and who they are in a meeting's room."""
    body = read_query(request, ShowSession)
    identity = next(iter(own_ids(request, body.meeting_id)), None)
    return json_response(_viewer_fields(request, viewer_of(request)) | {"identity": identity})


async def sign_out(request: web.Request) -> web.Response:
    """Handle `DELETE /v1/session`: end the session, and have the browser forget its cookie."""
    await api_of(request).sessions.end(request.cookies.get(COOKIE, ""))
    response = json_response({"signed_out": True})
    response.del_cookie(COOKIE)
    return response


def _viewer_fields(request: web.Request, viewer: Viewer) -> dict[str, Any]:
    settings = api_of(request).settings
    return {
        "meeting_id": viewer.meeting_id,
        "may_edit": viewer.may_edit,
        "may_join": bool(settings.livekit.join_url) and viewer.may_edit,
        "person": viewer.person,
        "administrator": viewer.administrator,
        "kept_days": settings.consent.retention_days,
        "own_minutes": bool(settings.minutes_template),
        "packaged_speech": settings.stt.is_packaged,
    }
