r"""Signed entries: who writes a command into Redis shows that they have `MOIM_API_TOKEN`.

    sig = hex( HMAC-SHA256( key = the token's UTF-8 bytes,
                            message = stream name + "\n" + canonical JSON of the entry without `sig` ) )

Canonical JSON: keys sorted by code point at every level, no blanks (`,` and `:` alone), characters as they
are (no `\uXXXX` but for what JSON must escape), UTF-8. The stream's name is part of what is signed, so an
entry counts in no other meeting and for no other tenant.

An entry also says when it was signed (`at`, whole milliseconds since 1970) and which one it is (`id`, unlike
any other's), so that a copy is worth nothing:

- `at` is compared with the moment at which the entry came into its stream, which Redis writes into its
  position. So an entry may wait for its reader as long as it must, and all readers come to the same verdict.
- A copy that comes within `WINDOW_MS`, or whose writer chose its position, has an `id` that was obeyed
  before. That is kept where the effect is kept, so that neither a takeover nor a Redis that came back empty
  forgets it: commands and questions in the meeting's own record, room requests beside the list of meetings.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import uuid
from collections.abc import Mapping
from typing import Any, Final

from worker.clock import now_utc

FIELD: Final = "sig"
WINDOW_MS: Final = 5 * 60 * 1000
"""Signing and writing may be this far apart, either way: clocks differ."""
UNSIGNED: Final = "not signed: MOIM_API_TOKEN is set here, so `sig` is needed (see docs/how-to/redis.md)"
FORGED: Final = "`sig` does not fit: it must be made with this deployment's MOIM_API_TOKEN, for this stream"
UNDATED_FAULT: Final = (
    "signed without a time or an id: sign `at` (whole milliseconds since 1970) and `id` (unlike any other's)"
    " with the entry (see docs/how-to/redis.md)"
)


class Signer:
    """Signs entries, and tells signed ones from others."""

    def __init__(self, token: str) -> None:
        """Sign by a token; with an empty one nothing is signed, and nothing has to be."""
        self._key = token.encode("utf-8", "surrogatepass")

    def signed(self, stream: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the entry with its time `at`, its `id` (a new one where it has none) and its signature."""
        if not self._key:
            return dict(fields)
        at = int(now_utc().timestamp() * 1000)
        whole = {"id": uuid.uuid4().hex, **fields, "at": at}
        return {**whole, FIELD: self._signature(stream, whole)}

    def fault(self, stream: str, position: str, fields: Mapping[str, Any]) -> str | None:
        """Return why an entry is not to be obeyed, in words for its writer; None where it is.

        `position`: the entry's in its stream, as Redis gave it (`<ms>-<number>`).
        """
        if not self._key:
            return None
        signature = fields.get(FIELD)
        if not isinstance(signature, str):
            return UNSIGNED
        try:
            wanted = self._signature(stream, fields)
        except RecursionError:  # JSON is read a little deeper than it is written: nobody can have signed this
            return FORGED
        if not hmac.compare_digest(signature.lower().encode("utf-8", "surrogatepass"), wanted.encode()):
            return FORGED
        at, id_ = fields.get("at"), fields.get("id")
        if type(at) is not int or type(id_) not in {str, int} or id_ == "":
            return UNDATED_FAULT
        late_ms = int(position.partition("-")[0]) - at
        if abs(late_ms) <= WINDOW_MS:
            return None
        apart = f"signed {abs(late_ms) // 1000} s {'before' if late_ms > 0 else 'after'} it was written"
        return f"{apart}, and {WINDOW_MS // 1000} s are allowed: sign it anew, by a clock that is right"

    def _signature(self, stream: str, fields: Mapping[str, Any]) -> str:
        message = f"{stream}\n{canonical(fields)}".encode("utf-8", "surrogatepass")
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()


def canonical(fields: Mapping[str, Any]) -> str:
    """Return the JSON text of an entry that is signed: all its fields but `sig`."""
    rest = {name: value for name, value in fields.items() if name != FIELD}
    return json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
