"""The identities that our own page gives in a meeting: which link let a guest in, and which browser it is.

A browser has one mark in a meeting, which stands in each identity that it may have there: `web-MARK` where
somebody has signed in, `guest-LINK-MARK` for a guest by a link. So who comes by another link, or signs in, is
still the one who was here before: what they said to being heard goes on counting, and all of their words are
theirs. What they may do follows from the link that they came by last.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_GUEST: Final = re.compile(r"guest-([0-9A-Za-z]{1,64})-([0-9a-f]{8,64})")
_SIGNED_IN: Final = re.compile(r"web-([0-9a-f]{12,64})")


def guest_identity(link_id: str, digest: str) -> str:
    """Make the identity of a guest by a link; `digest` (hexadecimal) is their browser's mark."""
    return f"guest-{link_id}-{digest}"


def page_identity(digest: str) -> str:
    """Make the identity of somebody who has signed in; `digest` (hexadecimal) is their browser's mark."""
    return f"web-{digest}"


def link_of(identity: str) -> str | None:
    """Give the id of the link by which a participant is a guest; None for anybody else."""
    found = _GUEST.fullmatch(identity)
    return found[1] if found is not None else None


def browser_of(identity: str) -> str | None:
    """Give the mark of the browser from which a participant came; None for who came otherwise."""
    if (guest := _GUEST.fullmatch(identity)) is not None:
        return guest[2]
    signed_in = _SIGNED_IN.fullmatch(identity)
    return signed_in[1] if signed_in is not None else None


def is_one_of(identity: str, ids: Collection[str | None]) -> bool:
    """Tell whether somebody has one of these ids in a meeting, or came there from the browser of one."""
    if identity in ids:
        return True
    mark = browser_of(identity)
    return mark is not None and any(each is not None and browser_of(each) == mark for each in ids)
