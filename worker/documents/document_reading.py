"""Reading of a file into blocks of text, in a child process, and one clear line for what cannot be read."""

from __future__ import annotations

import asyncio
import json
from hashlib import sha256
from pathlib import Path
from typing import Final

import structlog

from context.corpora.passage import Block
from context.models import Frozen
from context.primitives.text import one_line
from worker.documents.document_child import as_lines
from worker.errors import InputError
from worker.sandbox.sandbox_faults import Crashed, Declined, TookTooLong, TookTooMuch
from worker.sandbox.sandboxed_call import Bounds, call_sandboxed

log = structlog.get_logger(__name__)

LARGEST_BYTES: Final = 50 * 1024 * 1024
"""The size of the largest file that is read."""
WITHIN_S: Final = 300.0
"""How long reading may take where somebody waits at a terminal."""
_MEMORY_BYTES: Final = 1536 * 1024 * 1024
"""The address space of the process that reads: a Word document of 400 MB, unpacked, is refused by it."""
_RESULT_BYTES: Final = 64 * 1024 * 1024
"""Enough for `MOST_CHARACTERS` in any script, and all headings."""
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
    """Its text, cut into blocks of a passage's size; at least one, each with text."""
    pages: int | None = None
    """How many pages it has; None where its kind has none."""


async def read_document(path: Path) -> ReadDocument:
    """Read a file. Raises `InputError` with one line: the path, what is wrong, how to mend it."""
    if path.is_dir():  # noqa: ASYNC240 - a command that does nothing else meanwhile
        raise InputError(f"{path}: is a folder: name the files in it")
    _kind(path)
    try:
        size = path.stat().st_size  # noqa: ASYNC240
        if size > LARGEST_BYTES:
            raise InputError(f"{path}: {size / 1e6:.0f} MB; at most {LARGEST_BYTES / 1e6:.0f} MB: split it")
        data = path.read_bytes()  # noqa: ASYNC240
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    return await read_bytes(path, data)


def _kind(path: Path) -> str:
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        known = " ".join(sorted(KINDS))
        raise InputError(f"{path}: no kind of document that can be read ({known})")
    return kind


async def read_bytes(name: Path | str, data: bytes, *, within_s: float = WITHIN_S) -> ReadDocument:
    """Read the content of a file of this name, whose suffix tells its kind. Raises as `read_document`.

    A parser of hostile input may take any time and memory, or crash: it runs in a process of its own.
    """
    path = Path(name)
    kind = _kind(path)
    if not data:
        raise InputError(f"{path}: is empty")
    bounds = Bounds(within_s, _MEMORY_BYTES, _RESULT_BYTES)
    try:
        read = await call_sandboxed(as_lines, kind, data, bounds)
    except Declined as error:
        raise InputError(f"{path}: {error}") from error
    except TookTooLong as error:
        more = ", or use `moim docs add`, which waits longer" if within_s < WITHIN_S else ""
        raise InputError(f"{path}: reading it takes more than {within_s:g} s: split it{more}") from error
    except TookTooMuch as error:
        mend = "reading it takes too much memory: split it, or save it as text"
        raise InputError(f"{path}: {mend}") from error
    except Crashed as error:
        log.warning("document_reader_crashed", kind=kind, size_bytes=len(data), how=str(error))
        raise InputError(f"{path}: no reader gets through it: save it anew, or as text") from error
    # Beside the event loop, and line by line, so that it goes on meanwhile.
    return await asyncio.to_thread(_document_of, path, kind, data, read)


def _document_of(path: Path, kind: str, data: bytes, read: bytes) -> ReadDocument:
    """Give the document of a file, from the lines of `as_lines`."""
    first, *rows = (json.loads(line) for line in read.split(b"\n"))
    title, pages = first
    return ReadDocument(
        title=one_line(title, 300) or one_line(path.stem),
        kind=kind,
        digest=sha256(data).hexdigest(),
        size_bytes=len(data),
        blocks=tuple(Block(text=text, heading=heading, page=page) for text, heading, page in rows),
        pages=pages,
    )
