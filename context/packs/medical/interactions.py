"""Medicines that do not go together (`interactions.csv`), and who takes which, by what was said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from context.packs.entity import ENDS, Entity
from context.packs.medical.concepts import concepts, rows

_FILE: Final = Path(__file__).with_name("interactions.csv")


@dataclass(frozen=True, slots=True)
class Interaction:
    """Two medicines that are known not to go together."""

    medicines: frozenset[str]
    """The names of the two concepts."""
    effect: str
    effect_ko: str
    source: str
    """Who says so."""

    def warning(self, language: str) -> str:
        """The interaction on one line, with its source."""
        pair = " + ".join(sorted(self.medicines))
        if language != "ko":
            return f"Notice: {pair}: {self.effect} ({self.source}). Ask a doctor or pharmacist."
        told = ", ".join(concepts()[name].korean[0] for name in sorted(self.medicines))
        return f"주의: {told} ({pair}): {self.effect_ko} ({self.source}). 의사나 약사에게 확인하세요."


@cache
def interactions() -> tuple[Interaction, ...]:
    """All interactions between medicines that are known; read once."""
    return tuple(
        Interaction(frozenset((row["first"], row["second"])), row["effect"], row["effect_ko"], row["source"])
        for row in rows(_FILE)
    )


def interacting(medicines: frozenset[str]) -> list[Interaction]:
    """The known interactions between two of `medicines`, names of concepts."""
    return [each for each in interactions() if each.medicines <= medicines]


class Taking:
    """Who takes which medicine, as far as it was said. What is told is added in the order of its time.

    A medicine that somebody has stopped is no longer theirs, and a question about it does not give it
    back. Where it is not known whose a medicine is, whoever says to have stopped it ends it.
    """

    def __init__(self) -> None:
        self._takers: dict[str, set[str]] = {}

    def hear(self, entities: Iterable[Entity]) -> None:
        """Take in what the next words name."""
        for each in entities:
            if each.kind != "medications":
                continue
            known, status = self._takers.get(each.name), each.detail("status")
            if status in ENDS:
                self._takers[each.name] = (known or set()) - {each.person, ""}
            elif status != "asked" or known is None:
                self._takers.setdefault(each.name, set()).add(each.person)

    @property
    def taken(self) -> frozenset[str]:
        """The medicines that somebody takes."""
        return frozenset(name for name, takers in self._takers.items() if takers)

    @property
    def ended(self) -> frozenset[str]:
        """The medicines that were named and that nobody takes any more."""
        return frozenset(self._takers) - self.taken
