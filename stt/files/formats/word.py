"""Word files (.docx), as Teams and Google Meet write transcripts: their paragraphs as lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import docx
from docx.opc.exceptions import PackageNotFoundError

from stt.files.audio import BadInput
from stt.files.folder import MAX_FILE_BYTES
from stt.files.rows import Numbered


def paragraphs(path: Path) -> Iterator[Numbered]:
    """Read the lines of a Word file; a break in a paragraph begins one. Raises `BadInput`."""
    try:
        with ZipFile(path) as parts:
            size = sum(part.file_size for part in parts.infolist())
        if size > MAX_FILE_BYTES:
            most = MAX_FILE_BYTES >> 20
            raise BadInput(path, f"{size >> 20} MB of text; split it into files below {most} MB")
        texts = [paragraph.text for paragraph in docx.Document(str(path)).paragraphs]
    except OSError as error:
        raise BadInput(path, f"can't be read ({error.strerror}); check the path and its rights") from error
    except (BadZipFile, PackageNotFoundError, KeyError, ValueError, SyntaxError) as error:
        raise BadInput(path, "no Word file that can be read; save it as .docx or .txt again") from error
    yield from enumerate("\n".join(texts).split("\n"), start=1)
