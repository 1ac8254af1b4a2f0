"""One thing that a text names, and what finds such things."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

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
