"""Text at the fold's door: what no database, stream or terminal can hold is replaced before it is folded.

If it were mended later, on its way into the record, a restored meeting would differ from the live one.
So everybody who brings text in, and the session for all the rest, cleans it here.
"""

from __future__ import annotations

import re
from typing import Any, Final, TypeVar

from context.models import Frozen

LONGEST_CHARS: Final = 1_000_000
"""Nobody says more in one turn; what is beyond is cut off."""
LONGEST_NAME: Final = 200
REPLACEMENT: Final = "\ufffd"

_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters, line separators, and marks that turn the writing direction of what follows."""
_NAMES: Final = frozenset({"name", "speaker_name"})
_Value = TypeVar("_Value", bound=Frozen)


def clean(text: str, limit: int = LONGEST_CHARS) -> str:
    """`text` as every part can hold it: no NUL, no half of a character, at most `limit` characters.

    Halves that belong together become their character, single ones and NUL become U+FFFD.
    """
    if len(text) > limit:
        text = text[:limit]
    if "\0" in text:
        text = text.replace("\0", REPLACEMENT)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def clean_name(name: str, otherwise: str = "") -> str:
    """A person's name on one line, at most 200 characters; `otherwise` where nothing is left of it.

    A name stands in quotes, logs and chat: with a line break in it, it could put words into
    somebody else's mouth.
    """
    kept = " ".join(clean(_UNPRINTABLE.sub(" ", name[: 4 * LONGEST_NAME])).split())
    return kept[:LONGEST_NAME].rstrip() or otherwise


def cleaned(value: _Value) -> _Value:
    """The same value with every text in it clean, names on one line; itself where there is nothing to do."""
    changed: dict[str, Any] = {}
    for field, held in value.__dict__.items():
        if field in _NAMES and isinstance(held, str):
            mended: Any = clean_name(held)
            if mended != held:
                changed[field] = mended
        elif (mended := _cleaned(held)) is not held:
            changed[field] = mended
    return value.model_copy(update=changed) if changed else value


def _cleaned(held: Any) -> Any:
    if isinstance(held, str):
        mended = clean(held)
        return held if mended == held else mended
    if isinstance(held, Frozen):
        return cleaned(held)
    if isinstance(held, tuple):
        items = tuple(_cleaned(item) for item in held)
        return held if all(new is old for new, old in zip(items, held, strict=True)) else items
    return held
