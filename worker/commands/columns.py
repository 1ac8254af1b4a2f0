"""Columns for eyes: on a terminal a Hangul letter takes two places."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def in_columns(lines: Sequence[Sequence[str]]) -> str:
    """One line each, of equally many cells; the last one is as long as it likes."""
    widths = [max(map(_width, column)) for column in list(zip(*lines, strict=True))[:-1]]
    return "\n".join("  ".join([*map(_padded, line, widths), line[-1]]) for line in lines)


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - _width(cell))


def _width(text: str) -> int:
    composed = unicodedata.normalize("NFC", text)  # macOS hands on names in pieces of letters
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in composed)
