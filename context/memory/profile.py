"""What is known of a person, with weights that fade: 0.9 to the power of the turns since (seed 002 §3.2.1).

A later value for the same thing supersedes the earlier one (an age, a dose, a due date); the earlier one
is kept, marked, and no longer told.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from context.entities.entity import Entity

_DECAY: Final = 0.9
_LEAST_TOLD: Final = 0.1
_LASTING: Final = frozenset({"conditions", "allergies", "medications", "demographics", "decisions"})
"""Kinds that do not fade: who is allergic stays so."""
_ENDS: Final = frozenset({"denied", "stopped"})
_ONE_VALUE: Final = frozenset({"demographics", "medications", "vitals", "labs"})
_LABELS: Final = {
    "demographics": ("인적 사항", "Person"),
    "conditions": ("질환", "Conditions"),
    "medications": ("복용 약", "Medicines"),
    "allergies": ("알레르기", "Allergies"),
    "symptoms": ("증상", "Symptoms"),
    "vitals": ("활력 징후", "Vitals"),
    "labs": ("검사", "Labs"),
    "decisions": ("결정", "Decisions"),
    "actions": ("할 일", "Tasks"),
    "dates": ("날짜", "Dates"),
    "amounts": ("금액·수량", "Amounts"),
    "people": ("사람", "People"),
}


@dataclass(slots=True)
class Fact:
    """One thing known of a person."""

    entity: Entity
    first_turn: int
    last_turn: int
    count: int = 1
    weight: float = 1.0
    superseded: bool = False


class ProfileStore:
    """Accumulates per turn; pure."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.turn = 0

    def add(self, turn: int, entities: Iterable[Entity]) -> None:
        """Take in what a turn named. What is denied or stopped is no fact, and ends those that it denies.

        What is only asked is no fact either, and ends nothing; a symptom that is past has ended.
        """
        self.turn = max(self.turn, turn)
        for entity in entities:
            status = entity.detail("status")
            if status == "asked":
                continue
            same = [f for f in self.facts if not f.superseded and _same(f.entity, entity)]
            if status in _ENDS or (status == "past" and entity.kind == "symptoms"):
                for fact in same:
                    fact.superseded = True
                continue
            equal = next((f for f in same if f.entity.said() == entity.said()), None)
            if equal is not None:
                equal.last_turn, equal.count = turn, equal.count + 1
                continue
            if entity.kind in _ONE_VALUE and (entity.value or entity.details):
                for fact in same:
                    fact.superseded = True
            self.facts.append(Fact(entity, turn, turn))
        self.apply_temporal_weights()

    def apply_temporal_weights(self) -> None:
        """0.9^(turns ago) for what fades."""
        for fact in self.facts:
            ago = self.turn - fact.last_turn
            fact.weight = 1.0 if fact.entity.kind in _LASTING else _DECAY**ago

    def known(self, kind: str | None = None) -> list[Fact]:
        """What stands, the weightiest first."""
        standing = [f for f in self.facts if not f.superseded and (kind is None or f.entity.kind == kind)]
        return sorted(standing, key=lambda fact: (-fact.weight, -fact.count, fact.first_turn))

    def trend(self, name: str, person: str = "") -> list[str]:
        """A person's values of a vital or lab in order of time, superseded ones included."""
        measured = [fact.entity for fact in self.facts if fact.entity.name == name and fact.entity.value]
        return [entity.value for entity in measured if entity.person == person]

    def profile_summary(self, language: str = "ko", *, most: int = 20) -> str:
        """In plain prose, one line per kind; "" where nothing is known."""
        by_kind: dict[str, list[str]] = {}
        for fact in self.known()[:most]:
            if fact.weight >= _LEAST_TOLD:
                by_kind.setdefault(fact.entity.kind, []).append(fact.entity.said())
        lines = []
        for kind, (korean, english) in _LABELS.items():
            if kind in by_kind:
                lines.append(f"{korean if language == 'ko' else english}: {', '.join(by_kind[kind])}")
        return "\n".join(lines)


def _same(one: Entity, other: Entity) -> bool:
    return (one.kind, one.name, one.person) == (other.kind, other.name, other.person)
