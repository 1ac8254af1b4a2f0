"""Text that enters and leaves a meeting: cleaned on its way in, and made harmless on its way out.

Characters that no database, stream or terminal can hold are replaced before text is folded: if that were done
later, on its way into the record, a restored meeting would differ from the live one. So whatever brings text
in, and the session for all the rest, cleans it here.

Answers are Markdown. What people say, write or call themselves is quoted in them as it was said, but it must
not become a link, a picture or HTML, must not look like a quote of somebody else, and must not hold
what nobody can see (characters without width, marks that turn the writing direction round, tag characters).
For a chat that shows text as it is, `MarkdownStripper` takes the Markdown signs out again.
"""

from __future__ import annotations

import re
from typing import Any, Final, TypeVar

from context.models import Frozen

LONGEST_CHARS: Final = 1_000_000
"""Longer texts are cut off; nobody says more in one turn."""
LONGEST_NAME: Final = 200
"""Characters of a name; longer ones are cut off."""
REPLACEMENT: Final = "\ufffd"
"""What stands in the place of a character that cannot be kept."""

_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters, line separators, and marks that turn the writing direction of what follows."""
_NAMES: Final = frozenset({"name", "speaker_name"})
_Value = TypeVar("_Value", bound=Frozen)


def clean(text: str, limit: int = LONGEST_CHARS) -> str:
    """`text` as every store can hold it: no NUL, no surrogates, at most `limit` characters.

    A pair of surrogates becomes its character; single ones and NUL become U+FFFD.
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
    mended = {
        field: clean_name(held) if field in _NAMES and isinstance(held, str) else _cleaned(held)
        for field, held in value.__dict__.items()
    }
    changed = {field: held for field, held in mended.items() if held != value.__dict__[field]}
    return value.model_copy(update=changed) if changed else value


def _cleaned(held: Any) -> Any:
    if isinstance(held, str):
        return clean(held)
    if isinstance(held, Frozen):
        return cleaned(held)
    if isinstance(held, tuple):
        items = tuple(map(_cleaned, held))
        return items if items != held else held
    return held


_HIDDEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Characters without width, or invisible; not the joiners that scripts and emoji need."""
_LINK: Final = re.compile(r"\](?=[(\[:])")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_NAME_MARKS: Final = re.compile(r"[*`\[\]<>]+|\(\d{1,2}:\d{2}(?::\d{2})?\)")
_FORGED: Final = re.compile(r"\*\*([^*\n]{1,200})\*\*(?=\s*\(\s*\d{1,2}:\d{2})")


def visible(text: str) -> str:
    """`text` without invisible characters (`_HIDDEN`)."""
    return _HIDDEN.sub("", text) if not text.isascii() else text


def inert(text: str) -> str:
    """`text` without invisible characters, Markdown links and pictures, and HTML. Idempotent."""
    shown = visible(text)
    if "]" in shown:
        shown = _LINK.sub("] ", shown)
    return _TAG.sub("‹", shown) if "<" in shown else shown


def fenced(text: str) -> str:
    """`text` as data between the tags of a prompt: its < and > become ‹ and ›, so that it closes none."""
    return text.replace("<", "‹").replace(">", "›")


def inert_quote(text: str) -> str:
    """Somebody's words, quoted in an answer: inert, and without `**`, the marks that names stand between."""
    return inert(text).replace("**", "")


def inert_claim(text: str) -> str:
    """A line that a model wrote: inert, its bold type kept, but not where it forges a `**name** (time)`."""
    return _FORGED.sub(r"\1", inert(text))


def inert_name(name: str) -> str:
    """A person's name, or a title, on one line and without the marks that quotes are made of."""
    return " ".join(_NAME_MARKS.sub(" ", visible(name)).split())


_SIGN: Final = re.compile(r"\*\*|~~|`+|^(?:#{1,6} +|> ?)+", re.MULTILINE)
_MAY_GO_ON: Final = re.compile(r"[*~`]+\Z|(?:^|(?<=\n))[#> ]*\Z")


class MarkdownStripper:
    """Takes the Markdown signs out of one text that comes in pieces.

    A sign may lie on both sides of a cut, so what could still become one is held back until the next piece.
    """

    def __init__(self) -> None:
        self._held = ""
        self._line_begun = False

    def feed(self, piece: str) -> str:
        """Take in the next piece (not ""); gives what can be shown now, which may be ""."""
        text = self._held + piece
        cut = len(text)
        if found := _MAY_GO_ON.search(text):
            # Blanks, # and > are signs at the beginning of a line only.
            within_line = found.start() == 0 and self._line_begun
            if not within_line or text[0] in "*~`":
                cut = found.start()
        self._held = text[cut:]
        return self._shown(text[:cut])

    def flush(self) -> str:
        """End the text; gives what was held back."""
        text, self._held = self._held, ""
        return self._shown(text)

    def _shown(self, text: str) -> str:
        if not text:
            return ""
        before = "\x00" if self._line_begun else ""  # so that the pattern sees no line's beginning here
        self._line_begun = not text.endswith("\n")
        return _SIGN.sub("", before + text).removeprefix(before)
