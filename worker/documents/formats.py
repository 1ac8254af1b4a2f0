"""Readers of Word documents (by python-docx) and PDF files (by pypdf).

Paragraphs and tables of a Word document are read in their order, under their headings. pypdf is pure Python,
so a broken file raises and takes no process with it.
"""

from __future__ import annotations

import io
import logging
import re
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from context.corpora.passage import Block
from worker.documents.plain import Read
from worker.errors import Unreadable

if TYPE_CHECKING:
    from docx.document import Document
    from docx.table import Table
    from pypdf import PdfReader

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LARGEST_UNPACKED: Final = 400 * 1024 * 1024
_HEADING: Final = re.compile(r"(?:heading|제목)\s*([1-9])|(?:title|제목)$", re.IGNORECASE)
"""The name of a Word style for a heading, with its level, or for the title, which stands above all."""


def read_docx(data: bytes) -> Read:
    """Read a Word document: its title, a block per paragraph or table row, no pages. Raises `Unreadable`."""
    import docx

    if data.startswith(_OLE):
        raise Unreadable("is encrypted or in the old .doc format: save it as .docx without a password")
    try:
        _demand_bounded(data)
        document = docx.Document(io.BytesIO(data))
        blocks, heading = _blocks(document)
        return str(document.core_properties.title or "") or heading, blocks, None
    except Unreadable:
        raise
    except Exception as error:  # as with PDF: whatever a parser trips over is the file's fault
        raise Unreadable("is a broken Word document: save it anew as .docx") from error


def _demand_bounded(data: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(part.file_size for part in archive.infolist()) > _LARGEST_UNPACKED:
            raise Unreadable("unpacks to more than 400 MB: split it")


def _blocks(document: Document) -> tuple[list[Block], str]:
    """The blocks, and the first heading or title in the text; "" without any."""
    from docx.table import Table as TableType

    blocks: list[Block] = []
    trail: list[tuple[int, str]] = []
    title = ""
    for item in document.iter_inner_content():
        under = " > ".join(name for _, name in trail)
        if isinstance(item, TableType):
            blocks.extend(Block(text=row, heading=under) for row in _rows(item))
            continue
        text = " ".join(item.text.split())
        style = str(item.style.name or "") if item.style is not None else ""
        heading = _HEADING.match(style)
        if not text:
            continue
        if heading is None:
            blocks.append(Block(text=text, heading=under))
            continue
        title = title or text
        level = int(heading[1] or 0)
        trail = [(above, name) for above, name in trail if above < level] + [(level, text)]
    return blocks, title


def _rows(table: Table) -> Iterator[str]:
    """Each row of a table that has text, as one line; a merged cell stands once."""
    for row in table.rows:
        cells = [" ".join(cell.text.split()) for cell in row.cells]
        kept = [cell for place, cell in enumerate(cells) if cell and (not place or cell != cells[place - 1])]
        if kept:
            yield " | ".join(kept)


_BLANKS: Final = re.compile(r"[ \t\xa0]+")
"""What pypdf gives for gaps between words and changes of font."""
_BEFORE_STOP: Final = re.compile(r" (?=[.,!?;:](?:\s|$))")
_HYPHENATED: Final = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
_MOST_PAGES: Final = 5000


def read_pdf(data: bytes) -> Read:
    """Read a PDF: the title of its metadata, a block per paragraph with its page. Raises `Unreadable`."""
    from pypdf import PdfReader  # some 0.2 s that no other command should pay
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # a repaired file is no news to whoever adds it
    if b"%PDF-" not in data[:1024]:
        raise Unreadable("is no PDF, whatever its name says")
    try:
        reader = PdfReader(io.BytesIO(data))
        _demand_open(reader)
        blocks = [
            Block(text=part, page=number)
            for number, page in enumerate(reader.pages, 1)
            for part in _paragraphs(page.extract_text())
        ]
        title = str((reader.metadata.title if reader.metadata else "") or "")
        return title, blocks, len(reader.pages)
    except Unreadable:
        raise
    except Exception as error:  # a parser of hostile input may fail in any way; each is the file's fault
        if isinstance(error, PyPdfError) and ("cryptography" in str(error) or "ncrypt" in str(error)):
            raise Unreadable("is encrypted: save it without a password") from error
        why = " ".join(str(error).split())[:80] or type(error).__name__
        raise Unreadable(f"is a broken PDF ({why}): export it anew") from error


def _demand_open(reader: PdfReader) -> None:
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable("is encrypted: save it without a password")
    if len(reader.pages) > _MOST_PAGES:
        raise Unreadable(f"has more than {_MOST_PAGES} pages: split it")


def _paragraphs(text: str) -> list[str]:
    clean = _HYPHENATED.sub("", _BEFORE_STOP.sub("", _BLANKS.sub(" ", text.replace("\x00", ""))))
    return [part.strip() for part in re.split(r"\n\s*\n", clean) if part.strip()]
