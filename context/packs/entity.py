"""Entities, and the port of what finds them (`Pack`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

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
    """The name of the person whom it is about; "" where that is not known, or it is nobody's."""
    chronic: bool = False
    """Whether it is a condition that stays (seed 002 §3.2.2)."""

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


ENDS = frozenset({"denied", "stopped"})
"""Statuses by which an entity ends what was known of it, instead of stating something."""


class SpokenText(NamedTuple):
    """A text, and the name of whoever said it; "" where that is not known."""

    text: str
    speaker: str = ""


class Pack(Protocol):
    """A port: finds the entities of one field, such as medicine. It computes only, and fast: no I/O."""

    personal: bool = False
    """Whether it finds what belongs to a person."""

    def entities(self, text: str, *, names: Sequence[str] = (), speaker: str = "") -> list[Entity]:
        """The entities that `text` names. `names`: of the people present; `speaker`: who says it, by name."""
        ...

    def worded(self, entity: Entity, language: str) -> str:  # noqa: ARG002 -- a port's shape
        """A fact of a person as a document in `language` may have it; "" where it is not the pack's."""
        return ""

    def warnings(self, taken: frozenset[str], language: str) -> Sequence[str]:  # noqa: ARG002 -- a port's shape
        """A line for each two of the things called `taken` that do not go together."""
        return ()

    def notices(
        self,
        question: SpokenText,  # noqa: ARG002 -- a port's shape
        answer: str,  # noqa: ARG002 -- a port's shape
        before: Iterable[SpokenText | Sequence[Entity]],  # noqa: ARG002 -- a port's shape
        names: Sequence[str],  # noqa: ARG002 -- a port's shape
        language: str,  # noqa: ARG002 -- a port's shape
    ) -> Sequence[str]:
        """The warnings of which an exchange names a part. `before`: what was said or learnt, oldest first."""
        return ()


def by_kind(entities: Iterable[Entity]) -> Mapping[str, tuple[str, ...]]:
    """The entities by kind, each on a line (`Entity.said`), none twice: seed 002's `slot_out` in words."""
    found: dict[str, dict[str, None]] = {}
    for entity in entities:
        found.setdefault(entity.kind, {})[entity.said()] = None
    return {kind: tuple(lines) for kind, lines in found.items()}
