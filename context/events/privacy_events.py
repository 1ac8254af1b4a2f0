"""Events of what people decide about their words: told, consent, pause, erasure (see `events`)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from context.events.actors import Actor
from context.events.erasure_target import Erasure, Target
from context.models import Frozen
from context.primitives.text import Id

ConsentChannel = Literal["chat", "voice", "page", "attribute", "command", "http", "earlier"]
"""The channel by which somebody agreed or refused; `earlier`: in a meeting before this one."""


class ParticipantInformed(Frozen):
    """A participant was told that the meeting is heard, what is kept, and how to say no."""

    kind: Literal["participant_informed"] = "participant_informed"
    participant_id: Id
    at_ms: int


class ConsentTold(Frozen):
    """A participant agrees to be heard, or refuses; the newest such event counts."""

    kind: Literal["consent_told"] = "consent_told"
    participant_id: Id
    agreed: bool
    how: ConsentChannel
    told_by: str | None = None
    """Who said it for them; None: they themselves."""
    actor: Actor | None = None
    """Who was authenticated as whoever said it for them; None: they themselves, or in older events."""
    at_ms: int


class RecordingPaused(Frozen):
    """Somebody has paused the record: what is said from `at_ms` on is not kept."""

    kind: Literal["recording_paused"] = "recording_paused"
    by: Id
    at_ms: int
    off_the_record: bool = False
    """Whether somebody asked to go off the record, to speak to those present only; else a mere pause."""


class RecordingResumed(Frozen):
    """The record goes on after a pause: what is said from `at_ms` on counts again."""

    kind: Literal["recording_resumed"] = "recording_resumed"
    by: Id
    at_ms: int


class Erased(Frozen):
    """Words were taken out of the meeting, for good (see `context.erasure.erased_record`)."""

    kind: Literal["erased"] = "erased"
    id: Id
    by: str
    """Who asked for it, for people (`Actor.shown`)."""
    actor: Actor | None = None
    """Who was authenticated. None in events that are older than this field."""
    at_ms: int
    target: Target
    utterances: tuple[int, ...] = ()
    """Ids of the utterances whose text is gone."""
    hidden: tuple[int, ...] = ()
    """Those of them that are only hidden: their words wait in their own events, to be shown or erased."""
    keys: tuple[Id, ...] = ()
    """Their keys, in the same order. Empty in events that are older than this field."""
    people: tuple[Id, ...] = ()
    """All ids of the person whose words they were."""
    state: dict[str, Any] = Field(default_factory=dict)
    """The meeting's state without them: what a snapshot holds. The fold goes on from it. Empty where a later
    erasure brings another."""

    @property
    def mark(self) -> Erasure:
        """The mark that stays of it in the meeting: what was erased, and for whom, without words."""
        wanted = self.target
        return Erasure(
            id=self.id,
            by=self.by,
            at_ms=self.at_ms,
            what=wanted.what,
            person=wanted.person,
            since_ms=wanted.since_ms,
            until_ms=wanted.until_ms,
            others=wanted.others,
            utterances=self.utterances,
            hidden=self.hidden,
            answers=wanted.answers,
            people=self.people,
        )


class HiddenWords(Frozen):
    """The words of an utterance that is hidden: shown nowhere, until they are shown again or erased."""

    text: str
    """The text as it was heard."""
    fixed: tuple[str, str] | None = None
    """The text that somebody corrected it to, and who did."""


class WordsShown(Frozen):
    """Hidden words are shown again, as asked by who spoke them or of an administrator."""

    kind: Literal["words_shown"] = "words_shown"
    id: str
    by: str
    """Who asked for it, for people (`Actor.shown`)."""
    actor: Actor
    at_ms: int
    words: tuple[tuple[int, HiddenWords], ...] = ()
    """Utterance id and its words. Empty once those were erased, or hidden again."""
