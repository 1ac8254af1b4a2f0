"""What people correct: words, speakers, names, terms, topics, decisions and tasks; no engine undoes it.

A correction is an event like any other (`Corrected`), and each kind of it a `…Fix`. Corrected words stand in
the archive in the place of those that were heard, which stay on the record. What was edited of a topic's
statements is applied again to every later summary of it, found by the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from context.models import Frozen, Span, Statement, Summary, Utterance
from context.primitives.text import Id, Name, Prose
from context.primitives.values import changed


class UtteranceFix(Frozen):
    """An utterance has another text than was heard, or another speaker."""

    of: Literal["utterance"]
    utterance: int
    text: Annotated[str, Field(min_length=1, max_length=20_000)]
    was: str = ""
    """The text before, as whoever corrects it saw it; "" where it is not given."""
    speaker: Annotated[Id, Field(min_length=1, max_length=200)] | None = None
    """Id of the participant who said it; None: the speaker stays."""


class PersonFix(Frozen):
    """A participant has another name (as a dial-in may), or is really another participant."""

    of: Literal["person"]
    person: Id
    name: Annotated[Name, Field(min_length=1, max_length=200)]
    was: str = ""
    into: Annotated[Id, Field(min_length=1, max_length=200)] | None = None
    """Id of the participant that `person` really is: all they have said, and will say, counts there."""


class TermFix(Frozen):
    """A term was misheard: it is replaced in all that was said, and speech engines are told of it."""

    of: Literal["term"]
    heard: Annotated[str, Field(min_length=1, max_length=100)]
    meant: Annotated[str, Field(min_length=1, max_length=100)]


class TopicFix(Frozen):
    """A topic has another name; no engine renames it then."""

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
    """The statement's evidence, which says together with `was` which one is meant."""
    was: Prose
    """The statement's text before."""
    text: Annotated[str, Field(min_length=1, max_length=2_000)] | None = None
    owner: Annotated[str, Field(max_length=200)] | None = None
    """"": nobody."""
    due: Annotated[str, Field(max_length=200)] | None = None
    status: Literal["decided", "open", "done", "rejected"] | None = None


Fix = Annotated[UtteranceFix | TermFix | PersonFix | TopicFix | StatementFix, Field(discriminator="of")]


class Corrections(BaseModel):
    """The corrections of one meeting, as far as what is made later has to know them; part of the snapshot."""

    speakers: dict[int, str] = Field(default_factory=dict)
    """Utterance id → id of the participant who said it, where somebody corrected that."""
    merged: dict[str, str] = Field(default_factory=dict)
    """Participant id → id of the participant that they really are; never a chain."""
    terms: list[str] = Field(default_factory=list)
    """Corrected terms, as people write them: speech engines are told to expect them."""
    words: dict[int, tuple[str, str]] = Field(default_factory=dict)
    """Utterance id → its corrected text, and who corrected it."""
    doubtful: dict[int, tuple[Span, ...]] = Field(default_factory=dict)
    """Utterance id → where its corrected text has figures in doubt still: those beside a corrected term."""
    movers: dict[int, str] = Field(default_factory=dict)
    """Utterance id → who said that somebody else has said it; in older records `words` has them."""
    revision: int = 0
    """Grows with each correction: what was made of the words under a lower one may be out of date."""
    statements: list[tuple[StatementFix, str]] = Field(default_factory=list)
    """Corrected statements in order, each with who corrected it."""

    def speaker_of(self, utterance_id: int, heard_from: str) -> str:
        """Id of who an utterance is shown under that was heard from `heard_from`: corrected, and merged."""
        speaker = self.speakers.get(utterance_id, heard_from)
        return self.merged.get(speaker, speaker)

    def merge(self, person: str, into: str) -> None:
        """Note that `person` is `into`, and so is everybody who was merged into `person` before."""
        self.merged = {who: into if whom == person else whom for who, whom in self.merged.items()}
        self.merged[person] = into

    def overlay(self, utterance: Utterance) -> Utterance:
        """An utterance with its corrected text, if it has one; `heard` keeps what the engine heard.

        Who corrected it are whoever moved it to another speaker, and whoever wrote its text last.
        """
        fix = self.words.get(utterance.id)
        if fix is None:
            return utterance
        heard = utterance.heard if utterance.heard is not None else utterance.text
        by = ", ".join(dict.fromkeys((self.movers.get(utterance.id, fix[1]), fix[1])))
        told = {"text": fix[0], "heard": heard, "corrected_by": by}
        return changed(utterance, told | {"doubtful": self.doubtful.get(utterance.id, ())})

    def applied(self, topic_id: str, notes: Summary) -> Summary:
        """A topic's summary with what people edited in it, and without the statements that they rejected."""
        for fix, by in self.statements:
            if fix.topic == topic_id:
                rows = list(notes.decisions if fix.list == "decisions" else notes.pending)
                notes = changed(notes, {fix.list: tuple(_with(rows, fix, by))})
        return notes


def replaced(text: str, heard: str, meant: str) -> str:
    """`text` with `heard` replaced by `meant`, in any case; a Latin or numeric term only as a whole word."""
    before = r"(?<![A-Za-z0-9])" if heard[0].isascii() and heard[0].isalnum() else ""
    behind = r"(?![A-Za-z0-9])" if heard[-1].isascii() and heard[-1].isalnum() else ""
    # What reads `meant` already stays, also where `heard` is a part of it: 지훈 in 박지훈.
    kept = f"(?-i:{re.escape(meant)})|" if heard.lower() in meant.lower() else ""
    pattern = kept + before + re.escape(heard) + behind
    return re.sub(pattern, lambda _: meant, text, flags=re.IGNORECASE)


def _with(rows: list[Statement], fix: StatementFix, by: str) -> Sequence[Statement]:
    """The statements with one of them edited, or rejected; put back where a new summary has left it out.

    Of several that share evidence with the fix, the one that has its text is meant.
    """
    same = [at for at, each in enumerate(rows) if set(each.evidence) & set(fix.evidence)]
    exact = [at for at in same if rows[at].text in (fix.was, fix.text)]
    place = next(iter([*exact, *same]), None)
    if fix.status == "rejected":
        return rows if place is None else [*rows[:place], *rows[place + 1 :]]
    told = fix.model_dump(include={"text", "owner", "due", "status"}, exclude_none=True)
    edit = {name: value or None for name, value in told.items()} | {"corrected_by": by}
    if place is not None:
        if edit.get("owner") and rows[place].kind == "open":
            edit["kind"] = "action"  # an open point that is given to somebody is theirs to do
        rows[place] = changed(rows[place], edit)
        return rows
    left_out = Statement(text=fix.was, evidence=fix.evidence, status="decided")
    if fix.list == "pending":
        left_out = left_out.model_copy(update={"kind": "action", "status": "open"})
    return [*rows, changed(left_out, edit)]
