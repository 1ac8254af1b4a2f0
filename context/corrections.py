"""What people put right: words, names, topics, decisions and tasks; and that no engine takes it back.

A correction is an event like any other. Words that were corrected stand in the archive in the place of those
that were heard, which stay on the record. What was edited of a topic's statements is laid over every summary
that is made of it later, by what it rests on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from context.models import Frozen, Statement, Summary, Utterance
from context.values import changed


class UtteranceFix(Frozen):
    """What somebody said is written otherwise than it was heard, or was said by somebody else."""

    of: Literal["utterance"]
    utterance: int
    text: Annotated[str, Field(min_length=1, max_length=20_000)]
    was: str = ""
    speaker: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """The participant who said it; None: as it was."""


class PersonFix(Frozen):
    """A participant is called otherwise: a dial-in, a room with several people."""

    of: Literal["person"]
    person: str
    name: Annotated[str, Field(min_length=1, max_length=200)]
    was: str = ""
    into: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """They are this participant: what they have said, and will say, counts there."""


class TermFix(Frozen):
    """A term that was misheard again and again: it is put right wherever it stands."""

    of: Literal["term"]
    heard: Annotated[str, Field(min_length=1, max_length=100)]
    meant: Annotated[str, Field(min_length=1, max_length=100)]


class TopicFix(Frozen):
    """A topic has another name."""

    of: Literal["topic"]
    topic: str
    name: Annotated[str, Field(min_length=1, max_length=200)]
    was: str = ""


class StatementFix(Frozen):
    """A decision or a pending item is confirmed, reworded, ticked off or rejected; None: as it was."""

    of: Literal["statement"]
    topic: str
    list: Literal["decisions", "pending"]
    evidence: tuple[int, ...]
    """What it rests on, which says together with `was` which one is meant."""
    was: str
    text: Annotated[str, Field(min_length=1, max_length=2_000)] | None = None
    owner: Annotated[str, Field(max_length=200)] | None = None
    """"": nobody."""
    due: Annotated[str, Field(max_length=200)] | None = None
    status: Literal["decided", "open", "done", "rejected"] | None = None


Fix = Annotated[UtteranceFix | TermFix | PersonFix | TopicFix | StatementFix, Field(discriminator="of")]


class Corrections(BaseModel):
    """All of one meeting's, as far as something that is made later has to know them."""

    speakers: dict[int, str] = Field(default_factory=dict)
    """Utterance id → the participant who said it."""
    merged: dict[str, str] = Field(default_factory=dict)
    """Participant → who they are."""
    terms: list[str] = Field(default_factory=list)
    """As people write them, for whoever recognises speech."""
    words: dict[int, tuple[str, str]] = Field(default_factory=dict)
    """Utterance id → its text, and who put it so."""
    revision: int = 0
    """Grows with each correction: what was made of the meeting's words under another is out of date."""
    statements: list[tuple[StatementFix, str]] = Field(default_factory=list)
    """In order, each with who made it."""

    def speaker_of(self, utterance: Utterance) -> str:
        """Who said it, as people know."""
        speaker = self.speakers.get(utterance.id, utterance.speaker_id)
        return self.merged.get(speaker, speaker)

    def ids_of(self, person: str) -> tuple[str, ...]:
        """All ids of a participant: their own, and those that were said to be the same."""
        one = self.merged.get(person, person)
        return tuple(dict.fromkeys((person, one, *(who for who, whom in self.merged.items() if whom == one))))

    def merge(self, person: str, into: str) -> None:
        """Who was merged into `person` before is `into`, too."""
        self.merged = {who: into if whom == person else whom for who, whom in self.merged.items()}
        self.merged[person] = into

    def overlay(self, utterance: Utterance) -> Utterance:
        """An utterance's words as people have put them right; `heard` keeps what the engine had."""
        fix = self.words.get(utterance.id)
        if fix is None:
            return utterance
        heard = utterance.heard if utterance.heard is not None else utterance.text
        return changed(utterance, {"text": fix[0], "heard": heard, "corrected_by": fix[1]})

    def applied(self, topic_id: str, notes: Summary) -> Summary:
        """A topic's summary with what people edited in it; what they rejected is left out."""
        for fix, by in self.statements:
            if fix.topic == topic_id:
                rows = list(notes.decisions if fix.list == "decisions" else notes.pending)
                notes = changed(notes, {fix.list: tuple(_with(rows, fix, by))})
        return notes


def replaced(text: str, heard: str, meant: str) -> str:
    """`text` with the term put right; of letters and digits, only where it stands as a word of its own."""
    before = r"(?<![A-Za-z0-9])" if heard[0].isascii() and heard[0].isalnum() else ""
    behind = r"(?![A-Za-z0-9])" if heard[-1].isascii() and heard[-1].isalnum() else ""
    return re.sub(before + re.escape(heard) + behind, lambda _: meant, text, flags=re.IGNORECASE)


def _with(rows: list[Statement], fix: StatementFix, by: str) -> Sequence[Statement]:
    """The statements, one of them edited; it is put back where a new summary has left it out.

    Of those that rest on the same words the one with the text that was edited is meant.
    """
    same = [at for at, each in enumerate(rows) if set(each.evidence) & set(fix.evidence)]
    exact = [at for at in same if rows[at].text in (fix.was, fix.text)]
    place = next(iter([*exact, *same]), None)
    if fix.status == "rejected":
        return rows if place is None else [*rows[:place], *rows[place + 1 :]]
    told = fix.model_dump(include={"text", "owner", "due", "status"}, exclude_none=True)
    edit = {name: value or None for name, value in told.items()} | {"corrected_by": by}
    if place is not None:
        rows[place] = changed(rows[place], edit)
        return rows
    left_out = Statement(text=fix.was, evidence=fix.evidence, status="decided")
    if fix.list == "pending":
        left_out = left_out.model_copy(update={"kind": "action", "status": "open"})
    return [*rows, changed(left_out, edit)]
