"""The target of an erasure (what is to be erased of a meeting), and the mark that stays of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, Self

from pydantic import model_validator

from context.models import Frozen
from context.primitives.guest_identity import is_one_of
from context.primitives.text import Id

What = Literal["person", "utterances", "stretch", "meeting", "answers"]


class Target(Frozen):
    """What to take out, or to show again. Raises `ValueError` where it names nothing."""

    what: What
    person: Id | None = None
    """A participant's id. `person`: what they spoke, what they asked the agent, and its answers to them;
    `stretch`: whose words of that time are erased."""
    people: tuple[Id, ...] = ()
    """`person`: other ids whose words an administrator has confirmed to be theirs."""
    utterances: tuple[int, ...] = ()
    """The numbers of the utterances; `person`: of lines that others spoke, confirmed to be theirs."""
    answers: tuple[Id, ...] = ()
    """`answers`: the ids of the agent's answers, as they quote what was erased in another meeting."""
    since_ms: int = 0
    """The beginning of the stretch in meeting time: meant is what ended after it."""
    until_ms: int | None = None
    """Its end: meant is what began before it; None: the moment at which it is carried out."""
    others: Literal["erase", "hide", "leave"] = "erase"
    """`stretch`: what becomes of the words of others than `person`; `erase` where there is no `person`."""
    show: bool = False
    """The hidden ones of these words are to be shown again; nothing is erased."""

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if self.what == "person" and not self.person:
            raise ValueError("person: name the participant whose words are to be erased")
        if self.what == "utterances" and not self.utterances:
            raise ValueError("utterances: name at least one utterance")
        if self.what == "answers" and not self.answers:
            raise ValueError("answers: name at least one answer")
        return self

    @property
    def everybody(self) -> tuple[str, ...]:
        """All ids of the person whose words are meant; empty where no person is."""
        return () if self.person is None else (self.person, *self.people)


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
    until_ms: int | None = None
    others: Literal["erase", "hide", "leave"] = "erase"
    utterances: tuple[int, ...] = ()
    """The numbers of the utterances that have been empty since."""
    hidden: tuple[int, ...] = ()
    """Those of them that are hidden, not erased: they may be shown again."""
    answers: tuple[Id, ...] = ()
    """The ids of the answers that have been empty since, with `answers`."""
    people: tuple[Id, ...] = ()
    """All ids of `person`: more than one where that was confirmed."""

    def withholds(self, speaker_id: str, start_ms: int, end_ms: int) -> bool:
        """Whether a turn that arrives only now is erased, too: one that began before the erasure."""
        return start_ms < self.before_ms and self.means_turn(speaker_id, end_ms)

    def hides(self, speaker_id: str, start_ms: int, end_ms: int) -> bool:
        """Whether a turn that arrives only now is hidden, as the others' words of its time."""
        of_then = start_ms < self.before_ms and end_ms > self.since_ms
        return self._stretch_of_one and of_then and self.others == "hide" and not self._is_theirs(speaker_id)

    def means_turn(self, speaker_id: str, end_ms: int) -> bool:
        """Whether the words of a turn without a number are erased, by who spoke it and when it ended."""
        return self._means(speaker_id, end_ms)

    def means_question(self, by: str, at_ms: int) -> bool:
        """Whether a question is meant that `by` asked the agent at `at_ms`, before the erasure."""
        return self._means(by, at_ms)

    def _means(self, who: str, at_ms: int) -> bool:
        """Whether words of somebody are meant that have no number, and came at this moment."""
        match self.what:
            case "person":
                return self._is_theirs(who)
            case "stretch":
                return at_ms > self.since_ms and self._erases_of(who)
            case "meeting":
                return True
            case "utterances" | "answers":
                return False

    def without(self, numbers: Collection[int]) -> Self:
        """The mark where these utterances are shown again."""
        left = tuple(each for each in self.utterances if each not in numbers)
        return self.model_copy(update={"utterances": left, "hidden": self._hidden_but(numbers)})

    def no_longer_hiding(self, numbers: Collection[int]) -> Self:
        """The mark where these utterances were erased by a later one."""
        return self.model_copy(update={"hidden": self._hidden_but(numbers)})

    def hiding(self, number: int) -> Self:
        """The mark where it hides one more utterance, which came late."""
        more = {"utterances": (*self.utterances, number), "hidden": (*self.hidden, number)}
        return self.model_copy(update=more)

    def _hidden_but(self, numbers: Collection[int]) -> tuple[int, ...]:
        return tuple(each for each in self.hidden if each not in numbers)

    def _erases_of(self, person: str) -> bool:
        return self.others == "erase" or self._is_theirs(person)

    def _is_theirs(self, who: str) -> bool:
        return is_one_of(who, self.people or (self.person,))

    @property
    def before_ms(self) -> int:
        """Meant are turns that began before this moment."""
        return self.at_ms if self.until_ms is None else self.until_ms

    @property
    def _stretch_of_one(self) -> bool:
        return self.what == "stretch" and self.person is not None
