"""Sessions of browsers: what each cookie says, who signed in, and who they are in a meeting.

A session has a drawn id and a row in the database (`KeptSessions`). It ends by signing out, with the link
that opened it, with its time, or because the token that it was signed in with was changed. The cookie is a
JWT, signed with a key that is drawn and kept in the database, so that nothing can be guessed from a cookie.

A cookie also holds the id of its browser, which is drawn and lasts until somebody signs out there. From it
follows who they are in each meeting: the same after reloading the page and after signing in again, so that a
no to being heard still counts.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal, Protocol

import jwt

from context.primitives.guest_identity import guest_identity, page_identity
from worker.clock import now_utc
from worker.configuration.settings import Settings
from worker.links import Link
from worker.web.viewers import SigningProxy, Viewer

SESSION: Final = timedelta(days=7)
_AUDIENCE: Final = "moim-session"
_DIGEST_CHARS: Final = 16
_MAX_ENDED_SESSIONS: Final = 10_000
"""So many ids of sessions that ended in this process are kept, the newest."""

SignedInWith = Literal["api", "pages", "link"]
"""api: MOIM_API_TOKEN · pages: MOIM_PAGES_TOKEN · link: a link to one meeting."""


class KeptSessions(Protocol):
    """The sessions of a tenant, as all dispatchers share them. Every method may raise `PortError`."""

    async def key(self) -> bytes:
        """Give the key that signs cookies; it is drawn when it is first asked for, and the same for all."""

    async def begin(
        self,
        session_id: str,
        kind: SignedInWith,
        *,
        link_id: str | None,
        administrator: bool,
        lasting: timedelta,
    ) -> None:
        """Keep a session that has just begun; `link_id` is that of a `link`, else None."""

    async def standing(self, session_ids: Collection[str]) -> frozenset[str]:
        """Give those of these that have not ended or expired, nor has their link, nor was it withdrawn."""

    async def end(self, session_id: str) -> bool:
        """End a session; False where there is none, or it was ended before."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A session that has just begun."""

    viewer: Viewer
    cookie: str


class Sessions:
    """Checks tokens, begins and ends sessions, and reads their cookies."""

    def __init__(
        self, settings: Settings, kept: KeptSessions, *, now: Callable[[], datetime] = now_utc
    ) -> None:
        """Take MOIM_API_TOKEN, for programs, and MOIM_PAGES_TOKEN, for people, from the settings."""
        pages = settings.pages
        self.proxy = SigningProxy(pages.user_header, pages.proxies, pages.admins)
        self._tokens: dict[SignedInWith, bytes] = {
            "api": _bytes(settings.api.token.get_secret_value()),
            "pages": _bytes(pages.token.get_secret_value()),
        }
        self._on_loopback = settings.on_loopback
        self._kept, self._now = kept, now
        self._key = b""
        self._ended: dict[str, None] = {}

    def is_program(self, offered: str) -> bool:
        """Tell whether this is the API's token, in a time that tells nothing of it."""
        return self._is("api", offered)

    def signs_in(self, offered: str) -> SignedInWith | None:
        """Tell which token this is, the API's or the pages'; None: neither, and it signs nobody in."""
        # Both are compared, whichever it is.
        fits = {kind: self._is(kind, offered) for kind in self._tokens}
        return next((kind for kind, right in fits.items() if right), None)

    async def begin(self, kind: SignedInWith, link: Link | None = None, *, before: str = "") -> Begun:
        """Begin a session, for a guest by `link` where the kind is that. Raises `PortError`.

        `before` is the cookie that the browser had: its session ends, and the browser stays the same one,
        unless somebody had signed out of it.
        """
        await self._load_key()
        browser_id = secrets.token_hex(16)
        if (had := self._claims_of(before)) is not None and await self._end(had["jti"]):
            browser_id = had["browser"]
        lasting = min(SESSION, link.expires_at - self._now()) if link is not None else SESSION
        claims: dict[str, Any] = {
            "aud": _AUDIENCE,
            "jti": secrets.token_hex(8),
            "browser": browser_id,
            "exp": self._now() + lasting,
            "as": kind,
        }
        if link is not None:
            claims |= {"link": link.id, "meeting": link.meeting_id, "edit": link.may_edit}
        else:
            claims["token"] = self._mark(kind)
        viewer = self._viewer(claims)
        await self._kept.begin(
            viewer.session_id,
            kind,
            link_id=viewer.link_id,
            administrator=viewer.administrator,
            lasting=lasting,
        )
        return Begun(viewer, jwt.encode(claims, self._key, algorithm="HS256"))

    async def viewer(self, cookie: str) -> Viewer | None:
        """Read a cookie; None where it is none of ours, has expired, or its token was changed.

        Whether its session stands still is the database's to say (`KeptSessions.standing`).
        Raises `PortError`.
        """
        if not cookie:
            return None
        await self._load_key()
        claims = self._claims_of(cookie)
        if claims is None or claims["exp"] <= self._now().timestamp() or claims["jti"] in self._ended:
            return None
        if "link" not in claims and not hmac.compare_digest(claims["token"], self._mark(claims["as"])):
            return None
        return self._viewer(claims)

    async def end(self, cookie: str) -> None:
        """Sign out: end the session of a cookie, in this process at once. Raises `PortError`."""
        await self._load_key()
        if (claims := self._claims_of(cookie)) is not None:
            await self._end(claims["jti"])

    def identity(self, viewer: Viewer, meeting_id: str) -> str | None:
        """Give the id of the participant that a viewer is in a meeting's room; None for a program.

        Whom a proxy has signed in is the same in every meeting, a browser another one in each.
        """
        if viewer.person is not None:
            return viewer.person_id
        if not viewer.browser_id:
            return None
        about = b"\0".join((b"identity", _bytes(meeting_id), _bytes(viewer.browser_id)))
        digest = self._digest(about)[:_DIGEST_CHARS]
        return page_identity(digest) if viewer.link_id is None else guest_identity(viewer.link_id, digest)

    async def _load_key(self) -> None:
        self._key = self._key or await self._kept.key()

    async def _end(self, session_id: str) -> bool:
        self._ended[session_id] = None
        if len(self._ended) > _MAX_ENDED_SESSIONS:
            del self._ended[next(iter(self._ended))]
        return await self._kept.end(session_id)

    def _viewer(self, claims: dict[str, Any]) -> Viewer:
        administrator = claims["as"] == "api" or (claims["as"] == "pages" and self._on_loopback)
        return Viewer(
            claims.get("meeting"),
            claims.get("edit", True),
            claims.get("link"),
            session_id=claims["jti"],
            browser_id=claims["browser"],
            administrator=administrator,
        )

    def _claims_of(self, cookie: str) -> dict[str, Any] | None:
        """Give what a cookie of ours says, also one that has expired; None where we did not sign it."""
        try:
            return jwt.decode(
                _bytes(cookie),
                self._key,
                algorithms=["HS256"],
                audience=_AUDIENCE,
                options={"require": ["exp", "jti", "browser", "as"], "verify_exp": False},  # by our own clock
            )
        except jwt.InvalidTokenError:
            return None

    def _is(self, kind: SignedInWith, offered: str) -> bool:
        token = self._tokens[kind]
        return bool(token) and hmac.compare_digest(_bytes(offered), token)

    def _mark(self, kind: SignedInWith) -> str:
        """What tells a token from a later one in its place; without the key it says nothing of either."""
        return self._digest(b"token\0" + self._tokens[kind])

    def _digest(self, about: bytes) -> str:
        return hmac.new(self._key, about, hashlib.sha256).hexdigest()


def _bytes(token: str) -> bytes:
    # aiohttp reads headers as UTF-8 with surrogates for what is not.
    return token.encode("utf-8", "surrogateescape")
