"""Entities, and the port of what finds them (`Pack`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from context.models import Frozen

ENDS: Final = frozenset({"denied", "stopped"})
"""Statuses by which an entity ends what was known of it, instead of stating something."""


class Kind(Frozen):
    """What a pack says of one kind of its entities: what it is called, whose it is, how it is remembered."""

    korean: str
    english: str
    personal: bool = False
    """Whether it belongs to a person, not to the meeting."""
    lasts_as: str = ""
    """Its heading in the semantic tier of memory; "" where nothing of it gets there."""
    lasts_at_once: bool = False
    """Whether it gets there at its first mention; else at its second."""
    fades: bool = True
    """Whether it weighs less with each turn that does not name it."""
    one_value: bool = False
    """Whether only the newest value of a name holds."""
    measured: bool = False
    """Whether its values are figures, whose course is told."""
    widens_searches: bool = False
    """Whether what is known of an asker is searched for beside their question (seed 002 §3.5.2)."""
    ends: frozenset[str] = ENDS
    """Statuses by which one ends what was known of it."""


Kinds = Mapping[str, Kind]
"""Kinds by the name that their entities have, in the order in which a profile tells them."""


class Entity(Frozen):
    """One thing that a text names."""

    kind: str
    """The name of its kind, among those of its pack."""
    name: str
    """The concept's or the measure's name; for other kinds the words of the text."""
    value: str = ""
    """What was measured, or when an action is due; "" where nothing was said."""
    unit: str = ""
    details: tuple[tuple[str, str], ...] = ()
    """What else was said of it, by the names of seed 002's fields, such as status."""
    person: str = ""
    """The name of the person whom it is about; "" where that is not known, or it is nobody's."""
    chronic: bool = False
    """Whether it stays, and so lasts from its first mention on (seed 002 §3.2.2)."""

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


class SpokenText(NamedTuple):
    """A text, and the name of whoever said it; "" where that is not known."""

    text: str
    speaker: str = ""


class Pack(Protocol):
    """A port: finds the entities of one field, such as medicine. It computes only, and fast: no I/O."""

    kinds: Kinds
    """The kinds of its entities."""

    def entities(self, text: str, *, names: Sequence[str] = (), speaker: str = "") -> list[Entity]:
        """The entities that `text` names. `names`: of the people present; `speaker`: who says it, by name."""
        ...

    def worded(self, entity: Entity, language: str) -> str:  # noqa: ARG002 -- a port's shape
        """A fact of a person as a document in `language` may have it; "" where it is not the pack's."""
        return ""

    def warnings(self, known: Sequence[Entity], language: str) -> Sequence[str]:  # noqa: ARG002 -- a port's shape
        """A line for each two things known of a person that do not go together."""
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
