"""Which names rooms, meetings and people may have, and which keys rooms: what ends up in addresses, logs and
attributes, or is told to LiveKit.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote

from context.primitives.text import has_controls, one_line

MAX_ROOM_BYTES: Final = 256
"""LiveKit's own limit for the name of a room, which it counts in bytes of UTF-8: 85 Korean letters."""


def name_fault(name: str) -> str | None:
    """Say why this may not be a name or id, which ends up in logs and attributes; None where it may."""
    if not one_line(name):
        return "must hold text"
    if has_controls(name):
        return "must not hold control characters"
    if (form := one_line(unquote(name))) in {".", ".."}:
        return f"must not be {form}: in an address that means a folder, and leads elsewhere"
    return None


def room_fault(name: str) -> str | None:
    """Say why no room of LiveKit's can have this name, or Moim cannot record it; None where it can."""
    if (fault := name_fault(name)) is not None:
        return fault
    if (size := len(name.encode())) > MAX_ROOM_BYTES:
        return f"must have at most {MAX_ROOM_BYTES} bytes in UTF-8, LiveKit's limit: it has {size}"
    return None


MAX_KEY_CHARS: Final = 1_000
"""The most characters that the key of a room may have."""


def key_fault(key: str) -> str | None:
    """Say why this cannot be the key of an end-to-end encrypted room; None where it can."""
    if not key.strip():
        return "must hold text"
    if len(key) > MAX_KEY_CHARS:
        return f"must have at most {MAX_KEY_CHARS} characters"
    if has_controls(key):
        return "must be one line, without control characters"
    return None
