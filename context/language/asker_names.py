"""What an asker is called where no participant's name is known: a word for people, in either language."""

from __future__ import annotations

import re
from typing import Final

from context.language.closed_lists import wording
from context.primitives.askers import is_nobodys, shown_as

_WORDS: Final = wording("asker_names")
_CHANNEL_AND_LINK: Final = re.compile(r"\A(cli|http|page|link)( [0-9A-Za-z]+)?(?= \(“|\Z)")
"""How somebody came who gave no name, and by which link; what they call themselves stands behind it."""


def asker_name(id_: str, language: str) -> str:
    """Name an asker by their id, in `ko` or else English: as they were authenticated, or by how they came."""
    if not is_nobodys(id_):
        return id_
    words = _WORDS["ko" if language == "ko" else "en"]
    return _CHANNEL_AND_LINK.sub(lambda how: words[how[1]], shown_as(id_))
