"""Reading of a file into blocks of text: one reader per kind, and one clear line for what cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

from context.corpora.passage import Block
from context.models import Frozen
from context.text import many_lines, one_line
from worker.documents.formats import read_docx, read_pdf
from worker.documents.plain import Read, read_markdown, read_text
from worker.errors import InputError, Unreadable

LARGEST_BYTES: Final = 50 * 1024 * 1024
"""The size of the largest file that is read."""
MOST_CHARACTERS: Final = 5_000_000
"""Most characters of text that a document may hold."""

_READERS: Final[dict[str, Callable[[bytes], Read]]] = {
    "markdown": read_markdown,
    "text": read_text,
    "pdf": read_pdf,
    "docx": read_docx,
}
KINDS: Final = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".pdf": "pdf",
    ".docx": "docx",
}
"""The kind of a file, by its suffix."""


class ReadDocument(Frozen):
    """A file's text in its order, and what is known of the file."""

    title: str
    """The title that it gives itself, else the file's name."""
    kind: str
    digest: str
    """The SHA-256 of the file's bytes."""
    size_bytes: int
    blocks: tuple[Block, ...]
    """Its paragraphs, rows and items; at least one, each with text."""
    pages: int | None = None
    """How many pages it has; None where its kind has none."""


def read_document(path: Path) -> ReadDocument:
    """Read a file. Raises `InputError` with one line: the path, what is wrong, how to mend it."""
    if path.is_dir():
        raise InputError(f"{path}: is a folder: name the files in it")
    _kind(path)
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise InputError(f"{path}: {size / 1e6:.0f} MB; at most {LARGEST_BYTES / 1e6:.0f} MB: split it")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    return read_bytes(path, data)


def _kind(path: Path) -> str:
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        known = " ".join(sorted(KINDS))
        raise InputError(f"{path}: no kind of document that can be read ({known})")
    return kind


def read_bytes(name: Path | str, data: bytes) -> ReadDocument:
    """Read the content of a file of this name, whose suffix tells its kind. Raises as `read_document`."""
    path = Path(name)
    kind = _kind(path)
    if not data:
        raise InputError(f"{path}: is empty")
    try:
        title, blocks, pages = _READERS[kind](data)
    except Unreadable as error:
        raise InputError(f"{path}: {error}") from error
    blocks = [canonical for block in blocks if one_line((canonical := _canonical(block)).text)]
    if not blocks:
        hint = ": scanned pages need a text layer first (OCR)" if kind == "pdf" else ""
        raise InputError(f"{path}: has no text{hint}")
    if sum(len(block.text) for block in blocks) > MOST_CHARACTERS:
        raise InputError(f"{path}: more than {MOST_CHARACTERS:,} characters of text: split it")
    return ReadDocument(
        title=one_line(title, 300) or one_line(path.stem),
        kind=kind,
        digest=sha256(data).hexdigest(),
        size_bytes=len(data),
        blocks=tuple(blocks),
        pages=pages,
    )


def _canonical(block: Block) -> Block:
    shapes = {"text": many_lines(block.text, MOST_CHARACTERS + 1).strip(), "heading": one_line(block.heading)}
    return block.model_copy(update=shapes)
