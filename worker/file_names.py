"""Safe names of files for ids that are free text."""

from __future__ import annotations

import hashlib
import re
from typing import Final

_UNSAFE_CHARACTER: Final = re.compile(r"[^A-Za-z0-9_-]")


def file_name(meeting_id: str) -> str:
    """Give a file's name for a meeting's id, which no other id has; it has at most 77 bytes.

    Ids are free text, a path or 200 Korean letters: one that is not plain gets a digest behind it.
    """
    plain = _UNSAFE_CHARACTER.sub("-", meeting_id)[:60]
    if plain == meeting_id:
        return plain
    return f"{plain}.{hashlib.sha256(meeting_id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
