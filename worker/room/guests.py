"""Guests who joined a room from the page that a link opened to them: who they are, and what their link is."""

from __future__ import annotations

import re
from typing import Final

from context.actors import Actor, participant

_GUEST: Final = re.compile(r"guest-([0-9A-Za-z]{1,64})-[0-9a-f]{8,64}")


def guest_identity(link_id: str, digest: str) -> str:
    """Make the identity in the room of a guest by a link; `digest` (hexadecimal) tells its guests apart."""
    return f"guest-{link_id}-{digest}"


def link_of(identity: str) -> str | None:
    """Give the id of the link by which somebody in the room is a guest; None for anybody else."""
    found = _GUEST.fullmatch(identity)
    return found[1] if found is not None else None


def actor_in_room(identity: str) -> Actor:
    """Make the actor of somebody in the room: a guest's right is that of their link, and their own words."""
    link_id = link_of(identity)
    if link_id is None:
        return participant(identity)
    return Actor(kind="link", id=link_id, own=(identity,))
