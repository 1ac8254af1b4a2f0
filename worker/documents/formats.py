"""Readers of Word documents (by python-docx) and PDF files (by pypdf).

Paragraphs and tables of a Word document are read in their order, under their headings.
"""

from __future__ import annotations

import io
import logging
import re
import zipfile
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from worker.documents.document_parts import (
    MAX_HEADING_CHARS,
    MOST_PARAGRAPHS,
    DocumentPart,
    DocumentParts,
    UnreadableDocument,
)

if TYPE_CHECKING:
    from docx.document import Document
    from docx.table import Table
    from pypdf import PdfReader

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAX_UNPACKED_BYTES: Final = 400 * 1024 * 1024
_HEADING: Final = re.compile(r"(?:heading|제목)\s*([1-9])|(?:title|제목)$", re.IGNORECASE)
"""The name of a Word style for a heading, with its level, or for the title, which stands above all."""


def read_docx(data: bytes, parts: DocumentParts) -> None:
    """Read a Word document: its title, a part per paragraph or table row, no pages.

    Raises `UnreadableDocument`.
    """
    import docx

    if data.startswith(_OLE):
        raise UnreadableDocument(
            "is encrypted or in the old .doc format: save it as .docx without a password"
        )
    try:
        _demand_bounded(data)
        document = docx.Document(io.BytesIO(data))
        heading = _fill(parts, document)
        parts.title = str(document.core_properties.title or "") or heading
    except (UnreadableDocument, MemoryError):
        raise
    except Exception as error:  # as with PDF: whatever a parser trips over is the file's fault
        raise UnreadableDocument("is a broken Word document: save it anew as .docx") from error


def _demand_bounded(data: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(part.file_size for part in archive.infolist()) > _MAX_UNPACKED_BYTES:
            raise UnreadableDocument("unpacks to more than 400 MB: split it")


def _fill(parts: DocumentParts, document: Document) -> str:
    """Add the document's parts; give the first heading or title in the text, "" without any."""
    from docx.oxml.ns import qn
    from docx.table import Table as TableType

    # Before anything is made of them, and those within cells, too, which all are read.
    parts.demand_paragraphs(
        sum(1 for _ in islice(document.element.body.iter(qn("w:p")), MOST_PARAGRAPHS + 1))
    )
    # By its id, once: python-docx searches all the styles anew for each paragraph.
    styles = {str(style.style_id): str(style.name or "") for style in document.styles}
    open_headings: list[tuple[int, str]] = []
    title = ""
    for item in document.iter_inner_content():
        under = " > ".join(name for _, name in open_headings)
        if isinstance(item, TableType):
            for row in _rows(item):
                parts.add(DocumentPart(row, heading=under))
            continue
        text = " ".join(item.text.split())
        style = styles.get(str(item._p.style or ""), "")  # noqa: SLF001 - the id alone
        heading = _HEADING.match(style) if text else None
        if heading is None:
            parts.add(DocumentPart(text, heading=under))
            continue
        title = title or text
        level = int(heading[1] or 0)
        open_headings = [(above, name) for above, name in open_headings if above < level]
        open_headings.append((level, text[:MAX_HEADING_CHARS]))
    return title


def _rows(table: Table) -> Iterator[str]:
    """Each row of a table as one line, which may be empty; a merged cell stands once in a row.

    Not by `row.cells`, which repeats a cell for each column that it says it spans.
    """
    from docx.table import _Cell

    above: dict[int, str] = {}
    for row in table.rows:
        column, kept, texts = 0, list[str](), dict[int, str]()
        for cell in row._tr.tc_lst:  # noqa: SLF001 - see above
            merged = cell.vMerge == "continue"
            text = above.get(column, "") if merged else " ".join(_Cell(cell, table).text.split())
            texts[column] = text
            column += cell.grid_span
            if text and kept[-1:] != [text]:
                kept.append(text)
        above = texts
        yield " | ".join(kept)


_BLANKS: Final = re.compile(r"[ \t\xa0]+")
"""What pypdf gives for gaps between words and changes of font."""
_BEFORE_STOP: Final = re.compile(r" (?=[.,!?;:](?:\s|$))")
_LINE_END_HYPHEN: Final = re.compile(r"(?<=[a-z])-\n(?=[a-z])")


def read_pdf(data: bytes, parts: DocumentParts) -> None:
    """Read a PDF: the title of its metadata, a part per paragraph with its page.

    Raises `UnreadableDocument`.
    """
    from pypdf import PdfReader  # some 0.2 s that no other kind should pay
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # a repaired file is no news to whoever adds it
    if b"%PDF-" not in data[:1024]:
        raise UnreadableDocument("is no PDF, whatever its name says")
    try:
        reader = PdfReader(io.BytesIO(data))
        _demand_open(reader)
        parts.count_pages(len(reader.pages))
        for number, page in enumerate(reader.pages, 1):
            for text in _paragraphs(page.extract_text()):
                parts.add(DocumentPart(text, page=number))
        parts.title = str((reader.metadata.title if reader.metadata else "") or "")
    except (UnreadableDocument, MemoryError):
        raise
    except Exception as error:  # a parser of hostile input may fail in any way; each is the file's fault
        if isinstance(error, PyPdfError) and ("cryptography" in str(error) or "ncrypt" in str(error)):
            raise UnreadableDocument("is encrypted: save it without a password") from error
        why = " ".join(str(error).split())[:80] or type(error).__name__
        raise UnreadableDocument(f"is a broken PDF ({why}): export it anew") from error


def _demand_open(reader: PdfReader) -> None:
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableDocument("is encrypted: save it without a password")


def _paragraphs(text: str) -> list[str]:
    clean = _LINE_END_HYPHEN.sub("", _BEFORE_STOP.sub("", _BLANKS.sub(" ", text.replace("\x00", ""))))
    return [part.strip() for part in re.split(r"\n\s*\n", clean) if part.strip()]
