"""Does somebody speak of themselves? By a closed list of what one calls oneself."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from context.language.closed_lists import closed_lists

_LISTS: Final = closed_lists("people")
_I: Final = frozenset((*_LISTS["i_ko"], *_LISTS["i_en"]))
_MARKS: Final = ".,:;!?()[]\"'“”‘…~-/*"
_TOLD_ME: Final = frozenset(_LISTS["told_me"])


def says_i(text: str) -> bool:
    """Does whoever says this speak of themselves? Who says "tell me" only asks."""
    said = [word.strip(_MARKS) for word in text.lower().replace("’", "'").split()]
    return not _I.isdisjoint(said) and any(
        word in _I and not (word == "me" and before in _TOLD_ME) for before, word in pairwise(["", *said])
    )
