"""What is to be erased of a meeting, and the mark that stays of it."""

from __future__ import annotations

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

    def holds(self, said: Utterance) -> bool:
        """Whether an utterance is meant."""
        match self.what:
            case "person":
                return said.speaker_id == self.person
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

    def withholds(self, speaker_id: str, start_ms: int, end_ms: int) -> bool:
        """Whether words that come only now were meant, too: spoken before the erasure, heard behind it."""
        if start_ms >= self.at_ms or self.what == "utterances":
            return False
        return (self.what != "person" or speaker_id == self.person) and (
            self.what != "stretch" or end_ms > self.since_ms
        )
