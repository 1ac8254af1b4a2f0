"""Word files (.docx), as Teams and Google Meet write transcripts: their paragraphs as lines."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile, ZipFile

import docx
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn

from stt.files.bad_input import BadInput
from stt.files.folder import MAX_FILE_BYTES
from stt.files.rows import Numbered

_P, _ROW, _CELL = qn("w:p"), qn("w:tr"), qn("w:tc")
_SIGNS: Final = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n"}
_READ_TAGS: Final = (qn("w:t"), *_SIGNS)
_WRAPPING_TAGS: Final = frozenset(
    map(qn, ("w:tbl", "w:sdt", "w:sdtContent", "w:ins", "w:customXml", "w:smartTag"))
)


def paragraphs(path: Path, data: bytes | None = None) -> Iterator[Numbered]:
    """Read the lines of a Word file; a break in a paragraph begins one. Raises `BadInput`.

    `data`: what is in it, where `path` is only its name.
    """
    file = str(path) if data is None else BytesIO(data)
    try:
        with ZipFile(file) as parts:
            size = sum(part.file_size for part in parts.infolist())
        if size > MAX_FILE_BYTES:
            most = MAX_FILE_BYTES >> 20
            raise BadInput(path, f"{size >> 20} MB of text; split it into files below {most} MB")
        texts = list(_texts(docx.Document(file).element.body))
    except OSError as error:
        raise BadInput(path, f"can't be read ({error.strerror}); check the path and its rights") from error
    except (BadZipFile, PackageNotFoundError, KeyError, ValueError, SyntaxError) as error:
        raise BadInput(path, "no Word file that can be read; save it as .docx or .txt again") from error
    yield from enumerate("\n".join(texts).split("\n"), start=1)


def _texts(part: Any) -> Iterator[str]:
    """The text of each paragraph, and of each row of a table with tabs between its cells, in their order."""
    for child in part:
        match child.tag:
            case _ if child.tag == _P:
                yield "".join(
                    _SIGNS.get(element.tag, element.text or "") for element in child.iter(*_READ_TAGS)
                )
            case _ if child.tag == _ROW:
                cells = (" ".join(" ".join(_texts(cell)).split()) for cell in child.iterchildren(_CELL))
                yield "\t".join(cells)
            case _ if child.tag in _WRAPPING_TAGS:
                yield from _texts(child)
