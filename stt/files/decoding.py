"""From a file's bytes to its lines, whatever wrote it: UTF-8 with or without a mark, UTF-16, CP949."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from stt.files.errors import BadInput

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
"""A ten-hour transcript has some 2 MB; a line of a million characters some 3."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines (from 1) without their ends; NUL characters are left out.

    Raises `BadInput` for a file that can't be read or is no text.
    """
    yield from enumerate(_decode(path, _read(path)).split("\n"), start=1)


def _read(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise BadInput(
                path, f"{size >> 20} MB of text; split it into files below {MAX_FILE_BYTES >> 20} MB"
            )
        return path.read_bytes()
    except IsADirectoryError as error:
        raise BadInput(path, "is a folder, not a transcript") from error
    except OSError as error:
        raise BadInput(path, f"can't be read ({error.strerror}); check the path and its rights") from error


def _decode(path: Path, raw: bytes) -> str:
    text = _try(raw, _marked(raw) or "utf-8")
    if text is None and _marked(raw) is None:
        text = _try(raw, "cp949")  # EUC-KR is a part of it
    if text is None:
        raise BadInput(path, "unknown text encoding; save it as UTF-8", line=_bad_line(raw))
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _marked(raw: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return encoding
    return _unmarked_utf16(raw)


def _unmarked_utf16(raw: bytes) -> str | None:
    """UTF-16 without its mark: half of the ASCII in it (digits, line ends) is NUL bytes."""
    head = raw[:4000]
    if len(head) < 8 or head.count(0) < len(head) // 5:
        return None
    odd, even = head[1::2].count(0), head[0::2].count(0)
    if odd > 4 * even:
        return "utf-16-le"
    return "utf-16-be" if even > 4 * odd else None


def _try(raw: bytes, encoding: str) -> str | None:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return None
    controls = sum(text.count(chr(code)) for code in range(1, 32) if chr(code) not in "\t\n\r\f\v\x1b")
    return None if controls > len(text) // 20 else text


def _bad_line(raw: bytes) -> int:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return raw.count(b"\n", 0, error.start) + 1
    return 1
