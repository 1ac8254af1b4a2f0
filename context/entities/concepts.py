"""The medical concept base that ships: names and aliases, Korean ones mapped to the same concept first.

Concepts are known by their UMLS identifier (CUI) and their kind; kinds come from the table, never from
how an identifier begins.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal, cast

ConceptType = Literal["condition", "symptom", "medication"]
CONCEPTS_FILE: Final = Path(__file__).with_name("concepts.csv")
INTERACTIONS_FILE: Final = Path(__file__).with_name("interactions.csv")


@dataclass(frozen=True, slots=True)
class Concept:
    """One medical concept."""

    cui: str
    type: ConceptType
    name: str
    aliases: tuple[str, ...]
    korean: tuple[str, ...]
    chronic: bool


@dataclass(frozen=True, slots=True)
class Interaction:
    """Two medicines that are known not to go together, and who says so."""

    medicines: frozenset[str]
    effect: str
    effect_ko: str
    source: str


@cache
def concepts() -> dict[str, Concept]:
    """All concepts by name."""
    found = {}
    for row in _rows(CONCEPTS_FILE):
        found[row["name"]] = Concept(
            row["cui"],
            cast("ConceptType", row["type"]),
            row["name"],
            _several(row["aliases"]),
            _several(row["korean"]),
            row["chronic"] == "1",
        )
    return found


@cache
def interactions() -> tuple[Interaction, ...]:
    """The known interactions."""
    return tuple(
        Interaction(frozenset((row["first"], row["second"])), row["effect"], row["effect_ko"], row["source"])
        for row in _rows(INTERACTIONS_FILE)
    )


def interacting(medicines: frozenset[str]) -> list[Interaction]:
    """Those of the known interactions whose medicines are both named."""
    return [each for each in interactions() if each.medicines <= medicines]


@cache
def spellings() -> tuple[re.Pattern[str], dict[str, str]]:
    """One pattern for all names, the longest first, and the concept's name behind each (lower case)."""
    names: dict[str, str] = {}
    for concept in concepts().values():
        for spelling in (concept.name, *concept.aliases, *concept.korean):
            names.setdefault(spelling.lower(), concept.name)
    longest_first = sorted(names, key=len, reverse=True)
    latin = "|".join(re.escape(name) for name in longest_first if name.isascii())
    hangul = "|".join(re.escape(name) for name in longest_first if not name.isascii())
    return re.compile(rf"(?<![\w])(?:{latin})(?![\w])|(?<![가-힣])(?:{hangul})(?!기)", re.IGNORECASE), names


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _several(cell: str) -> tuple[str, ...]:
    return tuple(part for part in cell.split("|") if part)
