"""One thing that a text names, and what finds such things.

The medical concept base that ships: names and aliases, Korean ones mapped to the same concept first.

Concepts are known by their UMLS identifier (CUI) and their kind; kinds come from the table, never from
how an identifier begins.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal, Protocol, cast

from context.models import Frozen


class Entity(Frozen):
    """A named thing. `name` is how it is known, `value` what was said of it."""

    kind: str
    """`people dates amounts decisions actions`, or seed 002's `symptoms conditions medications vitals labs
    demographics allergies`."""
    name: str
    value: str = ""
    unit: str = ""
    details: tuple[tuple[str, str], ...] = ()
    """Seed 002's further fields, by their names: severity, duration, dose, frequency, status, cui."""
    person: str = ""
    """Of whom it holds, by name; "" where that is not known, or it is nobody's."""

    def detail(self, name: str) -> str:
        """A further field; "" where it was not said."""
        return dict(self.details).get(name, "")

    def said(self) -> str:
        """On one line: SBP 140 mmHg."""
        rest = [value for name, value in self.details if name != "cui"]
        return " ".join(part for part in (self.name, self.value, self.unit, *rest) if part)

    def of_whom(self) -> str:
        """The same with the person: 민지: penicillin."""
        return f"{self.person}: {self.said()}" if self.person else self.said()


class Pack(Protocol):
    """Finds the entities of one field of life."""

    def entities(self, text: str, *, names: Sequence[str] = (), speaker: str = "") -> list[Entity]:
        """In order of the text. `names`: of the people present; `speaker`: of whoever says it. Pure; fast."""
        ...


def by_kind(entities: Iterable[Entity]) -> Mapping[str, tuple[str, ...]]:
    """Each kind's entities on a line each, none twice: seed 002's `slot_out` in words."""
    found: dict[str, dict[str, None]] = {}
    for entity in entities:
        found.setdefault(entity.kind, {})[entity.said()] = None
    return {kind: tuple(lines) for kind, lines in found.items()}


ConceptType = Literal["condition", "symptom", "medication"]
CONCEPTS_FILE: Final = Path(__file__).with_name("concepts.csv")
INTERACTIONS_FILE: Final = Path(__file__).with_name("interactions.csv")


@dataclass(frozen=True, slots=True)
class Concept:
    """A medical concept: its identifier, its kind and the names that mean it."""

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
    """Give all concepts by every name that means them."""
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
    """Give the interactions between medicines that are known."""
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
