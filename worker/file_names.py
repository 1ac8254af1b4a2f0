"""Names of files for ids that are free text."""

from __future__ import annotations

import hashlib
import re
from typing import Final

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]")


def file_name(meeting_id: str) -> str:
    """A file's name for any id, of which no other id has the same; at most some 100 bytes.

    Ids are free text, a path or 200 Korean letters: what is not plain is told by a digest.
    """
    plain = _UNSAFE.sub("-", meeting_id)[:60]
    if plain == meeting_id:
        return plain
    return f"{plain}.{hashlib.sha256(meeting_id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
