"""Whatever an endpoint sends under HTTP 200, read piece by piece: one JSON value, or a stream of them.

What it is is told by how it begins, and only then by what its headers say: servers stream where nobody asked,
answer whole where a stream was asked for, and call either what they like. Pure: bytes in, values out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from email.message import Message
from typing import Any, Final, Literal, NamedTuple

MOST_BYTES: Final = 16 * 1024 * 1024
"""No reply that we ask for is near this size; a stream counts as a whole."""
_TELLING_BYTES: Final = 8
"""So many bytes tell what a body is."""
_BLANK: Final = b" \t\r\n"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_PAGE: Final = re.compile(rb"<(?!think)", re.IGNORECASE)
_EVENT_FIELD: Final = re.compile(rb"(?:data|event|id|retry)?:")
_LINE_END: Final = re.compile(rb"\r\n|\n|\r(?!$)")
"""A carriage return at the very end may be half of a line's end."""
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
"""NUL, and halves of a surrogate pair: no text that is kept may hold them."""


class UnreadableReply(ValueError):
    """A reply that nobody can read; the text says what it is, as in "a page of HTML"."""


class PlainText(str):
    """A body that is text and no JSON."""

    __slots__ = ()


class Event(NamedTuple):
    """One event of a streamed reply, or a whole reply that is no stream."""

    name: str
    """The event's name in a stream that names its events; else ""."""
    data: Any
    """What the JSON says, or `PlainText`."""


class ReplyReader:
    """Reads one body. `feed` it the bytes as they come, and `finish` it when they end."""

    def __init__(self, content_type: str = "") -> None:
        header = Message()
        header["content-type"] = content_type
        self._type, self._charset = header.get_content_type(), str(header.get_param("charset", ""))
        self._declared = bool(content_type)
        self._kind: Literal["events", "json", "text"] | None = None
        self._buffer = bytearray()
        self._bytes = 0
        self._name, self._data = "", list[str]()
        self.done = False
        """Whether the stream has said that it is over."""

    def feed(self, data: bytes) -> Iterator[Event]:
        """Take in some bytes, and give what is complete with them. Raises `UnreadableReply`."""
        self._bytes += len(data)
        if self._bytes > MOST_BYTES:
            raise UnreadableReply(f"more than {MOST_BYTES // 1024 // 1024} MB")
        self._buffer += data
        if self._kind is None:
            self._buffer = self._buffer.lstrip(_BLANK).removeprefix(_BYTE_ORDER_MARK).lstrip(_BLANK)
            if len(self._buffer) < _TELLING_BYTES:
                return
            self._kind = self._kind_of(self._buffer)
        if self._kind == "events" and (b"\n" in data or b"\r" in data):
            yield from self._lines(self._taken_lines())

    def finish(self) -> Iterator[Event]:
        """Give the rest, once the body has ended. Raises `UnreadableReply`, also where there was nothing."""
        rest = bytes(self._buffer)
        self._kind = self._kind or (self._kind_of(rest) if rest else None)
        match self._kind:
            case None:
                raise UnreadableReply("an empty reply")
            case "events":
                yield from self._lines([*_LINE_END.split(rest), b"", b""])
            case "text":
                yield Event("", PlainText(self._decoded(rest)))
            case "json":
                yield from (Event("", value) for value in self._values(rest))

    def _kind_of(self, begin: bytes | bytearray) -> Literal["events", "json", "text"]:
        if begin[:1] in (b"{", b"["):
            return "json"
        if _PAGE.match(begin) or self._type == "text/html":
            raise UnreadableReply("a page of HTML")
        if _EVENT_FIELD.match(begin) or self._type == "text/event-stream":
            return "events"
        return "text" if self._type == "text/plain" and self._declared else "json"

    def _taken_lines(self) -> list[bytes]:
        *lines, rest = _LINE_END.split(bytes(self._buffer))
        self._buffer = bytearray(rest)
        return lines

    def _lines(self, lines: list[bytes]) -> Iterator[Event]:
        """Fold lines of a stream of events: a blank one ends an event, a colon begins a comment."""
        for raw in lines:
            if self.done:
                return
            if not raw:
                yield from self._event()
                continue
            try:
                field, _, value = raw.decode().partition(":")
            except UnicodeDecodeError as error:
                raise UnreadableReply("a stream that is no UTF-8") from error
            if field == "data":
                self._data.append(value.removeprefix(" "))
            elif field == "event":
                self._name = value.strip()

    def _event(self) -> Iterator[Event]:
        text, name = "\n".join(self._data).strip(), self._name
        self._data, self._name = [], ""
        if text == "[DONE]":
            self.done = True
        elif text:
            yield Event(name, json_of(text))

    def _values(self, body: bytes) -> list[Any]:
        """The one value of a body, or those of its lines where each is a value of its own."""
        text: str | bytes = self._decoded(body) if self._charset else body
        try:
            return [json_of(text)]
        except UnreadableReply:
            lines = [line for line in body.splitlines() if line.strip()]
            if len(lines) < 2 or lines[0][:1] != b"{":
                raise
            return [json_of(line) for line in lines]

    def _decoded(self, body: bytes) -> str:
        """The text of a body. What is UTF-8 is nothing else by chance, whatever charset is told."""
        for charset in ("utf-8", self._charset or "utf-8"):
            with suppress(ValueError, LookupError):
                return body.decode(charset)
        raise UnreadableReply(f"text that is no {self._charset or 'UTF-8'}")


def json_of(text: str | bytes) -> Any:
    """The value that JSON stands for. Raises `UnreadableReply` for whatever is none, however it is broken."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        # Without a word of it: what could not be read may be what people said.
        raise UnreadableReply("something that is not JSON") from error


def text_of(content: Any) -> str:
    """The text of a message's content: itself, or that of its parts, whatever else stands between them."""
    parts = content if isinstance(content, list) else [content]
    return _UNSTORABLE.sub("\ufffd", "".join(map(_part, parts)))


def _part(part: Any) -> str:
    if isinstance(part, dict):
        kind = part.get("type", "text")
        text = part.get("text") if isinstance(kind, str) and kind.endswith("text") else None
        part = text.get("value") if isinstance(text, dict) else text
    return part if isinstance(part, str) else ""
