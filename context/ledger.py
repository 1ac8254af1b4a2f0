"""A ledger of decisions, tasks and open points as they stand now, and the contradictions to them.

A decision that a model says takes an earlier one's place supersedes it: `superseded_by` names the utterance
that did. One that only seems to, by its words, stands beside it: both stand, and the later one names the
earlier (`Statement.takes_up`). What was open and has been decided is done. Nothing is ever taken out. A
sentence that says another day or figure than a decision, and decides nothing anew, is a contradiction.
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
from context.reading.replacing import SURE, is_about, of_one_matter, takes_up
from context.text import one_line

_COMPARED: Final = 200
"""A statement is compared with so many before it, so that the cost of one does not grow with the meeting."""
_SAME: Final = 80
"""Likeness in per cent from which on two statements with the same days and figures say the same."""


@dataclass(slots=True)
class Ledger:
    """The decisions and pending items of a topic, in order of time; changed as statements are taken in."""

    decisions: list[Statement] = field(default_factory=list)
    pending: list[Statement] = field(default_factory=list)
    standing: Sequence[Statement] = ()
    """Decisions of other topics; a new one may take up the matter of one of them."""

    def later(self, decision: Statement) -> Statement | None:
        """The decision that took the place of one, or else the first that took it up again; None: neither."""
        if decision.superseded_by:
            made = (each for each in self.decisions if each.evidence)
            return next((each for each in made if str(each.evidence[-1]) == decision.superseded_by), None)
        return next((each for each in self.decisions if takes_up_again(each, decision)), None)

    def decide(self, decision: Statement) -> None:
        """Take in a decision: decisions that it replaces are superseded, open points that it settles done.

        One that only says again what stands adds its evidence to that.
        """
        for place, old in _newest(self.decisions):
            if old.status != "superseded" and says_again(decision, old):
                self.decisions[place] = _with_evidence(old, decision)
                return
        change = _superseded_by(decision)
        for place, old in _newest(self.decisions):
            if old.status == "superseded":
                continue
            if _says_it_replaces(decision, old):
                self.decisions[place] = old.model_copy(update=change)
        for place, item in _newest(self.pending):
            if item.kind == "open" and item.status == "open" and is_about(decision.text, item.text):
                self.pending[place] = item.model_copy(update={"status": "done"})
        former = _taken_up(decision, [*self.standing, *(old for _, old in _newest(self.decisions))])
        if former is not None:
            decision = decision.model_copy(update={"takes_up": former.evidence[-1:]})
        self.decisions.append(decision)

    def note(self, item: Statement) -> None:
        """Take in a task or an open point; the same one again only adds its evidence, owner and due time."""
        for place, old in _newest(self.pending):
            if old.kind == item.kind and says_again(item, old):
                told = {"owner": old.owner or item.owner, "due": old.due or item.due}
                self.pending[place] = _with_evidence(old, item).model_copy(update=told)
                return
        self.pending.append(item)


def says_again(new: Statement, old: Statement) -> bool:
    """Whether `new` says what `old` says in nearly the same words: same days, figures and owner."""
    if normal(new.text) == normal(old.text):
        return True
    if facts(new.text) != facts(old.text) or (new.owner and old.owner and new.owner != old.owner):
        return False
    alike = fuzz.token_set_ratio(new.text, old.text)
    if set(new.evidence) & set(old.evidence):
        return bool(alike >= _SAME)
    return bool(facts(new.text)) and alike >= _SAME


def takes_up_again(new: Statement, old: Statement) -> bool:
    """Whether the decision `new` names `old` as one whose matter it takes up again."""
    return not set(new.takes_up).isdisjoint(old.evidence)


def current(statements: Iterable[Statement]) -> list[Statement]:
    """The statements that still stand: neither superseded nor done."""
    return [statement for statement in statements if statement.status not in {"superseded", "done"}]


def superseded(decisions: Sequence[Statement], fresh: Sequence[Statement]) -> tuple[Statement, ...] | None:
    """`decisions` with those superseded that a later one of `fresh` says it replaces; None: no change."""
    marked: dict[int, Statement] = {}
    for place, old in enumerate(decisions):
        if old.status == "superseded" or not old.evidence:
            continue
        by = next(
            (new for new in fresh if _says_it_replaces(new, old) and new.evidence[-1] > old.evidence[-1]),
            None,
        )
        if by is not None:
            marked[place] = old.model_copy(update=_superseded_by(by))
    return tuple(marked.get(place, old) for place, old in enumerate(decisions)) if marked else None


def settled_by(item: Statement, decisions: Iterable[Statement]) -> Statement:
    """An open point, done if a later one of `decisions` settles it."""
    if item.kind != "open" or not item.evidence:
        return item
    later = (
        new
        for new in decisions
        if new.status != "superseded" and new.evidence and new.evidence[-1] > item.evidence[-1]
    )
    if any(is_about(new.text, item.text) for new in later):
        return item.model_copy(update={"status": "done"})
    return item


def _superseded_by(decision: Statement) -> dict[str, str]:
    """The changes to a decision whose place `decision` takes."""
    return {"status": "superseded", "superseded_by": str(decision.evidence[-1])}


def _says_it_replaces(new: Statement, old: Statement) -> bool:
    """Whether `new` names `old` in its `replaces`, and is of the same matter."""
    named = bool(old.evidence) and old.evidence[-1] in new.replaces
    return named and of_one_matter(new.text, old.text)


def _taken_up(new: Statement, standing: Sequence[Statement]) -> Statement | None:
    """The likeliest decision whose matter `new` takes up again, of equal ones the newest; None: of none.

    It was said before, and still stands: what had been changed already, the change stands for.
    """
    likely = [
        (_line_takes_up(new.text, old.text), place)
        for place, old in enumerate(standing)
        if old.status != "superseded" and old.evidence and new.evidence[-1] > old.evidence[-1]
    ]
    most, place = max(likely, default=(0.0, -1))
    return standing[place] if most >= SURE and standing[place].evidence[-1] not in new.replaces else None


def _line_takes_up(later: str, earlier: str) -> float:
    """How likely a line of one statement takes up a line of another: who only says yes has a line, too."""
    return max(
        takes_up(line, before)
        for line in later.splitlines() or [""]
        for before in earlier.splitlines() or [""]
    )


def _with_evidence(old: Statement, new: Statement) -> Statement:
    return old.model_copy(update={"evidence": tuple(sorted({*old.evidence, *new.evidence}))})


def _newest(statements: Sequence[Statement]) -> list[tuple[int, Statement]]:
    """The newest statements with their places, in order."""
    first = max(0, len(statements) - _COMPARED)
    return list(enumerate(statements[first:], first))


_HELD_AGAINST: Final = 100
"""A sentence is compared with so many of the newest decisions."""
_MOST_CONTRADICTIONS: Final = 20
"""So many contradictions of one topic are kept, the newest."""


def contradictions_in(said: Sequence[Said], decisions: Sequence[Statement]) -> list[Contradiction]:
    """The contradictions: sentences that say another day or figure than a decision made before them.

    `said`: sentences that decide nothing themselves. A question, a proposal, a refusal and an open point
    contradict nothing.
    """
    standing = [each for each in decisions if each.status != "superseded" and each.evidence][-_HELD_AGAINST:]
    found: list[Contradiction] = []
    for sentence in said if standing else ():
        told, number = facts(sentence.text), sentence.utterance.id
        if (
            "?" in sentence.text
            or not (told or told.negated)
            or act_of(sentence.text) in _CONTRADICTS_NOTHING
        ):
            continue
        against = (
            each
            for each in reversed(standing)
            if number > each.evidence[-1] and _contradicts(sentence.text, each.text)
        )
        if (decision := next(against, None)) is not None:
            found.append(
                Contradiction(
                    text=sentence.text,
                    evidence=(number,),
                    decision=one_line(decision.text),
                    decision_evidence=decision.evidence,
                )
            )
    return found


_OF_ONE_MATTER: Final = 0.75
_CONTRADICTS_NOTHING: Final = ("proposal", "rejection", "open")


def _contradicts(text: str, decision: str) -> bool:
    said, decided = facts(text), facts(decision)
    if clash(said, decided):
        return takes_up(text, decision) >= SURE
    about, former = matter(text), matter(decision)
    shared = len(about & former) / max(1, min(len(about), len(former)))
    return said.negated != decided.negated and shared >= _OF_ONE_MATTER


def still_open(
    kept: Sequence[Contradiction], fresh: Sequence[Contradiction], decisions: Sequence[Statement]
) -> tuple[Contradiction, ...]:
    """The newest of `kept` and `fresh`, none twice; without those that were decided anew since."""
    newest = decisions[-_HELD_AGAINST:]
    again = {number for each in newest for number in each.takes_up}
    gone = {
        one_line(each.text)
        for each in newest
        if each.status == "superseded" or not again.isdisjoint(each.evidence)
    }
    unique = {(each.text, each.decision): each for each in (*kept, *fresh) if each.decision not in gone}
    return tuple(unique.values())[-_MOST_CONTRADICTIONS:]
