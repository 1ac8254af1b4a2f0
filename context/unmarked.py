"""An answer without its Markdown signs, for a chat that shows text as it is.

Answers are Markdown and come in pieces: a sign may lie on both sides of a cut, so what could still become one
is held back until the next piece.
"""

from __future__ import annotations

import re
from typing import Final

_SIGN: Final = re.compile(r"\*\*|~~|`+|^(?:#{1,6} +|> ?)+", re.MULTILINE)
_MAY_GO_ON: Final = re.compile(r"[*~`]+\Z|(?:^|(?<=\n))[#> ]*\Z")


class Unmarked:
    """Takes the pieces of one text in order."""

    def __init__(self) -> None:
        self._held = ""
        self._line_begun = False

    def take(self, piece: str) -> str:
        """What can be shown now; may be empty."""
        text = self._held + piece
        cut = len(text)
        if (found := _MAY_GO_ON.search(text)) and (found.start() or not self._line_begun or text[0] in "*~`"):
            cut = found.start()
        self._held = text[cut:]
        return self._shown(text[:cut])

    def rest(self) -> str:
        """What was held back; the text is over."""
        text, self._held = self._held, ""
        return self._shown(text)

    def _shown(self, text: str) -> str:
        if not text:
            return ""
        before = "\x00" if self._line_begun else ""  # so that the pattern sees no line's beginning here
        self._line_begun = not text.endswith("\n")
        return _SIGN.sub("", before + text).removeprefix(before)
