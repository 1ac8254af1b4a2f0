"""Who looks at the pages and calls the API, and what they may: by the bearer token, or by a session's cookie;
and how often somebody who is not a program may ask for something: a page, a script in it, a guesser.

A session is a signed cookie (a JWT, whose key is derived from the token that one signs in with), so that any
dispatcher takes what another one gave, and nothing is kept. A new token ends all sessions.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import jwt
from aiohttp import web
from limits import parse
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from worker.clock import monotonic_s, now_utc
from worker.configuration.settings import Settings
from worker.ports import Links
from worker.web.errors import ApiError, Handler

COOKIE: Final = "moim_session"
SESSION: Final = timedelta(days=7)
SIGN_IN: Final = "sign_in"
"""The name of the routes that serve who is nobody yet."""
_AUDIENCE: Final = "moim-session"
_ASKED_FOR_S: Final = 2.0
_REMEMBERED: Final = 10_000
_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="moim"'}
_LONGEST_NAME: Final = 200
NOBODY: Final = "http"
"""Who asks from outside and is no participant."""
CHANGES_A_MINUTE: Final = 120
LOOKS_A_MINUTE: Final = 1_200
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


Right = Literal["look", "edit", "all"]
"""look: at one meeting · edit: change it, too · all: whatever concerns other meetings as well."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """What somebody may see and do."""

    meeting_id: str | None = None
    """The one meeting that a link lets in to; None: all of the tenant's."""
    may_edit: bool = True
    link_id: str | None = None
    """The link that they came by: once it is withdrawn, they may nothing."""
    person: str | None = None
    """Who it is, where a proxy has signed them in."""
    program: bool = False
    """It has the API's token: it says for whom it asks, and is believed."""

    def acts_as(self, claimed: str) -> str:
        """In whose name something is asked or changed, who calls themselves `claimed`."""
        return claimed if self.program else self.person or claimed

    def reads_as(self, claimed: str) -> str:
        """Whose documents this viewer may read. A name that anybody may give opens nobody's."""
        return claimed if self.program else self.person or NOBODY

    def may_read(self, readers: Sequence[str]) -> bool:
        """Whether something that is for `readers` alone (none: for everybody) is for this viewer."""
        return self.program or not readers or self.person in readers

    def demand(self, right: Right) -> None:
        """Raises 403 for who came by a link that does not go so far."""
        if right == "all" and self.meeting_id is not None:
            raise ApiError(403, "this link is for one meeting: sign in to see others")
        if right == "edit" and not self.may_edit:
            raise ApiError(403, "this link is to look only: ask for one that may edit")

    @property
    def known_as(self) -> str:
        """Who it is, for the audit log."""
        if self.program:
            return "program"
        return self.person or (f"link {self.link_id}" if self.link_id else "page")


VIEWER: Final = web.RequestKey("viewer", Viewer)


class SigningProxy:
    """Somebody in front of the pages who has asked people who they are."""

    def __init__(self, header: str = "", networks: Sequence[str] = ()) -> None:
        """`header` names the person; it is believed from `networks` alone. Without a header: nobody does."""
        self._header, self._networks = header, tuple(map(ip_network, networks))

    def person(self, request: web.Request) -> str | None:
        """Who this request is from; None where nobody says so who may."""
        named = request.headers.get(self._header, "").strip() if self._header else ""
        if not named or len(named) > _LONGEST_NAME or not named.isprintable() or request.remote is None:
            return None
        return named if any(ip_address(request.remote) in each for each in self._networks) else None


class Sessions:
    """Cookies that say who somebody is."""

    def __init__(self, settings: Settings, *, now: Callable[[], datetime] = now_utc) -> None:
        """Of MOIM_API_TOKEN, for programs, and MOIM_PAGES_TOKEN, for people. `now`: the clock."""
        pages = settings.pages
        self.proxy = SigningProxy(pages.user_header, pages.proxies)
        self._api = _bytes(settings.agent.api_token.get_secret_value())
        self._pages = _bytes(pages.token.get_secret_value()) or self._api
        self._key = hashlib.sha256(b"moim session\0" + self._pages).digest()
        self._now = now

    def is_program(self, offered: str) -> bool:
        """Whether this is the API's token; how long it takes tells nothing of it."""
        return bool(self._api) and hmac.compare_digest(_bytes(offered), self._api)

    def is_person(self, offered: str) -> bool:
        """Whether one signs in with this."""
        return hmac.compare_digest(_bytes(offered), self._pages) or self.is_program(offered)

    def issued(self, viewer: Viewer, lasting: timedelta = SESSION) -> str:
        """Issue a cookie for `viewer`."""
        claims: dict[str, Any] = {"aud": _AUDIENCE, "exp": self._now() + lasting, "edit": viewer.may_edit}
        if viewer.meeting_id is not None:
            claims |= {"meeting": viewer.meeting_id, "link": viewer.link_id}
        return jwt.encode(claims, self._key, algorithm="HS256")

    def until(self, moment: datetime) -> timedelta:
        """How long a session may last that ends at `moment` at the latest."""
        return min(SESSION, moment - self._now())

    def viewer(self, cookie: str) -> Viewer | None:
        """Whom a cookie names; None where it is none of ours, or has expired."""
        try:
            claims = jwt.decode(
                cookie,
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


class LinkStanding:
    """Whether links stand, asked of the database every few seconds and not at every request."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self._asked: dict[str, tuple[float, bool]] = {}

    async def of(self, viewer: Viewer) -> bool:
        """Whether what let this viewer in stands. Raises `Unavailable`."""
        if viewer.link_id is None:
            return True
        now_s = monotonic_s()
        asked_s, stood = self._asked.get(viewer.link_id, (-_ASKED_FOR_S, False))
        if now_s - asked_s >= _ASKED_FOR_S:
            stood = await self._links.stands(viewer.link_id)
            if len(self._asked) >= _REMEMBERED:
                self._asked.clear()
            self._asked[viewer.link_id] = now_s, stood
        return stood


def authenticated(sessions: Sessions, standing: LinkStanding, on_refused: Callable[[str], None]) -> Any:
    """A middleware: `Authorization: Bearer TOKEN`, a proxy's word, or a session's cookie; else 401.

    A cookie is sent by the browser whoever asks it to, so what changes anything must come from our own page.
    """

    async def who(request: web.Request) -> Viewer | None:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        if scheme:
            right = scheme.lower() == "bearer" and sessions.is_program(given.strip())
            return Viewer(program=True) if right else None
        if (person := sessions.proxy.person(request)) is not None:
            return Viewer(person=person)
        viewer = sessions.viewer(request.cookies.get(COOKIE, ""))
        return viewer if viewer is not None and await standing.of(viewer) else None

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
        if not viewer.program and request.method not in _SAFE:
            demand_own_page(request)
        request[VIEWER] = viewer
        return await handler(request)

    return middleware


def limited() -> Any:
    """A middleware: 429 for who asks too often, counted by person or session, else by address.

    Programs are not counted.
    """
    limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
    looks, changes = parse(f"{LOOKS_A_MINUTE}/minute"), parse(f"{CHANGES_A_MINUTE}/minute")

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        viewer = request.get(VIEWER)
        if viewer is None or not viewer.program:
            looking = request.method in _SAFE
            signature = request.cookies.get(COOKIE, "")[-43:] if viewer is not None else ""
            whose = (viewer and viewer.person) or signature or request.remote or ""
            if not await limiter.hit(looks if looking else changes, "look" if looking else "change", whose):
                raise ApiError(
                    429, "too many requests in a minute: wait a little", headers={"Retry-After": "10"}
                )
        return await handler(request)

    return middleware


def viewer_of(request: web.Request) -> Viewer:
    """Tell who sends this request."""
    return request[VIEWER]


def demand_own_page(request: web.Request) -> None:
    """Raises 403 where another site's page sends this."""
    origin = request.headers.get("Origin", "")
    if urlsplit(origin).netloc != request.host:
        raise ApiError(403, "only Moim's own page may send this", field="Origin", value=origin or None)


def _bytes(token: str) -> bytes:
    # aiohttp reads headers as UTF-8 with surrogates for what is not.
    return token.encode("utf-8", "surrogateescape")
