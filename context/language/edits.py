"""The mark of words that were edited: `(edited by Ben)`, `(박지훈 님이 수정)`. Nobody said them so.

The mark stands between the speaker and the words, or behind them in a tag of its own, where nothing stands
that somebody said: so it is not forged by saying it, and it is told from the words when they are compared.
"""

from __future__ import annotations

import re
from typing import Final

from context.language.closed_lists import wording
from context.primitives.text import inert_name

_WORDS: Final = wording("edits")
_SIGNS: Final = str.maketrans({"(": " ", ")": " ", ":": " "})
EDIT_MARK: Final = r"\((?:edited by [^()\n]+|[^()\n]+ 님이 수정)\)"
"""A pattern of the mark, in either language; it holds no colon."""
_MARK: Final = re.compile(rf"\s*{EDIT_MARK}")
_BEHIND_A_NAME: Final = re.compile(r"\s*\((?:edited by ([^()\n]+)|([^()\n]+) 님이 수정)\)\Z")


def edited(by: str | None, language: str) -> str:
    """Who edited it, in `ko` or else English: `edited by Ben`; "" for words that are as they were heard."""
    if by is None:
        return ""
    name = " ".join(inert_name(by).translate(_SIGNS).split())
    return _WORDS["ko" if language == "ko" else "en"]["edited"].format(name or "?")


def edit_mark(by: str | None, language: str) -> str:
    """The mark as it stands behind a name, with a blank before it; "" for words that are as heard."""
    return f" ({told})" if (told := edited(by, language)) else ""


def without_edit_marks(text: str) -> str:
    """A text without marks, as a model may have copied them from its prompt."""
    return _MARK.sub("", text) if "(" in text else text


def parted(name: str) -> tuple[str, str | None]:
    """A name and who edited the words behind it, where a mark stands there; else None."""
    found = _BEHIND_A_NAME.search(name)
    return (name, None) if found is None else (name[: found.start()], found[1] or found[2])
