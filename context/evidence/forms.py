"""What of a text does something where it is shown or read by a machine: mentions, markup, links, calls."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_ACTS: Final = re.compile(r"(?<![\w.])@\w|(?<!\S)/[A-Za-z]|<[@!/?A-Za-z]|\]\s?[(\[]|!\[|```")
"""Mentions, slash commands, tags, Markdown's links and pictures, fences: nobody says such a thing aloud."""
_ADDRESS: Final = re.compile(
    r"\b\w+://\S+|\bwww\.\S+|\S+@[\w-]+\.\w+|\b(?:[a-z0-9-]{2,}\.)+[a-z]{2,}\b(?!\()\S*"
    r"|\{\s*[\"']\w+[\"']\s*:|\b\w*[A-Za-z]_[A-Za-z]\w*|\b[A-Za-z]\w*(?:\.\w+)*\(\s*(?:\)|[\w\"']+\s*[=,)])"
)
"""Links and addresses, JSON, names and calls of functions: fit where they were said letter for letter."""


def forms_stand(text: str, spoken: str) -> bool:
    """Whether a claim holds nothing that acts, and no address or call that its evidence does not hold."""
    seen = unicodedata.normalize("NFKC", text)
    if _ACTS.search(seen) is not None:
        return False
    said = _letters(spoken)
    return all(_letters(found.group()) in said for found in _ADDRESS.finditer(seen))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
