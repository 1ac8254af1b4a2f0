"""A list is a table in any script."""

from __future__ import annotations

import unicodedata

from worker.commands.printing import in_columns


def test_a_hangul_letter_takes_two_places() -> None:
    name = "주간 회의"
    lines = [("ROOM", "HOLDER", "TITLE"), (name, "a", "제목"), ("stand-up room", "b", "-")]
    assert in_columns(lines).splitlines() == [
        "ROOM           HOLDER  TITLE",
        "주간 회의      a       제목",
        "stand-up room  b       -",
    ]
    in_pieces = [tuple(unicodedata.normalize("NFD", cell) for cell in line) for line in lines]
    assert unicodedata.normalize("NFC", in_columns(in_pieces)) == in_columns(lines)
