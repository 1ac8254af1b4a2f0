"""What runs in the child process that reads a document: its bytes go in, its text comes out as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from context.corpora.passage import Block, cut_blocks
from worker.documents.document_parts import MOST_PASSAGES, DocumentParts, UnreadableDocument
from worker.documents.formats import read_docx, read_pdf
from worker.documents.plain import read_markdown, read_text

_READERS: Final[dict[str, Callable[[bytes, DocumentParts], None]]] = {
    "markdown": read_markdown,
    "text": read_text,
    "pdf": read_pdf,
    "docx": read_docx,
}


def content_of(kind: str, data: bytes) -> DocumentParts:
    """Read the content of a file of this kind: at least one part. Raises `UnreadableDocument`."""
    parts = DocumentParts()
    _READERS[kind](data, parts)
    if not parts.kept:
        hint = ": scanned pages need a text layer first (OCR)" if kind == "pdf" else ""
        raise UnreadableDocument(f"has no text{hint}")
    return parts


def as_lines(kind: str, data: bytes) -> bytes:
    """Give what `content_of` does, cut into blocks of a passage's size, as lines of JSON.

    The first is of its title and pages; each of the others of one block: its text, heading and page.
    Raises `UnreadableDocument`, also where there are too many.
    """
    parts = content_of(kind, data)
    blocks = cut_blocks(Block(text=part.text, heading=part.heading, page=part.page) for part in parts.kept)
    if len(blocks) > MOST_PASSAGES:
        raise UnreadableDocument(f"this document has more than {MOST_PASSAGES:,} passages: split it")
    rows: list[object] = [(parts.title, parts.pages)]
    rows += [(block.text, block.heading, block.page) for block in blocks]
    return b"\n".join(json.dumps(row).encode() for row in rows)  # ASCII alone: lone surrogates pass
