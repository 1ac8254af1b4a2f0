"""Readers of text and Markdown files, in the encodings that people still save them in."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final

from worker.documents.document_parts import MAX_HEADING_CHARS, DocumentPart, DocumentParts, UnreadableDocument

_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_HANGUL: Final = re.compile(r"[가-힣]")
_MAX_CONTROL_SHARE: Final = 0.01
_HEADING: Final = re.compile(r"^(#{1,6})\s+(\S.*)$")
_UNDERLINE: Final = re.compile(r"^(=+|-+)\s*$")
_FENCE: Final = re.compile(r"^\s*(```|~~~)")
# Nothing that may begin again within itself: a line of a million `[` takes a moment, not an hour.
_IMAGE: Final = re.compile(r"!\[([^\[\]]*)\]\((?:[^()]|\([^()]*\))*\)")
_LINK: Final = re.compile(r"\[([^\[\]]+)\]\((?:[^()]|\([^()]*\))*\)")
_FRONT: Final = re.compile(r"\A---\s*\n(.*?)\n(?:---|\.\.\.)\s*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE: Final = re.compile(r"^title:(.*)$", re.MULTILINE)


def _decoded(data: bytes) -> str:
    """The text of `data`: by its byte order mark, else UTF-8, CP949 or Windows-1252.

    Raises `UnreadableDocument`.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return _checked(data.decode(encoding))
            except UnicodeDecodeError as error:
                raise UnreadableDocument(f"is marked as {encoding} and is not: save it as UTF-8") from error
    for encoding in ("utf-8", "cp949", "cp1252"):
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if encoding != "cp949" or _HANGUL.search(text):
                return _checked(text)
    raise UnreadableDocument("is in no encoding that is known here: save it as UTF-8")


def _checked(text: str) -> str:
    controls = sum(1 for char in text if char < " " and char not in "\t\n\r\f\v\x1b")
    if controls > _MAX_CONTROL_SHARE * len(text):
        raise UnreadableDocument("is no text: its bytes are something else's")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")


def read_text(data: bytes, parts: DocumentParts) -> None:
    """Read a text file: a part per paragraph; form feeds separate pages. Raises `UnreadableDocument`."""
    pages = _decoded(data).split("\f")
    if len(pages) > 1:
        parts.count_pages(len(pages))
    for number, page in enumerate(pages, 1):
        for text in re.split(r"\n\s*\n", page):
            parts.add(DocumentPart(text.strip(), page=number if parts.pages else None))


def read_markdown(data: bytes, parts: DocumentParts) -> None:
    """Read Markdown: front matter's title or first heading, a part per paragraph.

    Raises `UnreadableDocument`.
    """
    text = _decoded(data)
    if front := _FRONT.match(text):
        named = _FRONT_TITLE.search(front[1])
        parts.title = named[1].strip().strip("\"'") if named else ""
        text = text[front.end() :]
    reader = _Markdown(parts)
    for line in _uncommented(text).split("\n"):
        reader.take(line)
    reader.close()
    parts.title = parts.title or reader.first_heading


def _uncommented(text: str) -> str:
    """The text without its comments; one that never ends is none."""
    kept: list[str] = []
    start = 0
    while (opened := text.find("<!--", start)) >= 0 and (closed := text.find("-->", opened + 4)) >= 0:
        kept.append(text[start:opened])
        start = closed + 3
    return "".join((*kept, text[start:]))


class _Markdown:
    """Collects the parts of a Markdown file, line by line."""

    def __init__(self, parts: DocumentParts) -> None:
        self._parts = parts
        self.first_heading = ""
        self._open_headings: list[tuple[int, str]] = []
        self._lines: list[str] = []
        self._fence = ""

    def take(self, line: str) -> None:
        if fence := _FENCE.match(line):
            if not self._fence:
                self._fence = fence[1]
            elif self._fence == fence[1]:
                self._fence = ""
        elif self._fence:
            self._lines.append(line)
        elif heading := _HEADING.match(line):
            self._head(len(heading[1]), heading[2].rstrip().rstrip("#").rstrip())
        elif (
            _UNDERLINE.match(line)
            and len(self._lines) == 1
            and not self._lines[0].lstrip().startswith(("|", "-", "*"))
        ):
            self._head(1 if line.startswith("=") else 2, self._lines.pop().strip())
        elif not line.strip():
            self.close()
        else:
            self._lines.append(_LINK.sub(r"\1", _IMAGE.sub(r"\1", line)).rstrip())

    def close(self) -> None:
        """End the open paragraph."""
        text = "\n".join(self._lines).strip()
        self._lines = []
        self._parts.add(DocumentPart(text, heading=" > ".join(name for _, name in self._open_headings)))

    def _head(self, level: int, name: str) -> None:
        self.close()
        name = _LINK.sub(r"\1", name).replace("**", "").replace("`", "")
        self.first_heading = self.first_heading or name
        self._open_headings = [(above, called) for above, called in self._open_headings if above < level]
        self._open_headings.append((level, name[:MAX_HEADING_CHARS]))
