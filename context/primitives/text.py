"""Text that enters and leaves a meeting: in one canonical form on its way in, made harmless on its way out.

On its way in. Whoever brings text in gives it one of four shapes, and so does `cleaned` for all texts of an
event, before it is folded and when an old record is read: what is folded is what is recorded, to the letter.
`one_line` is the usual one: composed letters (Unicode's NFC), no line breaks, tabs or runs of blanks, nothing
that nobody can see. `many_lines` keeps the line breaks of what is written in paragraphs, such as an answer.
`clean_name` is a line of bounded length. An id is only `storable`: it stays as LiveKit and others write it.

On its way out. Answers are Markdown. What people say, write or call themselves is quoted in them as it was
said, but it must not become a link, a picture or HTML, and must not look like a quote of somebody else.
For a chat that shows text as it is, `MarkdownStripper` takes the Markdown signs out again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import groupby
from typing import Annotated, Any, Final, Literal, TypeVar, cast, get_args, get_origin

from pydantic import BaseModel

LONGEST_CHARS: Final = 1_000_000
"""Longer texts are cut off; nobody says more in one turn."""
MAX_NAME_CHARS: Final = 200
"""Characters of a name; longer ones are cut off."""
REPLACEMENT: Final = "\ufffd"
"""What stands in the place of a character that cannot be kept."""

_NORMAL_FORM: Final = "NFC"
_BREAKS: Final = "\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
_NEVER_SEEN: Final = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    "\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
"""Control and format characters, and letters without a shape: of no use anywhere."""
_SOMETIMES_SEEN: Final = "\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Joiners and variation selectors: they belong where they change the look of what stands beside them."""
_BLANKS: Final = "\t\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000"
"""Blanks other than the usual one."""
_HALVES: Final = "\ud800-\udfff"

_HIDDEN_CHARACTERS: Final = re.compile(f"[{_NEVER_SEEN}]+")
_DOUBTFUL_CHARACTER: Final = re.compile(f"[{_SOMETIMES_SEEN}]")
_LOOKED_AT: Final = re.compile(f"[{_NEVER_SEEN}{_SOMETIMES_SEEN}]")
_NOT_IN_A_LINE: Final = re.compile(
    f"[{_NEVER_SEEN}{_SOMETIMES_SEEN}{_BREAKS}{_BLANKS}{_HALVES}]|\\A |  | \\Z"
)
_NOT_IN_LINES: Final = re.compile(f"[\r\t\x1f{_NEVER_SEEN}{_SOMETIMES_SEEN}{_BREAKS[1:]}{_HALVES}]")
_LINE_BREAK: Final = re.compile(f"\r\n|[{_BREAKS}]")
_SPACED: Final = re.compile(f"[ {_BREAKS}{_BLANKS}]+")
_UNFIT_CHARACTER: Final = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{_HALVES}]")
_MOST_MARKS: Final = 30
"""So many combining marks on one letter are kept, as in Unicode's Stream-Safe Text Format: to put thousands
in their canonical order takes minutes."""
_MAX_UNCHECKED_CHARS: Final = 1_000
"""In a shorter text they cost nothing."""

_Value = TypeVar("_Value", bound=BaseModel)


def storable(text: str, limit: int = LONGEST_CHARS) -> str:
    """`text` as every store can hold it: no NUL, no surrogates, at most `limit` characters.

    A pair of surrogates becomes its character; single ones and NUL become U+FFFD.
    """
    if len(text) > limit:
        text = text[:limit]
    return _whole(text.replace("\0", REPLACEMENT) if "\0" in text else text)


def one_line(text: str, limit: int = LONGEST_CHARS) -> str:
    """`text` in the canonical form, on one line of at most `limit` characters; "" if nothing is to be seen.

    Its letters are composed (NFC). Line breaks, tabs and runs of blanks become one blank; control and format
    characters go, joiners and variation selectors where they do nothing. Idempotent.
    """
    if len(text) > limit:
        text = text[:limit]
    if _NOT_IN_A_LINE.search(text) is None and unicodedata.is_normalized(_NORMAL_FORM, text):
        return text
    return _SPACED.sub(" ", _composed(_whole(text))).strip(" ")[:limit].rstrip(" ")


def many_lines(text: str, limit: int = LONGEST_CHARS) -> str:
    """`text` in the canonical form with its line breaks, all of them LF, and its blanks. Idempotent."""
    if len(text) > limit:
        text = text[:limit]
    if _NOT_IN_LINES.search(text) is None and unicodedata.is_normalized(_NORMAL_FORM, text):
        return text
    broken = _LINE_BREAK.sub("\n", _whole(text)).replace("\t", "    ").replace("\x1f", " ")
    return _composed(broken)[:limit]


def clean_name(name: str, otherwise: str = "") -> str:
    """A person's name as a `line` of at most 200 characters; `otherwise` where nothing is left of it.

    A name stands in quotes, logs and chat: with a line break in it, it could put words into
    somebody else's mouth.
    """
    return one_line(one_line(name, 4 * MAX_NAME_CHARS), MAX_NAME_CHARS) or otherwise


def has_controls(text: str) -> bool:
    """Whether a control character, a line separator or half of a character stands in `text`."""
    return _UNFIT_CHARACTER.search(text) is not None


def visible(text: str) -> str:
    """`text` without what nobody can see; line breaks and blanks stay."""
    return _seen(text) if _LOOKED_AT.search(text) is not None else text


def _whole(text: str) -> str:
    """`text` with pairs of surrogates as their character, and U+FFFD for single ones."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _composed(text: str) -> str:
    seen = visible(text)
    if len(seen) > _MAX_UNCHECKED_CHARS and not unicodedata.is_normalized(_NORMAL_FORM, seen):
        runs = groupby(seen, lambda char: unicodedata.combining(char) != 0)
        seen = "".join("".join(run)[: _MOST_MARKS if marks else None] for marks, run in runs)
    return unicodedata.normalize(_NORMAL_FORM, seen)


def _seen(text: str) -> str:
    bare = _HIDDEN_CHARACTERS.sub("", text)
    kept: list[str] = []
    at, before = 0, ""
    for found in _DOUBTFUL_CHARACTER.finditer(bare):
        between = bare[at : found.start()]
        at, before = found.end(), between[-1:] or before
        kept.append(between)
        if _belongs(found[0], before, bare[at : at + 1]):
            kept.append(before := found[0])
    return "".join([*kept, bare[at:]])


def _belongs(char: str, before: str, after: str) -> bool:
    """Whether a joiner or variation selector changes the look of `before`, which stands before it."""
    if not before:
        return False
    kind = unicodedata.category(before)
    match char:
        case "\u200d" | "\u200c":
            if _joins(before) and _joins(after):
                return True
            emoji = kind == "So" or before == "\ufe0f" or "\U0001f3fb" <= before <= "\U0001f3ff"
            return char == "\u200d" and emoji and after != "" and unicodedata.category(after) in {"So", "Sm"}
        case "\u180b" | "\u180c" | "\u180d" | "\u180f":
            return "\u1820" <= before <= "\u18aa"
        case "\ufe0e" | "\ufe0f" if before in "#*0123456789":
            return after == "\u20e3"
        case _ if "\ufe00" <= char <= "\ufe0f":
            pictured = kind == "So" or (kind == "Sm" and not before.isascii()) or before in "‼⁉〰〽ℹ"
            return pictured or _is_ideograph(before) or "\u1000" <= before <= "\u109f"
        case _:
            return _is_ideograph(before)


def _joins(char: str) -> bool:
    """Whether `char` is of a script whose letters join or part: Arabic, those of India, Mongolian, others."""
    if char == "" or unicodedata.category(char)[0] not in "LM":
        return False
    point = ord(char)
    return any(first <= point <= last for first, last in _JOINING)


_JOINING: Final = (
    (0x0600, 0x0DFF), (0x0F00, 0x109F), (0x1780, 0x18AF), (0x1A20, 0x1AAD), (0x1B00, 0x1C4F),
    (0xA800, 0xA95F), (0xA980, 0xABFF), (0x10A00, 0x11FFF),
)  # fmt: skip


def _is_ideograph(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char >= "\U00020000"


Id = Annotated[str, storable]
"""A text of a value that is an id of others, and stays as they write it."""
Name = Annotated[str, clean_name]
"""One that is somebody's name."""
Prose = Annotated[str, many_lines]
"""One that may have several lines. All others are `one_line`."""


def cleaned(value: _Value) -> _Value:
    """The same value with every text in it in its shape; itself where there is nothing to do."""
    held = value.__dict__
    changed = {}
    for field, shape in _shapes(type(value)).items():
        before = held[field]
        if before is None:
            continue
        after = shape(before) if type(before) is str else _cleaned(before, shape)
        if after is not before:
            changed[field] = after
    return value.model_copy(update=changed) if changed else value


def _cleaned(held: Any, shape: Callable[[str], str]) -> Any:
    match held:
        case str():
            return shape(held)
        case tuple():
            items = tuple(_cleaned(item, shape) for item in held)
            return items if any(new is not old for new, old in zip(items, held, strict=True)) else held
        case BaseModel():
            return cleaned(held)
        case _:
            return held


@cache
def _shapes(kind: type[BaseModel]) -> dict[str, Callable[[str], str]]:
    """The shapes of the fields of a model that may hold text, by the marks in their annotations."""
    return {
        name: _marked(info.annotation, *info.metadata) or one_line
        for name, info in kind.model_fields.items()
        if _holds_text(info.annotation)
    }


def _holds_text(annotation: Any) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, str | BaseModel):
        return True
    return get_origin(annotation) is not Literal and any(map(_holds_text, get_args(annotation)))


def _marked(annotation: Any, *marks: Any) -> Callable[[str], str] | None:
    for mark in (*marks, *getattr(annotation, "__metadata__", ())):
        if mark in (storable, many_lines, clean_name):
            return cast("Callable[[str], str]", mark)
    return next((shape for part in get_args(annotation) if (shape := _marked(part))), None)


_LINK: Final = re.compile(r"\](?=[(\[:])")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_NAME_MARKS: Final = re.compile(r"[*`\[\]<>]+|\(\d{1,2}:\d{2}(?::\d{2})?\)")
_FORGED: Final = re.compile(r"\*\*([^*\n]{1,200})\*\*(?=\s*\(\s*\d{1,2}:\d{2})")


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
    """Somebody's words, quoted in an answer: inert, on one line, without `**`, between which names stand."""
    return inert(one_line(text)).replace("**", "")


def inert_claim(text: str) -> str:
    """A line that a model wrote: inert, its bold type kept, but not where it forges a `**name** (time)`."""
    return _FORGED.sub(r"\1", inert(text))


def inert_name(name: str) -> str:
    """A person's name, or a title, on one line and without the marks that quotes are made of."""
    return one_line(_NAME_MARKS.sub(" ", one_line(name)))


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
