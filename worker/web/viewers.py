"""Who looks at the pages and calls the API (a *viewer*), and what they may do.

A viewer is known by the API's bearer token, by a proxy's header, or by the cookie of a session. The cookie is
signed (a JWT whose key is derived from the token that one signs in with), so that any dispatcher takes what
another one gave, and nothing is kept. A new token ends all sessions.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import jwt
from aiohttp import web

from context.actors import Actor, ActorKind
from worker.clock import now_utc
from worker.configuration.settings import Settings
from worker.web.errors import ApiError, Handler

COOKIE: Final = "moim_session"
SESSION: Final = timedelta(days=7)
SIGN_IN: Final = "sign_in"
"""The name of the routes that serve also those who have not signed in."""
_AUDIENCE: Final = "moim-session"
_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="moim"'}
_LONGEST_NAME: Final = 200
NOBODY: Final = "http"
"""The asker's id where nobody says who it is."""
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""The methods of requests that change nothing."""


Right = Literal["look", "edit", "all"]
"""look: see one meeting · edit: change it, too · all: what concerns other meetings as well."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Somebody who sends requests: who it is, and what they may see and do."""

    meeting_id: str | None = None
    """The one meeting that their link opens; None: they may see all of the tenant's."""
    may_edit: bool = True
    link_id: str | None = None
    """The link that they came by: once it is withdrawn, they may do nothing."""
    person: str | None = None
    """The name of who it is, where a proxy has signed them in."""
    program: bool = False
    """It has the API's token: it says in whose name it acts, and is believed."""
    session_id: str = ""
    """Of whoever came by a cookie: the id of their session, which was drawn for it."""
    administrator: bool = False
    """They may do what concerns others' words."""

    def actor(self, claimed: str = "", *, own: tuple[str, ...] = ()) -> Actor:
        """Give the actor for what they do; `claimed` is what they call themselves.

        `own`: the participants that they were authenticated as, in the meeting at hand (`own_ids`).
        """
        kind: ActorKind = "token"
        id_ = self.session_id or "page"
        if self.program:
            kind, id_ = "program", "program"
        elif self.person is not None:
            kind, id_ = "user", self.person
        elif self.link_id is not None:
            kind, id_ = "link", self.link_id
        return Actor(kind=kind, id=id_, own=own, administrator=self.administrator, claimed=claimed)

    def reads_as(self, claimed: str) -> str:
        """Give the id whose documents they may read: a name that anybody could claim opens nobody's."""
        return claimed if self.program else (self.person or NOBODY)

    def may_read(self, readers: Sequence[str]) -> bool:
        """Tell whether they may read a document that is for `readers` alone (empty: for everybody)."""
        return self.program or not readers or self.person in readers

    def demand(self, right: Right) -> None:
        """Raise `ApiError` (403) where the link that they came by does not give this right."""
        if right == "all" and self.meeting_id is not None:
            raise ApiError(403, "this link is for one meeting: sign in to see others")
        if right == "edit" and not self.may_edit:
            raise ApiError(403, "this link is to look only: ask for one that may edit")


VIEWER: Final = web.RequestKey("viewer", Viewer)


class SigningProxy:
    """A proxy in front of the pages that signs people in, and names them in a header of each request."""

    def __init__(self, header: str = "", networks: Sequence[str] = ()) -> None:
        """Believe `header` from one of `networks` (addresses, or CIDR); empty: no proxy signs people in."""
        self._header, self._networks = header, tuple(map(ip_network, networks))

    def person(self, request: web.Request) -> str | None:
        """Give the name of whom the request is from; None where no trusted proxy says so."""
        named = request.headers.get(self._header, "").strip() if self._header else ""
        if not named or len(named) > _LONGEST_NAME or not named.isprintable() or request.remote is None:
            return None
        return named if any(ip_address(request.remote) in each for each in self._networks) else None


class Sessions:
    """Checks tokens, and makes and reads the cookies of sessions."""

    def __init__(self, settings: Settings, *, now: Callable[[], datetime] = now_utc) -> None:
        """Take MOIM_API_TOKEN, for programs, and MOIM_PAGES_TOKEN, for people, from the settings."""
        pages = settings.pages
        self.proxy = SigningProxy(pages.user_header, pages.proxies)
        self._api = _bytes(settings.agent.api_token.get_secret_value())
        self._pages = _bytes(pages.token.get_secret_value()) or self._api
        self._key = hashlib.sha256(b"moim session\0" + self._pages).digest()
        self._now = now

    def is_program(self, offered: str) -> bool:
        """Tell whether this is the API's token, in a time that tells nothing of it."""
        return bool(self._api) and hmac.compare_digest(_bytes(offered), self._api)

    def is_person(self, offered: str) -> bool:
        """Tell whether one signs in to the pages with this token: theirs, or the API's."""
        return hmac.compare_digest(_bytes(offered), self._pages) or self.is_program(offered)

    def issued(self, viewer: Viewer, lasting: timedelta = SESSION) -> str:
        """Make a session's cookie, which holds the viewer's link, its meeting, and whether they may edit."""
        claims: dict[str, Any] = {"aud": _AUDIENCE, "exp": self._now() + lasting, "edit": viewer.may_edit}
        if viewer.meeting_id is not None:
            claims |= {"meeting": viewer.meeting_id, "link": viewer.link_id}
        return jwt.encode(claims, self._key, algorithm="HS256")

    def until(self, moment: datetime) -> timedelta:
        """Give how long a session may last that ends at `moment` at the latest: `SESSION` at most."""
        return min(SESSION, moment - self._now())

    def viewer(self, cookie: str) -> Viewer | None:
        """Read a cookie; None where it is none of ours, or has expired."""
        try:
            claims = jwt.decode(
                _bytes(cookie),
                self._key,
                algorithms=["HS256"],
                audience=_AUDIENCE,
                options={"require": ["exp"], "verify_exp": False},  # by our own clock
            )
        except jwt.InvalidTokenError:
            return None
        if claims["exp"] <= self._now().timestamp():
            return None
        return Viewer(claims.get("meeting"), bool(claims.get("edit")), claims.get("link"))


def authenticated(
    sessions: Sessions,
    stands: Callable[[Viewer], Awaitable[bool]],
    slow: Callable[[web.Request, str], Awaitable[None]],
    on_refused: Callable[[str], None],
) -> Any:
    """Make the middleware that finds out who sends a request, for `viewer_of`; 401 for nobody known.

    `stands` tells whether the link still stands that a viewer came by, `slow` waits before a wrong token is refused.

    `Authorization: Bearer TOKEN` counts first, then a proxy's header, then the cookie. A browser sends its
    cookie whichever page asks it to: what changes anything must come from our own (else 403).
    """

    async def who(request: web.Request) -> Viewer | None:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        if scheme:
            if scheme.lower() == "bearer" and sessions.is_program(given.strip()):
                return Viewer(program=True, administrator=True)
            await slow(request, given)
            return None
        if (person := sessions.proxy.person(request)) is not None:
            return Viewer(person=person)
        viewer = sessions.viewer(request.cookies.get(COOKIE, ""))
        return viewer if viewer is not None and await stands(viewer) else None

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.match_info.route.name == SIGN_IN:
            return await handler(request)
        if (viewer := await who(request)) is None:
            on_refused("http")
            mend = (
                "send `Authorization: Bearer …` with the dispatcher's MOIM_API_TOKEN, or sign in on its page"
            )
            raise ApiError(401, mend, field="Authorization", headers=_CHALLENGE)
        if not viewer.program and request.method not in SAFE:
            demand_own_page(request)
        request[VIEWER] = viewer
        return await handler(request)

    return middleware


def viewer_of(request: web.Request) -> Viewer:
    """Give who sends this request, which `authenticated` has found out."""
    return request[VIEWER]


def own_ids(viewer: Viewer) -> tuple[str, ...]:
    """Give the ids of the participants that this viewer was authenticated as.

    A proxy names people by the ids that they have in rooms.
    """
    return (viewer.person,) if viewer.person is not None else ()


def actor_of(request: web.Request, claimed: str = "") -> Actor:
    """Give the actor of this request; `claimed` is what they call themselves."""
    viewer = viewer_of(request)
    return viewer.actor(claimed, own=own_ids(viewer))


def demand_own_page(request: web.Request) -> None:
    """Raise `ApiError` (403) where the page of another site sends this."""
    origin = request.headers.get("Origin", "")
    try:
        sender = urlsplit(origin).netloc
    except ValueError:  # `http://[`
        sender = ""
    if sender != request.host:
        raise ApiError(403, "only Moim's own page may send this", field="Origin", value=origin or None)


def _bytes(token: str) -> bytes:
    # aiohttp reads headers as UTF-8 with surrogates for what is not.
    return token.encode("utf-8", "surrogateescape")
