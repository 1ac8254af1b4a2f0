"""The identities of a link's guests in a room: they tell which link let somebody in."""

from __future__ import annotations

import re
from typing import Final

_GUEST: Final = re.compile(r"guest-([0-9A-Za-z]{1,64})-[0-9a-f]{8,64}")


def guest_identity(link_id: str, digest: str) -> str:
    """Make the identity of a guest by a link; `digest` (hexadecimal) tells its guests apart."""
    return f"guest-{link_id}-{digest}"


def link_of(identity: str) -> str | None:
    """Give the id of the link by which a participant is a guest; None for anybody else."""
    found = _GUEST.fullmatch(identity)
    return found[1] if found is not None else None
