"""Does somebody speak of themselves? By a closed list of what one calls oneself."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from context.language.closed_lists import closed_lists

_LISTS: Final = closed_lists("people")
_I: Final = frozenset((*_LISTS["i_ko"], *_LISTS["i_en"]))
_MARKS: Final = ".,:;!?()[]\"'“”‘…~-/*"
_ONLY_ASKS: Final = {
    *((before, "me") for before in _LISTS["told_me"]),
    *((before, "i") for before in _LISTS["asked_by_i"]),
}


def says_i(text: str) -> bool:
    """Does whoever says this speak of themselves? Who says "tell me" or "can I see" only asks."""
    said = [word.strip(_MARKS) for word in text.lower().replace("’", "'").split()]
    return not _I.isdisjoint(said) and any(
        word in _I and (before, word) not in _ONLY_ASKS for before, word in pairwise(["", *said])
    )
