"""The medical concepts that come with the package, and what finds them in a text.

A concept has its UMLS identifier (CUI), its type, and names in both languages (`concepts.csv`). Its type
comes from that table, never from how the identifier begins.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal, cast

ConceptType = Literal["condition", "symptom", "medication"]
ConceptFinder = Callable[[str], Iterable[tuple[int, int, str]]]
"""A function that gives, in order, start, end and name of each concept that a text names."""
_FILE: Final = Path(__file__).with_name("concepts.csv")


@dataclass(frozen=True, slots=True)
class Concept:
    """A medical concept and the names that mean it."""

    cui: str
    """Its UMLS identifier."""
    type: ConceptType
    name: str
    aliases: tuple[str, ...]
    korean: tuple[str, ...]
    chronic: bool
    """Whether it is a condition that stays."""

    @property
    def spellings(self) -> tuple[str, ...]:
        """All its names, in lower case."""
        return tuple(name.lower() for name in (self.name, *self.aliases, *self.korean))


@cache
def concepts() -> dict[str, Concept]:
    """All concepts by their name; read once."""
    return {
        row["name"]: Concept(
            row["cui"],
            cast("ConceptType", row["type"]),
            row["name"],
            _several(row["aliases"]),
            _several(row["korean"]),
            row["chronic"] == "1",
        )
        for row in rows(_FILE)
    }


def by_spelling(text: str) -> Iterable[tuple[int, int, str]]:
    """A `ConceptFinder`: by the names in the table of concepts."""
    pattern, names = _spellings()
    for match in pattern.finditer(text):
        yield match.start(), match.end(), names[match.group().lower()]


@cache
def _spellings() -> tuple[re.Pattern[str], dict[str, str]]:
    """One pattern that finds any name of a concept, and the concept's name by each of them in lower case."""
    names: dict[str, str] = {}
    for concept in concepts().values():
        for spelling in concept.spellings:
            names.setdefault(spelling, concept.name)
    longest_first = sorted(names, key=len, reverse=True)
    latin = "|".join(re.escape(name) for name in longest_first if name.isascii())
    hangul = "|".join(re.escape(name) for name in longest_first if not name.isascii())
    return re.compile(rf"(?<![\w])(?:{latin})(?![\w])|(?<![가-힣])(?:{hangul})(?!기)", re.IGNORECASE), names


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table that comes with the package."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _several(cell: str) -> tuple[str, ...]:
    return tuple(part for part in cell.split("|") if part)
