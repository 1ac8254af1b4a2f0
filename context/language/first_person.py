"""The first person: whether somebody who says something speaks of themselves (`says_i`)."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from context.language.closed_lists import closed_lists

_LISTS: Final = closed_lists("people")
FIRST_PERSON: Final = frozenset((*_LISTS["i_ko"], *_LISTS["i_en"]))
"""What people call themselves, in small letters."""
_MARKS: Final = ".,:;!?()[]\"'“”‘…~-/*"
_ONLY_ASKS: Final = {
    *((before, "me") for before in _LISTS["told_me"]),
    *((before, "i") for before in _LISTS["asked_by_i"]),
}


def says_i(text: str) -> bool:
    """Whether whoever says `text` speaks of themselves. "Tell me" and "can I see" only ask."""
    words = [word.strip(_MARKS) for word in text.lower().replace("’", "'").split()]
    return not FIRST_PERSON.isdisjoint(words) and any(
        word in FIRST_PERSON and (before, word) not in _ONLY_ASKS for before, word in pairwise(["", *words])
    )
