"""A question taken apart."""

from __future__ import annotations

from typing import Literal

from context.models import Frozen

AnswerKind = Literal["when", "how_much", "who", "why", "where"]


class Asked(Frozen):
    """A question taken apart."""

    topic: tuple[str, ...]
    """The words that say what it is about, without particles; may be empty."""
    deciding: bool
    """It asks for what was decided."""
    wide: tuple[str, ...] = ()
    """All words that may find something: those of the topic, and some of the asking."""
    importance: tuple[float, ...] = ()
    """Of each topic word: what the question names as its subject more, its verbs less."""
    kind: AnswerKind | None = None
    checking: bool = False
    """It holds something against the record: didn't we decide otherwise?"""
    changing: bool = False
    """It asks what changed."""
    saying: bool = False
    """It asks what somebody said."""
    unit: str = ""
    """몇 명: what is counted, by its Korean counter."""

    @property
    def query(self) -> str:
        """What to search for."""
        return " ".join(self.wide or self.topic)
