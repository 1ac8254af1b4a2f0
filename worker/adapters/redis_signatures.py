r"""Signed entries: who writes a command into Redis shows that he has `MOIM_API_TOKEN`.

    sig = hex( HMAC-SHA256( key = the token's UTF-8 bytes,
                            message = stream name + "\n" + canonical JSON of the entry without `sig` ) )

Canonical JSON: keys sorted by code point at every level, no blanks (`,` and `:` alone), characters as they
are (no `\uXXXX` but for what JSON must escape), UTF-8. The stream's name is part of what is signed, so an
entry counts in no other meeting. That the same entry twice does nothing twice is the entries' own affair:
a question counts once by its id, and a room that is wanted twice is one meeting.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any, Final

FIELD: Final = "sig"
UNSIGNED: Final = "not signed: MOIM_API_TOKEN is set here, so `sig` is needed (see README)"
FORGED: Final = "`sig` does not fit: it must be made with this deployment's MOIM_API_TOKEN, for this stream"


class Signer:
    """Signs entries, and tells signed ones from others."""

    def __init__(self, token: str) -> None:
        self._key = token.encode("utf-8", "surrogatepass")

    def signed(self, stream: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The entry with its signature."""
        return {**fields, FIELD: self._signature(stream, fields)}

    def fault(self, stream: str, fields: Mapping[str, Any]) -> str | None:
        """Why this entry is not to be obeyed; None where it is."""
        given = fields.get(FIELD)
        if not isinstance(given, str):
            return UNSIGNED
        wanted = self._signature(stream, fields)
        same = hmac.compare_digest(given.lower().encode("utf-8", "surrogatepass"), wanted.encode())
        return None if same else FORGED

    def _signature(self, stream: str, fields: Mapping[str, Any]) -> str:
        message = f"{stream}\n{canonical(fields)}".encode("utf-8", "surrogatepass")
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()


def canonical(fields: Mapping[str, Any]) -> str:
    """The JSON text that is signed."""
    rest = {name: value for name, value in fields.items() if name != FIELD}
    return json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
