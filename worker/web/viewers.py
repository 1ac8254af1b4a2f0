"""Who looks at the pages and calls the API (a *viewer*), and what they may do.

A viewer is known by the API's bearer token, by a proxy's header, or by the cookie of a session
(`worker.web.sessions`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any, Final, Literal, Protocol
from urllib.parse import urlsplit

from aiohttp import web

from context.events.actors import Actor, ActorKind, operator
from context.primitives.askers import nobodys
from context.primitives.guest_identity import link_of
from context.primitives.text import clean_name, visible
from worker.messages import NOBODY, NOBODY_AT_A_TERMINAL
from worker.web.json_answers import ApiError, Handler

COOKIE: Final = "moim_session"
SIGN_IN: Final = "sign_in"
"""The name of the routes that serve also those who have not signed in."""
_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="moim"'}
_MAX_NAME_CHARS: Final = 200
_TAKEN_NAMES: Final = re.compile(
    rf"{NOBODY}|{NOBODY_AT_A_TERMINAL}|\(erased\)|web-[0-9a-f]{{12,64}}|agent-AJ_.*|user .*", re.DOTALL
)
"""Ids of participants that are given to others than those whom a proxy has signed in."""
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
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
    operator: str | None = None
    """The login of whoever calls a command of `moim` on this machine (`worker.web.local_socket`)."""
    session_id: str = ""
    """The id of the session of whoever came by a cookie, which was drawn for it."""
    browser_id: str = ""
    """The id of the browser of whoever came by a cookie, the same until somebody signs out there."""
    administrator: bool = False
    """They may do what concerns others' words."""

    def actor(self, claimed: str = "", *, own: tuple[str, ...] = ()) -> Actor:
        """Give the actor for what they do; `claimed` is what they call themselves.

        `own`: the participants that they were authenticated as, in the meeting at hand (`own_ids`).
        """
        kind: ActorKind = "token"
        id_ = self.session_id or "page"
        if self.operator is not None:
            return operator(self.operator, claimed)
        if self.program:
            kind, id_ = "program", "program"
        elif self.person is not None:
            kind, id_ = "user", self.person
        elif self.link_id is not None:
            kind, id_ = "link", self.link_id
        return Actor(kind=kind, id=id_, own=own, administrator=self.administrator, claimed=claimed)

    @property
    def person_id(self) -> str | None:
        """The id that whom a proxy has signed in has in rooms and on the record: their name.

        Where others are given such an id (a browser's `web-…`, `http` for nobody), `user` stands before it.
        """
        if self.person is None or not (_TAKEN_NAMES.fullmatch(self.person) or link_of(self.person)):
            return self.person
        return f"user {self.person}"

    def reads_as(self, claimed: str = "") -> str:
        """Give the id that they ask under, and whose documents they may read.

        It is a participant's where they were authenticated as one. A program is believed whose question it
        asks. Anybody else has an id that is no participant's, whatever they call themselves.
        """
        if self.operator is not None:
            return nobodys(NOBODY_AT_A_TERMINAL)
        if self.program and claimed:
            return nobodys(NOBODY) if claimed == NOBODY else claimed
        return self.person_id or nobodys(self.actor(claimed).shown, self.session_id)

    def may_read(self, readers: Sequence[str]) -> bool:
        """Tell whether they may read a document that is for `readers` alone (empty: for everybody)."""
        return self.program or not readers or self.person_id in readers

    def demand(self, right: Right) -> None:
        """Raise `ApiError` (403) where the link that they came by does not give this right."""
        if right == "all" and self.meeting_id is not None:
            raise ApiError(403, "this link is for one meeting: sign in to see others")
        if right == "edit" and not self.may_edit:
            raise ApiError(403, "this link is to look only: ask for one that may edit")


VIEWER: Final = web.RequestKey("viewer", Viewer)
_CREDENTIALS: Final = web.RequestKey[Any]("credentials", object)


class SigningProxy:
    """A proxy in front of the pages that signs people in, and names them in a header of each request."""

    def __init__(self, header: str = "", networks: Sequence[str] = (), admins: Sequence[str] = ()) -> None:
        """Believe `header` from one of `networks` (addresses, or CIDR); empty: no proxy signs people in.

        `admins` are the names of those who are administrators.
        """
        self._header, self._networks = header, tuple(map(ip_network, networks))
        self._admins = frozenset(map(_canonical, admins))

    def person(self, request: web.Request) -> str | None:
        """Give the name of whom the request is from; None where no trusted proxy says so.

        Raises `ApiError` (400) where the proxy names more than one: what somebody sends themselves, and a
        proxy leaves in its place, must sign nobody in.
        """
        if not self._header or request.remote is None:
            return None
        names = request.headers.getall(self._header, [])
        if not names or not any(ip_address(request.remote) in network for network in self._networks):
            return None
        if len(names) > 1 or "," in names[0]:
            mend = "it names more than one user: the proxy has to replace it, and to name one without a comma"
            raise ApiError(400, mend, field=self._header, value=", ".join(names))
        named = names[0].strip()
        person = _canonical(named)
        # A name that holds what nobody sees would look like somebody else's.
        if not person or len(named) > _MAX_NAME_CHARS or not named.isprintable() or visible(named) != named:
            return None
        return person

    def is_administrator(self, person: str) -> bool:
        """Tell whether somebody whom the proxy names is an administrator."""
        return person in self._admins


def _canonical(name: str) -> str:
    return unicodedata.normalize("NFC", clean_name(name))


class Credentials(Protocol):
    """Port that tells by its credentials who sends a request."""

    @property
    def proxy(self) -> SigningProxy:
        """The proxy that signs people in."""

    def is_program(self, offered: str) -> bool:
        """Tell whether this is the API's token."""

    async def viewer(self, cookie: str) -> Viewer | None:
        """Read a session's cookie; None where it shows nobody. Raises `PortError`."""

    def identity(self, viewer: Viewer, meeting_id: str) -> str | None:
        """Give the id of the participant that a viewer is in a meeting's room; None for a program."""


def authenticated(
    credentials: Credentials,
    stands: Callable[[Viewer], Awaitable[bool]],
    slow: Callable[[web.Request, str], Awaitable[None]],
    on_refused: Callable[[str], None],
) -> Any:
    """Make the middleware that finds out who sends a request, for `viewer_of`; 401 for nobody known.

    `stands` tells whether a viewer's session does; `slow` waits before a wrong token is refused.

    `Authorization: Bearer TOKEN` counts first, then a proxy's header, then the cookie. A browser sends its
    cookie whichever page asks it to: what changes anything must come from our own (else 403).
    A header that names two people signs nobody in (400).
    """

    async def who(request: web.Request) -> Viewer | None:
        scheme, _, credential = request.headers.get("Authorization", "").partition(" ")
        if scheme:
            if scheme.lower() == "bearer" and credentials.is_program(credential.strip()):
                return Viewer(program=True, administrator=True)
            await slow(request, credential)
            return None
        if (person := credentials.proxy.person(request)) is not None:
            return Viewer(person=person, administrator=credentials.proxy.is_administrator(person))
        viewer = await credentials.viewer(request.cookies.get(COOKIE, ""))
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
        if not viewer.program and request.method not in SAFE_METHODS:
            demand_own_page(request)
        request[VIEWER], request[_CREDENTIALS] = viewer, credentials
        return await handler(request)

    return middleware


def viewer_of(request: web.Request) -> Viewer:
    """Give who sends this request, which `authenticated` has found out."""
    return request[VIEWER]


def own_ids(request: web.Request, meeting_id: str | None = None) -> tuple[str, ...]:
    """Give the ids of the participants that whoever sends this request was authenticated as.

    Whom a proxy names is the same in every meeting, a browser another one in each: without a meeting, nobody.
    A guest by a link is somebody in its meeting alone.
    """
    viewer = viewer_of(request)
    if viewer.operator is not None:
        return ()
    if viewer.meeting_id is not None and meeting_id not in {None, viewer.meeting_id}:
        return ()
    meeting_id = viewer.meeting_id or meeting_id
    if meeting_id is None:
        return (viewer.person_id,) if viewer.person_id is not None else ()
    credentials: Credentials = request[_CREDENTIALS]
    identity = credentials.identity(viewer, meeting_id)
    return (identity,) if identity is not None else ()


def actor_of(request: web.Request, claimed: str = "", meeting_id: str | None = None) -> Actor:
    """Give the actor of this request; `claimed` is what they call themselves.

    `meeting_id` is the meeting at hand; without it, the one that the address names.
    """
    meeting_id = meeting_id or request.match_info.get("meeting_id")
    return viewer_of(request).actor(claimed, own=own_ids(request, meeting_id))


def demand_own_page(request: web.Request) -> None:
    """Raise `ApiError` (403) where the page of another site sends this."""
    origin = request.headers.get("Origin", "")
    try:
        sender = urlsplit(origin).netloc
    except ValueError:  # `http://[`
        sender = ""
    if sender != request.host:
        raise ApiError(403, "only Moim's own page may send this", field="Origin", value=origin or None)
