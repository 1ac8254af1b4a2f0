"""The port of links to meetings' pages, by which people come who have not signed in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from pydantic import AwareDatetime

from context.models import Frozen


class Link(Frozen):
    """A link that opens one meeting's page to anybody, until it expires or is withdrawn."""

    id: str
    meeting_id: str
    may_edit: bool
    made_at: AwareDatetime
    expires_at: AwareDatetime


class EndedLink(Frozen):
    """A link that opens nothing any more, and the room that its guests may be in."""

    id: str
    room: str


class Links(Protocol):
    """The links of a tenant. The secret in a link is told once, and kept nowhere."""

    async def make(self, meeting_id: str, *, may_edit: bool, lasting: timedelta) -> tuple[Link, str]:
        """Make a link; give it and its secret. Raises `Refused` for an unknown meeting."""

    async def opened(self, secret: str) -> Link | None:
        """Give the link that a secret opens; None where it never opened one, or opens it no more."""

    async def standing(self, meeting_id: str) -> Sequence[Link]:
        """Give the links that still open a meeting, newest first."""

    async def stands(self, link_id: str) -> bool:
        """Tell whether a link has neither expired nor been withdrawn."""

    async def ended(self, within: timedelta) -> Sequence[EndedLink]:
        """Give those that expired or were withdrawn within this time, to meetings that have a room."""

    async def withdraw(self, meeting_id: str, link_id: str) -> bool:
        """Withdraw a meeting's link; False where no such link stood."""
