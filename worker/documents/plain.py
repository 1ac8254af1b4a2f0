"""Readers of text and Markdown files, in the encodings that people still save them in."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final

from context.corpora.passage import Block
from worker.errors import Unreadable

_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_HANGUL: Final = re.compile(r"[가-힣]")
_MOST_CONTROLS: Final = 0.01
_HEADING: Final = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
_UNDERLINED: Final = re.compile(r"^(=+|-+)\s*$")
_FENCE: Final = re.compile(r"^\s*(```|~~~)")
_IMAGE: Final = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_FRONT: Final = re.compile(r"\A---\s*\n(.*?)\n(?:---|\.\.\.)\s*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE: Final = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)


Read = tuple[str, list[Block], int | None]
"""What a reader finds in a file: its title (may be empty), its blocks, the number of its pages or None."""


def _decoded(data: bytes) -> str:
    """The text of `data`: by its byte order mark, else UTF-8, CP949 or Windows-1252. Raises `Unreadable`."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return _checked(data.decode(encoding))
            except UnicodeDecodeError as error:
                raise Unreadable(f"is marked as {encoding} and is not: save it as UTF-8") from error
    for encoding in ("utf-8", "cp949", "cp1252"):
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if encoding != "cp949" or _HANGUL.search(text):
                return _checked(text)
    raise Unreadable("is in no encoding that is known here: save it as UTF-8")


def _checked(text: str) -> str:
    controls = sum(1 for char in text if char < " " and char not in "\t\n\r\f\v\x1b")
    if controls > _MOST_CONTROLS * len(text):
        raise Unreadable("is no text: its bytes are something else's")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")


def read_text(data: bytes) -> Read:
    """Read a text file: a block per paragraph; form feeds separate pages. Raises `Unreadable`."""
    pages = _decoded(data).split("\f")
    paged = len(pages) > 1
    blocks = [
        Block(text=part.strip(), page=number if paged else None)
        for number, page in enumerate(pages, 1)
        for part in re.split(r"\n\s*\n", page)
        if part.strip()
    ]
    return "", blocks, len(pages) if paged else None


def read_markdown(data: bytes) -> Read:
    """Read Markdown: front matter's title or first heading, a block per paragraph. Raises `Unreadable`."""
    title, text = "", _decoded(data)
    if front := _FRONT.match(text):
        named = _FRONT_TITLE.search(front[1])
        title = named[1] if named else ""
        text = text[front.end() :]
    reader = _Markdown()
    for line in _COMMENT.sub("", text).split("\n"):
        reader.take(line)
    reader.close()
    return title or reader.first_heading, reader.blocks, None


class _Markdown:
    """Collects the blocks of a Markdown file, line by line."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.first_heading = ""
        self._trail: list[tuple[int, str]] = []
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
            self._head(len(heading[1]), heading[2])
        elif (
            _UNDERLINED.match(line)
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
        if text:
            self.blocks.append(Block(text=text, heading=" > ".join(name for _, name in self._trail)))

    def _head(self, level: int, name: str) -> None:
        self.close()
        name = _LINK.sub(r"\1", name).replace("**", "").replace("`", "")
        self.first_heading = self.first_heading or name
        self._trail = [(above, called) for above, called in self._trail if above < level] + [(level, name)]
