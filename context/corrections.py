"""What people put right: words, names, topics, decisions and tasks; and that no engine takes it back.

A correction is an event like any other. Words that were corrected stand in the archive in the place of those
that were heard, which stay on the record. What was edited of a topic's statements is laid over every summary
that is made of it later, by what it rests on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

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


class Corrections:
    """All of one meeting's, as far as something that is made later has to know them."""

    def __init__(self) -> None:
        self.words: dict[int, tuple[str, str]] = {}
        """Utterance id → its text, and who put it so."""
        self.speakers: dict[int, str] = {}
        """Utterance id → the participant who said it."""
        self.merged: dict[str, str] = {}
        """Participant → who they are."""
        self.terms: list[str] = []
        """As people write them, for whoever recognises speech."""
        self.statements: list[tuple[StatementFix, str]] = []
        """In order, each with who made it."""
        self.revision = 0
        """Grows with each correction: what was made of the meeting's words under another is out of date."""

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
        text, by = fix
        heard = utterance.heard if utterance.heard is not None else utterance.text
        return changed(utterance, {"text": text, "heard": heard, "corrected_by": by})

    def applied(self, topic_id: str, notes: Summary) -> Summary:
        """A topic's summary with what people edited in it; what they rejected is left out."""
        fixes = [(fix, by) for fix, by in self.statements if fix.topic == topic_id]
        for fix, by in fixes:
            rows = list(notes.decisions if fix.list == "decisions" else notes.pending)
            notes = changed(notes, {fix.list: tuple(_with(rows, fix, by))})
        return notes

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {
            "speakers": {str(id_): who for id_, who in self.speakers.items()},
            "merged": dict(self.merged),
            "terms": list(self.terms),
            "words": {str(id_): list(fix) for id_, fix in self.words.items()},
            "revision": self.revision,
            "statements": [[fix.model_dump(mode="json"), by] for fix, by in self.statements],
        }

    def load(self, dumped: dict[str, Any]) -> None:
        """Take the state from a snapshot, as `dump` gave it."""
        self.words = {int(id_): (text, by) for id_, (text, by) in dumped.get("words", {}).items()}
        self.speakers = {int(id_): who for id_, who in dumped.get("speakers", {}).items()}
        self.merged = dict(dumped.get("merged", {}))
        self.terms = list(dumped.get("terms", []))
        self.revision = dumped.get("revision", 0)
        self.statements = [(StatementFix.model_validate(fix), by) for fix, by in dumped.get("statements", [])]


def replaced(text: str, heard: str, meant: str) -> str:
    """`text` with the term put right; of letters and digits, only where it stands as a word of its own."""
    before = r"(?<![A-Za-z0-9])" if heard[0].isascii() and heard[0].isalnum() else ""
    behind = r"(?![A-Za-z0-9])" if heard[-1].isascii() and heard[-1].isalnum() else ""
    return re.sub(before + re.escape(heard) + behind, lambda _: meant, text, flags=re.IGNORECASE)


def _with(rows: list[Statement], fix: StatementFix, by: str) -> Sequence[Statement]:
    """The statements, one of them edited; it is put back where a new summary has left it out."""
    place = _place(rows, fix)
    if fix.status == "rejected":
        return rows if place is None else [*rows[:place], *rows[place + 1 :]]
    told = {
        name: value or None
        for name in ("text", "owner", "due", "status")
        if (value := getattr(fix, name)) is not None
    }
    if place is not None:
        rows[place] = changed(rows[place], {**told, "corrected_by": by})
        return rows
    pending = {} if fix.list == "decisions" else {"kind": "action", "status": "open"}
    base = Statement(text=fix.was, evidence=fix.evidence, status="decided").model_copy(update=pending)
    return [*rows, changed(base, {**told, "corrected_by": by})]


def _place(rows: Sequence[Statement], fix: StatementFix) -> int | None:
    """Which one is meant: of those that rest on the same words the one with the text that was edited."""
    same = [at for at, each in enumerate(rows) if set(each.evidence) & set(fix.evidence)]
    exact = [at for at in same if rows[at].text in (fix.was, fix.text)]
    return next(iter([*exact, *same]), None)
