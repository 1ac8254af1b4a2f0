"""Entities, what finds them (`Pack`), and the medical concepts that come with the package.

A concept has its UMLS identifier (CUI), its type, and names in both languages (`concepts.csv`). Its type
comes from that table, never from how the identifier begins. `interactions.csv` says which medicines do not
go together.
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
    """One thing that a text names."""

    kind: str
    """`people dates amounts decisions actions`, or seed 002's `symptoms conditions medications vitals labs
    demographics allergies`."""
    name: str
    """The concept's or the measure's name; for other kinds the words of the text."""
    value: str = ""
    """What was measured, or when an action is due; "" where nothing was said."""
    unit: str = ""
    details: tuple[tuple[str, str], ...] = ()
    """Seed 002's further fields, by their names: severity, duration, dose, frequency, status, cui."""
    person: str = ""
    """Of whom it holds, by name; "" where that is not known, or it is nobody's."""

    def detail(self, name: str) -> str:
        """A further field (of `details`); "" where it was not said."""
        return dict(self.details).get(name, "")

    def said(self) -> str:
        """The entity on one line, without its person: SBP 140 mmHg."""
        rest = [value for name, value in self.details if name != "cui"]
        return " ".join(part for part in (self.name, self.value, self.unit, *rest) if part)

    def of_whom(self) -> str:
        """The entity on one line, behind the name of its person where that is known: 민지: penicillin."""
        return f"{self.person}: {self.said()}" if self.person else self.said()


class Pack(Protocol):
    """A port: finds the entities of one field, such as medicine. It computes only, and fast: no I/O."""

    def entities(self, text: str, *, names: Sequence[str] = (), speaker: str = "") -> list[Entity]:
        """The entities that `text` names. `names`: of the people present; `speaker`: who says it, by name."""
        ...


def by_kind(entities: Iterable[Entity]) -> Mapping[str, tuple[str, ...]]:
    """The entities by kind, each on a line (`Entity.said`), none twice: seed 002's `slot_out` in words."""
    found: dict[str, dict[str, None]] = {}
    for entity in entities:
        found.setdefault(entity.kind, {})[entity.said()] = None
    return {kind: tuple(lines) for kind, lines in found.items()}


ConceptType = Literal["condition", "symptom", "medication"]
CONCEPTS_FILE: Final = Path(__file__).with_name("concepts.csv")
INTERACTIONS_FILE: Final = Path(__file__).with_name("interactions.csv")


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


@dataclass(frozen=True, slots=True)
class Interaction:
    """Two medicines that are known not to go together."""

    medicines: frozenset[str]
    """The names of the two concepts."""
    effect: str
    effect_ko: str
    source: str
    """Who says so."""


@cache
def concepts() -> dict[str, Concept]:
    """All concepts by their name; read once."""
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
    """All interactions between medicines that are known; read once."""
    return tuple(
        Interaction(frozenset((row["first"], row["second"])), row["effect"], row["effect_ko"], row["source"])
        for row in _rows(INTERACTIONS_FILE)
    )


def interacting(medicines: frozenset[str]) -> list[Interaction]:
    """The known interactions between two of `medicines`, names of concepts."""
    return [each for each in interactions() if each.medicines <= medicines]


@cache
def spellings() -> tuple[re.Pattern[str], dict[str, str]]:
    """One pattern that finds any name of a concept, and the concept's name by each of them in lower case."""
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
