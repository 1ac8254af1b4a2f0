"""The target of an erasure (what is to be erased of a meeting), and the mark that stays of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, Self

from pydantic import model_validator

from context.models import Frozen, Utterance
from context.text import Id

What = Literal["person", "utterances", "stretch", "meeting"]


class Target(Frozen):
    """What to erase: a person's words, utterances, a stretch, or all. Raises `ValueError` on none."""

    what: What
    person: Id | None = None
    """A participant's id: what they said, what they asked the agent, and its answers to them."""
    utterances: tuple[int, ...] = ()
    """The numbers of the utterances."""
    since_ms: int = 0
    """The beginning of the stretch in meeting time: erased is what ended after it."""

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if self.what == "person" and not self.person:
            raise ValueError("person: name the participant whose words are to be erased")
        if self.what == "utterances" and not self.utterances:
            raise ValueError("utterances: name at least one utterance")
        return self

    def holds(self, said: Utterance, people: Collection[str]) -> bool:
        """Whether an utterance of the meeting is meant; `people`: all ids of `person`."""
        match self.what:
            case "person":
                return said.speaker_id in people
            case "utterances":
                return said.id in self.utterances
            case "stretch":
                return said.end_ms > self.since_ms
            case "meeting":
                return True


class Erasure(Frozen):
    """The mark of an erasure: that words were taken out, of which turns, by whom; never which words."""

    id: Id
    by: str
    """Who asked for it."""
    at_ms: int
    """When it was carried out, in meeting time."""
    what: What
    person: Id | None = None
    since_ms: int = 0
    utterances: tuple[int, ...] = ()
    """The numbers of the utterances that have been empty since."""
    people: tuple[Id, ...] = ()
    """All ids of `person`: more than one where participants were said to be the same."""

    def withholds(self, speaker_id: str, start_ms: int, end_ms: int) -> bool:
        """Whether a turn that arrives only now was meant, too: one that began before the erasure."""
        return start_ms < self.at_ms and self.means_turn(speaker_id, end_ms)

    def means_turn(self, speaker_id: str, end_ms: int) -> bool:
        """Whether a turn that has no number in the meeting is meant, by who spoke it and when it ended."""
        match self.what:
            case "person":
                return speaker_id in self._people
            case "stretch":
                return end_ms > self.since_ms
            case "meeting":
                return True
            case "utterances":
                return False

    def means_question(self, by: str, at_ms: int) -> bool:
        """Whether a question is meant that `by` asked the agent at `at_ms`, before the erasure."""
        match self.what:
            case "person":
                return by in self._people
            case "stretch":
                return at_ms > self.since_ms
            case "meeting":
                return True
            case "utterances":
                return False

    @property
    def _people(self) -> tuple[str | None, ...]:
        return self.people or (self.person,)
