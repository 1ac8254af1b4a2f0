"""What people put right: words, names, topics, decisions and tasks; and that no engine takes it back.

A correction is an event like any other. Words that were corrected stand in the archive in the place of those
that were heard, which stay on the record. What was edited of a topic's statements is laid over every summary
that is made of it later, by what it rests on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from context.events import StatementFix
from context.models import Statement, Summary, Utterance
from context.values import changed


class Corrections:
    """All of one meeting's, as far as something that is made later has to know them."""

    def __init__(self) -> None:
        self.words: dict[int, tuple[str, str]] = {}
        """Utterance id → its text, and who put it so."""
        self.statements: list[tuple[StatementFix, str]] = []
        """In order, each with who made it."""
        self.revision = 0
        """Grows with each correction: what was made of the meeting's words under another is out of date."""

    def overlay(self, utterance: Utterance) -> Utterance:
        """An utterance as people have put it right; `heard` keeps what the engine had."""
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
        """For the snapshot."""
        return {
            "words": {str(id_): list(fix) for id_, fix in self.words.items()},
            "revision": self.revision,
            "statements": [[fix.model_dump(mode="json"), by] for fix, by in self.statements],
        }

    def load(self, dumped: dict[str, Any]) -> None:
        """From the snapshot."""
        self.words = {int(id_): (text, by) for id_, (text, by) in dumped.get("words", {}).items()}
        self.revision = dumped.get("revision", 0)
        self.statements = [(StatementFix.model_validate(fix), by) for fix, by in dumped.get("statements", [])]


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
