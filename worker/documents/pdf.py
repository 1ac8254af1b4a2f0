"""PDF through pypdf: pure Python, so a broken file raises and takes no process with it."""

from __future__ import annotations

import io
import logging
import re
from typing import TYPE_CHECKING, Final

from context.corpora.blocks import Block
from worker.documents.unreadable import Unreadable

if TYPE_CHECKING:
    from pypdf import PdfReader

_BLANKS: Final = re.compile(r"[ \t\xa0]+")
"""Word gaps and changes of font come out as one blank or several."""
_BEFORE_STOP: Final = re.compile(r" (?=[.,!?;:](?:\s|$))")
_HYPHENATED: Final = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
_MOST_PAGES: Final = 5000


def read_pdf(data: bytes) -> tuple[str, list[Block], int | None]:
    """Title of its metadata, one block per paragraph with its page. Raises `Unreadable`."""
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
    except PyPdfError as error:
        if "cryptography" in str(error) or "ncrypt" in str(error):
            raise Unreadable("is encrypted: save it without a password") from error
        raise Unreadable(f"is a broken PDF ({_short(error)}): export it anew") from error
    except Exception as error:  # a parser of hostile input may fail in any way; each is the file's fault
        raise Unreadable(f"is a broken PDF ({_short(error)}): export it anew") from error


def _demand_open(reader: PdfReader) -> None:
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable("is encrypted: save it without a password")
    if len(reader.pages) > _MOST_PAGES:
        raise Unreadable(f"has more than {_MOST_PAGES} pages: split it")


def _paragraphs(text: str) -> list[str]:
    clean = _HYPHENATED.sub("", _BEFORE_STOP.sub("", _BLANKS.sub(" ", text.replace("\x00", ""))))
    return [part.strip() for part in re.split(r"\n\s*\n", clean) if part.strip()]


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:80] or type(error).__name__
