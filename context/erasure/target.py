"""What is to be erased of a meeting, and the mark that stays of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, Self

from pydantic import model_validator

from context.models import Frozen, Utterance

What = Literal["person", "utterances", "stretch", "meeting"]


class Target(Frozen):
    """Whose words, which ones, what was said in a stretch of time, or all of the meeting's."""

    what: What
    person: str | None = None
    """A participant's id: what they said, what they asked the agent, and its answers to them."""
    utterances: tuple[int, ...] = ()
    since_ms: int = 0
    """Of a stretch: what ended after it, in milliseconds of meeting time."""

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if self.what == "person" and not self.person:
            raise ValueError("person: name the participant whose words are to be erased")
        if self.what == "utterances" and not self.utterances:
            raise ValueError("utterances: name at least one utterance")
        return self

    def holds(self, said: Utterance, people: Collection[str]) -> bool:
        """Whether an utterance that stands in the meeting is meant; `people`: the ids of `person`."""
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
    """The mark of an erasure: that words were taken out, how many turns, by whom; never which words."""

    id: str
    by: str
    at_ms: int
    what: What
    person: str | None = None
    since_ms: int = 0
    utterances: tuple[int, ...] = ()
    """The turns that stand empty since."""
    people: tuple[str, ...] = ()
    """All ids of `person`: more than one where participants were said to be the same."""

    def withholds(self, speaker_id: str, start_ms: int, end_ms: int) -> bool:
        """Whether words that come only now were meant, too: spoken before the erasure, heard behind it."""
        if start_ms >= self.at_ms or self.what == "utterances":
            return False
        return (self.what != "person" or speaker_id in self._people) and (
            self.what != "stretch" or end_ms > self.since_ms
        )

    def means_question(self, by: str, at_ms: int) -> bool:
        """Whether what somebody wrote to the agent before the erasure, at this moment, is meant."""
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
