"""The API as one aiohttp application, to be mounted at `/v1`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from aiohttp import web

from worker.web import openapi
from worker.web.asking import AskPage, SummaryPage
from worker.web.auditing import AuditPage, audited
from worker.web.backends import ApiParts
from worker.web.bodies import MAX_BODY
from worker.web.correcting import CorrectionPage
from worker.web.erasing import ConsentPage, ErasurePages, PeoplePage
from worker.web.errors import ApiError, errors_as_json
from worker.web.library import DocumentPages
from worker.web.limiting import limited
from worker.web.live import EventsPage
from worker.web.meetings import MeetingPages, PanelPages, answered
from worker.web.searching import SearchPage
from worker.web.sharing import JoinPage, LinkPages
from worker.web.signing_in import SessionPage
from worker.web.viewers import LinkStanding, Sessions, authenticated

API_PREFIX: Final = "/v1"


def api(
    parts: ApiParts,
    sessions: Sessions,
    *,
    on_request: Callable[[str, int], None] = lambda _route, _status: None,
    on_refused: Callable[[str], None] = lambda _via: None,
) -> web.Application:
    """`sessions`: who may. `on_request`: told the route's pattern and the status of each."""
    standing = LinkStanding(parts.links)
    # aiohttp's own type is narrower than what it takes.
    around: Any = (
        errors_as_json(on_request),
        authenticated(sessions, standing, on_refused),
        limited(),
        audited(parts.audit),
    )
    app = web.Application(
        middlewares=around,
        client_max_size=MAX_BODY,
    )
    SessionPage(sessions, parts.links, may_join=bool(parts.join_url), kept_days=parts.kept_days).add_to(
        app.router
    )
    MeetingPages(parts.meetings, parts.documents, parts.overviews, parts.zone).add_to(app.router)
    AskPage(parts.meetings, parts.answers).add_to(app.router)
    SummaryPage(parts.summaries).add_to(app.router)
    SearchPage(parts.retriever).add_to(app.router)
    CorrectionPage(parts.meetings, parts.corrections).add_to(app.router)
    ConsentPage(parts.meetings, parts.orders).add_to(app.router)
    AuditPage(parts.audit).add_to(app.router)
    ErasurePages(parts.meetings, parts.erasures).add_to(app.router)
    DocumentPages(parts.library).add_to(app.router)
    PeoplePage(parts.people).add_to(app.router)
    PanelPages(parts.meetings, parts.panels).add_to(app.router)
    LinkPages(parts.meetings, parts.links).add_to(app.router)
    EventsPage(parts.meetings, parts.following, standing).add_to(app)
    if parts.join_url:
        JoinPage(parts.meetings, parts.admission, parts.join_url).add_to(app.router)
    described = openapi.document()

    async def show(_: web.Request) -> web.Response:
        return answered(described)

    app.router.add_get("/openapi.json", show)
    return app


def no_api() -> web.Application:
    """What stands at `/v1` where no token is set: nobody can be told apart, so nobody is served."""

    async def refuse(_: web.Request) -> web.Response:
        return ApiError(
            404, "the API is off: set MOIM_API_TOKEN at the dispatcher", field="MOIM_API_TOKEN"
        ).response()

    app = web.Application()
    app.router.add_route("*", "/{any:.*}", refuse)
    return app
