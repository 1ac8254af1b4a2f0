"""What runs in the child process that reads a document: its bytes go in, its parts come out as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from worker.documents.formats import read_docx, read_pdf
from worker.documents.parts import Parts, Unreadable
from worker.documents.plain import read_markdown, read_text

_READERS: Final[dict[str, Callable[[bytes, Parts], None]]] = {
    "markdown": read_markdown,
    "text": read_text,
    "pdf": read_pdf,
    "docx": read_docx,
}


def content_of(kind: str, data: bytes) -> Parts:
    """Read the content of a file of this kind: at least one part. Raises `Unreadable`."""
    parts = Parts()
    _READERS[kind](data, parts)
    if not parts.kept:
        hint = ": scanned pages need a text layer first (OCR)" if kind == "pdf" else ""
        raise Unreadable(f"has no text{hint}")
    return parts


def as_json(kind: str, data: bytes) -> bytes:
    """Give what `content_of` does as JSON: `title`, `pages`, and of each part its text, heading and page."""
    parts = content_of(kind, data)
    fields = {"title": parts.title, "pages": parts.pages, "parts": parts.kept}
    return json.dumps(fields).encode()  # ASCII alone: lone surrogates pass
