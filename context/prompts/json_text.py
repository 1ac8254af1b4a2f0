"""The JSON values in a model's text, read leniently: the one reader of what models write as JSON.

Correct JSON is read as it is. Beside it are understood: fences and prose around it; trailing,
missing and wide commas; single and curly quotation marks, and unescaped ones within a text; Python's `None`
and `True`; line breaks in a text; comments; words without quotation marks; a list that is given in two halves
under one key; and text that was cut off, of which all that is complete is kept. A text that is no JSON has no
values. Own lines and not `json-repair`: that one completes what was cut off, and half of an id is another
utterance's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from context.primitives.text import storable

_SKIPPED_TEXT: Final = re.compile(r"(?:\s|//[^\n]*|/\*[^*]{0,80}\*/)*", re.DOTALL)
_SEPARATORS: Final = re.compile(r"(?:\s|//[^\n]*|/\*[^*]{0,80}\*/|[,，、;])*", re.DOTALL)
_OPENING: Final = re.compile(r"[{\[｛［]")
_CLOSING_OF: Final = {"{": "}｝", "｛": "}｝", "[": "]］", "［": "]］"}
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」"}
_AT_VALUE_END: Final = r"(?=\s*(?:[,，:：}\]｝］]|\Z|\n\s*[\"'“\[{]))"
"""What stands behind the end of a text; a quotation mark before anything else is a part of the text."""
_TEXTS: Final = {
    begin: re.compile(rf"((?:[^\\{end}]|\\.|{end}(?!{_AT_VALUE_END[3:-1]}))*){end}", re.DOTALL)
    for begin, end in _QUOTES.items()
}
_WORD: Final = re.compile(r"[^\s,，:：{}\[\]｛｝［］\"]+(?:[ \t]+[^\s,，:：{}\[\]｛｝［］\"]+)*")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PLAIN_QUOTE: Final = re.compile(r"(?<!\\)(?:\\\\)*\"")
"""A quotation mark that no backslash escapes."""
_ESCAPED_CHARACTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_NUMBER: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?")
_WORDS: Final = {"true": True, "false": False, "null": None, "none": None, "undefined": None, "nan": None}
_MAX_DEPTH: Final = 12
_MAX_CHARACTERS: Final = 200_000
"""Characters that are read of a reply: no reply that anybody waited for is longer."""
_MOST_VALUES: Final = 500


@dataclass(frozen=True, slots=True)
class JsonText:
    """A text, parted into its JSON values and what stands around them."""

    values: tuple[Any, ...]
    """Its objects and lists, in order."""
    begun: tuple[Any, ...]
    """What is complete of one that never ends, behind the others."""
    rest: str
    """The text around them."""


class _CutOff(Exception):
    """The text ended within a value."""


def read_text(text: str) -> JsonText:
    """The objects and lists of a text."""
    text = text[:_MAX_CHARACTERS]
    escaped, end = text.find('{\\"'), max(text.rfind("}"), text.rfind("]"))
    if escaped >= 0 and _PLAIN_QUOTE.search(text, escaped, end) is None:
        # It is written as a text of JSON itself: in correct JSON a plain quotation mark would end this one.
        text = _ESCAPE.sub(_unescaped, text)
    values: list[Any] = []
    begun: tuple[Any, ...] = ()
    at, rest = 0, ""
    while len(values) < _MOST_VALUES and (found := _OPENING.search(text, at)) is not None:
        rest += text[at : found.start()]
        reader = _Reader(text, found.start())
        value = reader.value()
        raw = text[found.start() : reader.at]
        if _is_prose(value, raw):
            rest += raw
        elif reader.cut_off:
            begun = (value,)
        else:
            values.append(value)
        at = max(reader.at, found.end())
    return JsonText(tuple(values), begun, (rest + text[at:]).strip())


def _is_prose(value: Any, raw: str) -> bool:
    """Whether it is something like `[#12]` or `{name}`, as sentences have it, and no value."""
    bare = _QUOTES.keys().isdisjoint(raw) and any(map(str.isalpha, raw.replace("\\n", "")))
    if isinstance(value, dict):
        return bare and not value
    return (bare or raw[1:].lstrip().startswith(("#", "＃"))) and all(isinstance(each, str) for each in value)


class _Reader:
    """Reads one value of `text`, from `at` on; what is not finished where the text ends is left out."""

    def __init__(self, text: str, at: int) -> None:
        self._text, self.at = text, at
        self.cut_off = False
        self._depth = 0

    def value(self) -> Any:
        """An object or a list, as much of it as there is."""
        self._depth += 1
        opened = self._text[self.at]
        self.at += 1
        held: Any = {} if opened in "{｛" else []
        add = self._pair if isinstance(held, dict) else self._item
        self.cut_off = self._depth > _MAX_DEPTH
        try:
            while not self.cut_off and not self._closed(_CLOSING_OF[opened]):
                add(held)
        except _CutOff:
            self.cut_off = True
        self._depth -= 1
        return held

    def _closed(self, closing: str) -> bool:
        while True:
            self.at = _matched(_SEPARATORS, self._text, self.at)
            if self.at >= len(self._text):
                raise _CutOff
            if self._text[self.at] in closing:
                self.at += 1
                return True
            if self._text[self.at] not in "]}］｝":
                return False
            if self._depth > 1:
                return True  # what stands around this ends here, and this, too
            self.at += 1  # one too many

    def _item(self, held: list[Any]) -> None:
        value = self._any()
        if self._next() in (":", "：") and isinstance(value, str):
            self.at += 1  # a pair where an item was due: its value is the item
            value = self._any()
        if not (self.cut_off and isinstance(value, dict)):  # half of an item is none
            held.append(value)
        self._unless_cut_off()

    def _pair(self, held: dict[str, Any]) -> None:
        key = self._any()
        if self._next() not in (":", "："):
            return
        self.at += 1
        value = self._any()
        before = held.get(str(key))
        if isinstance(before, list) and isinstance(value, list):
            value = [*before, *value]
        held[str(key)] = value
        self._unless_cut_off()

    def _unless_cut_off(self) -> None:
        if self.cut_off:
            raise _CutOff

    def _next(self) -> str:
        self.at = _matched(_SKIPPED_TEXT, self._text, self.at)
        return self._text[self.at : self.at + 1]

    def _any(self) -> Any:
        begin = self._next()
        if not begin:
            raise _CutOff
        if begin in _CLOSING_OF:
            return self.value()
        if begin in _QUOTES:
            return self._string(begin)
        return self._word()

    def _string(self, begin: str) -> str:
        found = _TEXTS[begin].match(self._text, self.at + 1)
        if found is None:
            self.at = len(self._text)
            raise _CutOff
        self.at = found.end()
        return storable(_ESCAPE.sub(_unescaped, found[1]))

    def _word(self) -> Any:
        found = _WORD.match(self._text, self.at)
        if found is None:
            self.at += 1  # a mark that belongs nowhere
            return None
        self.at = found.end()
        word = found[0].rstrip()
        if self.at >= len(self._text):
            raise _CutOff  # more of it may have been to come
        if _NUMBER.fullmatch(word):
            return float(word) if set(".eE") & set(word) else int(word)
        return _WORDS.get(word.lower(), word)


def _matched(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found is not None else at


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return _ESCAPED_CHARACTERS.get(code, code)
