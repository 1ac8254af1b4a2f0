"""Text and Markdown, in whatever encoding people still save them."""

from __future__ import annotations

import re
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


def decoded(data: bytes) -> str:
    """The text of `data`: by its mark, else UTF-8, else the old Korean code page, else Latin-1's heir."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return _checked(data.decode(encoding))
            except UnicodeDecodeError as error:
                raise Unreadable(f"is marked as {encoding} and is not: save it as UTF-8") from error
    try:
        return _checked(data.decode("utf-8"))
    except UnicodeDecodeError:
        pass
    try:
        korean = data.decode("cp949")
        if _HANGUL.search(korean):
            return _checked(korean)
    except UnicodeDecodeError:
        pass
    try:
        return _checked(data.decode("cp1252"))
    except UnicodeDecodeError as error:
        raise Unreadable("is in no encoding that is known here: save it as UTF-8") from error


def _checked(text: str) -> str:
    controls = sum(1 for char in text if char < " " and char not in "\t\n\r\f\v\x1b")
    if controls > _MOST_CONTROLS * len(text):
        raise Unreadable("is no text: its bytes are something else's")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")


def read_text(text: str) -> tuple[list[Block], int | None]:
    """Paragraphs; form feeds part pages."""
    pages = text.split("\f")
    paged = len(pages) > 1
    blocks = [
        Block(text=part.strip(), page=number if paged else None)
        for number, page in enumerate(pages, 1)
        for part in re.split(r"\n\s*\n", page)
        if part.strip()
    ]
    return blocks, len(pages) if paged else None


def read_markdown(text: str) -> tuple[str, list[Block]]:
    """Title (front matter's, else the first heading), and paragraphs under their headings."""
    title = ""
    front = _FRONT.match(text)
    if front:
        named = _FRONT_TITLE.search(front.group(1))
        title = named.group(1) if named else ""
        text = text[front.end() :]
    reader = _Markdown()
    for line in _COMMENT.sub("", text).split("\n"):
        reader.take(line)
    reader.close()
    return title or reader.first_heading, reader.blocks


class _Markdown:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.first_heading = ""
        self._trail: list[tuple[int, str]] = []
        self._lines: list[str] = []
        self._fence = ""

    def take(self, line: str) -> None:
        fence = _FENCE.match(line)
        if fence:
            mark = fence.group(1)
            self._fence = "" if self._fence == mark else self._fence or mark
            return
        if self._fence:
            self._lines.append(line)
            return
        heading = _HEADING.match(line)
        underline = _UNDERLINED.match(line)
        if heading:
            self._head(len(heading.group(1)), heading.group(2))
        elif underline and len(self._lines) == 1 and not self._lines[0].lstrip().startswith(("|", "-", "*")):
            name = self._lines.pop()
            self._head(1 if line.startswith("=") else 2, name.strip())
        elif not line.strip():
            self.close()
        else:
            self._lines.append(_LINK.sub(r"\1", _IMAGE.sub(r"\1", line)).rstrip())

    def close(self) -> None:
        """The paragraph ends."""
        text = "\n".join(self._lines).strip()
        self._lines = []
        if text:
            self.blocks.append(Block(text=text, heading=" > ".join(name for _, name in self._trail)))

    def _head(self, level: int, name: str) -> None:
        self.close()
        name = _LINK.sub(r"\1", name).replace("**", "").replace("`", "")
        self.first_heading = self.first_heading or name
        self._trail = [(above, called) for above, called in self._trail if above < level] + [(level, name)]
