"""Decisions, tasks and open points as they stand after all that was said, and what speaks against them.

A later decision on the same matter takes the earlier one's place, which is kept: `superseded_by` names the
utterance that changed it. What was open and has been decided is done. Nothing is ever taken out. A sentence
that says another day or figure than a decision, and decides nothing anew, is a contradiction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from rapidfuzz import fuzz

from context.facts import clash, facts, matter, normal
from context.language.said import Said
from context.models import Contradiction, Statement
from context.reading.acts import act_of
from context.reading.replacing import SURE, is_about, of_one_matter, replaces

_COMPARED: Final = 200
"""A statement is held against so many before it: a meeting of days must not take days to answer."""
_SAME: Final = 80
"""Likeness in per cent from which on two statements with the same days and figures say the same."""


@dataclass(slots=True)
class Ledger:
    """The decisions and pending items of a topic, in order of time."""

    decisions: list[Statement] = field(default_factory=list)
    pending: list[Statement] = field(default_factory=list)
    standing: Sequence[Statement] = ()
    """Decisions of other topics; which of them a new one replaces, it says itself (`Statement.replaces`)."""

    def by_last_word(self) -> dict[str, Statement]:
        """The decisions by the utterance that made them, as `superseded_by` names it."""
        return {str(each.evidence[-1]): each for each in self.decisions if each.evidence}

    def decide(self, decision: Statement) -> None:
        """Take in a decision: what it changes is superseded, what it settles is done."""
        for place, old in _newest(self.decisions):
            if old.status != "superseded" and says_again(decision, old):
                self.decisions[place] = _with_evidence(old, decision)
                return
        superseded_by = {"status": "superseded", "superseded_by": str(decision.evidence[-1])}
        for place, old in _newest(self.decisions):
            if old.status != "superseded" and (_told(decision, old) or _changes(decision, old)):
                self.decisions[place] = old.model_copy(update=superseded_by)
        for place, item in _newest(self.pending):
            if item.kind == "open" and item.status == "open" and is_about(decision.text, item.text):
                self.pending[place] = item.model_copy(update={"status": "done"})
        elsewhere = [old.evidence[-1] for old in self.standing if old.evidence and _changes(decision, old)]
        replaced = tuple(dict.fromkeys((*decision.replaces, *elsewhere)))
        self.decisions.append(decision.model_copy(update={"replaces": replaced}) if elsewhere else decision)

    def note(self, item: Statement) -> None:
        """Take in a task or an open point; the same again only adds evidence, an owner, a moment."""
        for place, old in _newest(self.pending):
            if old.kind == item.kind and says_again(item, old):
                told = {"owner": old.owner or item.owner, "due": old.due or item.due}
                self.pending[place] = _with_evidence(old, item).model_copy(update=told)
                return
        self.pending.append(item)


def says_again(new: Statement, old: Statement) -> bool:
    """Whether the same is said again in nearly the same words: same days, same figures, same person."""
    if normal(new.text) == normal(old.text):
        return True
    if facts(new.text) != facts(old.text) or (new.owner and old.owner and new.owner != old.owner):
        return False
    alike = fuzz.token_set_ratio(new.text, old.text)
    if set(new.evidence) & set(old.evidence):
        return bool(alike >= _SAME)
    return bool(facts(new.text)) and alike >= _SAME


def current(statements: Iterable[Statement]) -> list[Statement]:
    """Give the statements that still stand."""
    return [statement for statement in statements if statement.status not in {"superseded", "done"}]


def superseded(decisions: Sequence[Statement], fresh: Sequence[Statement]) -> tuple[Statement, ...] | None:
    """`decisions` with those marked whose place one of `fresh` takes; None where nothing changes."""
    marked: dict[int, Statement] = {}
    for place, old in enumerate(decisions):
        if old.status == "superseded" or not old.evidence:
            continue
        by = next((new for new in fresh if _told(new, old) and new.evidence[-1] > old.evidence[-1]), None)
        if by is not None:
            change = {"status": "superseded", "superseded_by": str(by.evidence[-1])}
            marked[place] = old.model_copy(update=change)
    return tuple(marked.get(place, old) for place, old in enumerate(decisions)) if marked else None


def _told(new: Statement, old: Statement) -> bool:
    """Whether the new one says that it replaces the old one, and speaks of the same matter."""
    named = bool(old.evidence) and old.evidence[-1] in new.replaces
    return named and of_one_matter(new.text, old.text)


def _changes(new: Statement, old: Statement) -> bool:
    later = bool(old.evidence) and new.evidence[-1] > old.evidence[-1]
    return later and replaces(new.text, old.text) >= SURE


def _with_evidence(old: Statement, new: Statement) -> Statement:
    return old.model_copy(update={"evidence": tuple(sorted({*old.evidence, *new.evidence}))})


def _newest(statements: Sequence[Statement]) -> list[tuple[int, Statement]]:
    """The newest statements with their places, in order."""
    first = max(0, len(statements) - _COMPARED)
    return list(enumerate(statements[first:], first))


_HELD_AGAINST: Final = 100
"""A sentence is held against so many of the newest decisions."""
_MOST: Final = 20
"""So many contradictions of one topic are kept, the newest."""


def contradictions_in(said: Sequence[Said], decisions: Sequence[Statement]) -> list[Contradiction]:
    """Sentences that say another day or figure than a decision made before them, each with both evidences.

    `said`: what decides nothing itself. A question, a proposal and a refusal speak against nothing.
    """
    standing = [each for each in decisions if each.status != "superseded" and each.evidence][-_HELD_AGAINST:]
    found: list[Contradiction] = []
    for sentence in said if standing else ():
        told, number = facts(sentence.text), sentence.utterance.id
        if "?" in sentence.text or not (told or told.negated) or act_of(sentence.text) in _PUTS:
            continue
        against = (
            each
            for each in reversed(standing)
            if number > each.evidence[-1] and _is_against(sentence.text, each.text)
        )
        if (decision := next(against, None)) is not None:
            found.append(
                Contradiction(
                    text=sentence.text,
                    evidence=(number,),
                    decision=decision.text,
                    decision_evidence=decision.evidence,
                )
            )
    return found


_OF_ONE_MATTER: Final = 0.75
_PUTS: Final = ("proposal", "rejection", "open")


def _is_against(text: str, decision: str) -> bool:
    said, decided = facts(text), facts(decision)
    if clash(said, decided):
        return replaces(text, decision) >= SURE
    about, former = matter(text), matter(decision)
    shared = len(about & former) / max(1, min(len(about), len(former)))
    return said.negated != decided.negated and shared >= _OF_ONE_MATTER


def still_open(
    kept: Sequence[Contradiction], fresh: Sequence[Contradiction], decisions: Sequence[Statement]
) -> tuple[Contradiction, ...]:
    """Old and new ones, none twice, without those whose decision has been changed since."""
    gone = {each.text for each in decisions[-_HELD_AGAINST:] if each.status == "superseded"}
    unique = {(each.text, each.decision): each for each in (*kept, *fresh) if each.decision not in gone}
    return tuple(unique.values())[-_MOST:]
