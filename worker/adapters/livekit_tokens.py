"""LiveKit tokens; none that this process makes is valid for longer than ten minutes.

The SDK's default is six hours, also for the tokens that it makes by itself: one for each call of a
service, one for each registration of a worker. All are used at once, so a token that somebody finds in a
proxy's log is soon worth nothing. The token that an agent joins with is the server's, made for one room.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from datetime import timedelta
from typing import Final, Literal

from livekit import api
from livekit.api import access_token

TTL: Final = timedelta(minutes=10)

PAGE_TTL: Final = timedelta(minutes=2)
"""The life of a token that our page asks for and uses at once. A guest's must not be good for long after its
link has ended; whoever is in the room is kept there by LiveKit itself."""

PAGE_ATTRIBUTE: Final = "moim.page"
"""What shows of a participant who joined from our page that we made their token (`page_mark`)."""


def shorten_token_lives() -> None:
    """Make `TTL` the SDK's default for every token that this process makes from now on."""
    access_token.DEFAULT_TTL = TTL


def participant_token(
    api_key: str,
    api_secret: str,
    room: str,
    identity: str,
    name: str,
    *,
    kind: Literal["standard", "agent"] = "standard",
    attributes: Mapping[str, str] | None = None,
    ttl: timedelta = TTL,
) -> str:
    """Return a signed token (JWT) with which `identity` may join this one room, speak, listen and write.

    A front end gives it to its user; `kind="agent"` is for another agent. All in the room see `attributes`.
    """
    grants = api.VideoGrants(
        room_join=True,
        room=room,
        can_publish=True,
        can_subscribe=True,
        can_publish_data=True,
        agent=kind == "agent",
    )
    return (
        api.AccessToken(api_key, api_secret)
        .with_identity(identity)
        .with_name(name)
        .with_kind(kind)
        .with_attributes(dict(attributes or {}))
        .with_ttl(ttl)
        .with_grants(grants)
        .to_jwt()
    )


def notice_token(api_key: str, api_secret: str, room: str, agent: str) -> str:
    """Return a token by which the `agent` may write into a room a second time: unseen, and hearing nobody."""
    grants = api.VideoGrants(
        room_join=True, room=room, hidden=True, can_publish=False, can_subscribe=False, can_publish_data=True,
        agent=True,
    )  # fmt: skip
    token = api.AccessToken(api_key, api_secret).with_identity(f"{agent}-notice").with_kind("agent")
    return token.with_ttl(PAGE_TTL).with_grants(grants).to_jwt()


def page_token(api_key: str, api_secret: str, room: str, identity: str, name: str) -> str:
    """Return a token for whoever joins from our page; it has a mark that nobody else can make."""
    mark = {PAGE_ATTRIBUTE: page_mark(api_secret, room, identity)}
    return participant_token(api_key, api_secret, room, identity, name, attributes=mark, ttl=PAGE_TTL)


def page_mark(api_secret: str, room: str, identity: str) -> str:
    """Make the mark of whoever joins a room from our page.

    All in a room see attributes, and a front end may let its people change their own: so it is good for this
    one participant in this one room.
    """
    about = b"\0".join((b"moim.page", room.encode(), identity.encode()))
    return hmac.new(api_secret.encode(), about, hashlib.sha256).hexdigest()
