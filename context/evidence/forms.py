"""What of a text does something where it is shown or read by a machine: mentions, markup, links, calls.

And what cannot be compared with what was said, being in letters of neither language.
"""

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


_OTHER_LETTERS: Final = re.compile(r"[^\W\d_A-Za-zªºµ\u00c0-\u024f가-힣ㄱ-ㅣ]+")


def forms_stand(text: str, spoken: str) -> bool:
    """Whether a claim holds nothing that acts, and no address, call or letters that its evidence does not."""
    seen = unicodedata.normalize("NFKC", text)
    if _ACTS.search(seen) is not None:
        return False
    said = _letters(spoken)
    found = (*_ADDRESS.finditer(seen), *_OTHER_LETTERS.finditer(seen))
    return all(_letters(each.group()) in said for each in found)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
