"""A ledger of decisions, tasks and open points as they stand now, and the contradictions to them.

A decision that a model says takes an earlier one's place supersedes it: `superseded_by` names the utterance
that did. One that only seems to, by its words, stands beside it: both stand, and the later one names the
earlier (`Statement.takes_up`). What was open and has been decided is done. Nothing is ever taken out. A
sentence that says another day or figure than a decision, and decides nothing anew, is a contradiction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

from rapidfuzz import fuzz

from context.evidence.facts import agree, clash, facts, matter, normal
from context.language.spoken_sentences import SpokenSentence
from context.models import Contradiction, Statement
from context.primitives.text import one_line
from context.reading.acts import act_of
from context.reading.changing import may_change
from context.reading.repeating import repeats
from context.reading.replacing import (
    SURE_CHANCE,
    change_chances,
    of_one_matter,
    revision_chance,
    settles_item,
)

_COMPARED_COUNT: Final = 200
"""A statement is compared with so many before it, so that the cost of one does not grow with the meeting."""
_SAME_RATIO: Final = 80
"""Likeness in per cent from which on two statements of the same words, days and figures say the same."""


@dataclass(slots=True)
class Ledger:
    """The decisions and pending items of a topic, in order of time; changed as statements are taken in."""

    decisions: list[Statement] = field(default_factory=list)
    pending: list[Statement] = field(default_factory=list)
    standing: Sequence[Statement] = ()
    """Decisions of other topics; a new one may take up the matter of one of them."""
    contradictions: Sequence[Contradiction] = ()
    """Statements against one of the decisions that decide nothing anew."""

    def later(self, decision: Statement) -> Statement | None:
        """The decision that took the place of one, or else the first that took it up again; None: neither."""
        if decision.superseded_by:
            by = decision.superseded_by
            made = [each for each in self.decisions if by in map(str, each.evidence) and each is not decision]
            last = [each for each in made if str(each.evidence[-1]) == by]  # else it was said again since
            return next(iter((*last, *made)), None)
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
            if item.kind == "open" and item.status == "open" and settles_item(decision.text, item.text):
                self.pending[place] = item.model_copy(update={"status": "done"})
        if (repeated := _repeated(decision, self.standing)) is not None:
            self.decisions.append(decision.model_copy(update={"repeats": repeated.evidence[-1:]}))
            return
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
    """Whether `new` only says again what `old` says; what rests on the same words need but be much alike."""
    if normal(new.text) == normal(old.text):
        return True
    if new.owner and old.owner and new.owner != old.owner:
        return False
    if set(new.evidence) & set(old.evidence):
        alike = fuzz.token_set_ratio(new.text, old.text)
        return bool(facts(new.text) == facts(old.text) and alike >= _SAME_RATIO)
    return repeats(new.text, old.text)


def _repeated(new: Statement, standing: Sequence[Statement]) -> Statement | None:
    """The newest decision of another topic that `new` only says again: made before, and still standing."""
    for old in reversed(standing):
        stands = old.status != "superseded" and bool(old.evidence) and old.evidence[-1] not in new.replaces
        if stands and new.evidence[-1] > old.evidence[-1] and repeats(new.text, old.text):
            return old
    return None


def each_once(decisions: Iterable[Statement]) -> list[Statement]:
    """Decisions of several topics in order; one that repeats another that stands is told with that."""
    told: list[Statement] = []
    for each in decisions:
        places = (place for place, old in enumerate(told) if _is_repeated_by(each, old))
        place = next(places, None)
        if place is None:
            told.append(each)
        else:
            told[place] = _with_evidence(told[place], each)
    return told


def _is_repeated_by(new: Statement, old: Statement) -> bool:
    """Whether `new` only says `old` again, which stands; what a person has worded stands for itself."""
    stands = old.status != "superseded" and new.corrected_by is None
    return stands and not set(new.repeats).isdisjoint(old.evidence)


def takes_up_again(new: Statement, old: Statement) -> bool:
    """Whether the decision `new` names `old` as one whose matter it takes up again."""
    return not set(new.takes_up).isdisjoint(old.evidence)


def related(decisions: Sequence[Statement]) -> list[Statement]:
    """The decisions; each that takes nothing up names the earlier one whose matter it takes up again, if any.

    Topics that were summarised at once knew nothing of each other's.
    """
    order = sorted(range(len(decisions)), key=lambda place: decisions[place].evidence[-1:])
    found, before = list(decisions), list[Statement]()
    for place in order:
        new = found[place]
        if new.evidence and new.status != "superseded" and not (new.takes_up or new.repeats):
            former = _taken_up(new, before[-_COMPARED_COUNT:])
            if former is not None and former.superseded_by is None:
                new = found[place] = new.model_copy(update={"takes_up": former.evidence[-1:]})
        before.append(new)
    return found


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
    if any(settles_item(new.text, item.text) for new in later):
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

    It was said before, and still stands: what had been changed already, the change stands for. A change that
    names only a value takes up the one decision with such a value, where there is just one.
    """
    before = [
        old
        for old in standing
        if old.status != "superseded" and old.evidence and new.evidence[-1] > old.evidence[-1]
    ]
    likely = [_line_takes_up(new.text, old.text) for old in before]
    most, place = max(zip(likely, range(len(before)), strict=True), default=(0.0, -1))
    if most >= SURE_CHANCE:
        found = [before[place]]
    else:
        again = {number for old in before for number in old.takes_up}
        found = [
            old
            for old in before
            if again.isdisjoint(old.evidence)
            and any(may_change(*lines) for lines in product(_lines(new.text), _lines(old.text)))
        ]
    return found[0] if len(found) == 1 and found[0].evidence[-1] not in new.replaces else None


def _line_takes_up(later: str, earlier: str) -> float:
    """The highest chance that a line of one statement takes up a line of another; a yes is one, too."""
    return max(revision_chance(*lines) for lines in product(_lines(later), _lines(earlier)))


def _lines(text: str) -> list[str]:
    return text.splitlines() or [""]


def _with_evidence(old: Statement, new: Statement) -> Statement:
    return old.model_copy(update={"evidence": tuple(sorted({*old.evidence, *new.evidence}))})


def _newest(statements: Sequence[Statement]) -> list[tuple[int, Statement]]:
    """The newest statements with their places, in order."""
    first = max(0, len(statements) - _COMPARED_COUNT)
    return list(enumerate(statements[first:], first))


_REGARDED_DECISIONS: Final = 100
"""A sentence is compared with so many of the newest decisions."""
_MOST_CONTRADICTIONS: Final = 20
"""So many contradictions of one topic are kept, the newest."""


def contradictions_in(said: Sequence[SpokenSentence], decisions: Sequence[Statement]) -> list[Contradiction]:
    """The contradictions: sentences that say something else than a decision made before them.

    `said`: sentences that decide nothing themselves. A question, a proposal, a refusal and an open point
    contradict nothing.
    """
    standing = [each for each in decisions if each.status != "superseded" and each.evidence][
        -_REGARDED_DECISIONS:
    ]
    found: list[Contradiction] = []
    for sentence in said if standing else ():
        number = sentence.utterance.id
        if "?" in sentence.text or act_of(sentence.text) in _CONTRADICTS_NOTHING:
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


_ONE_MATTER_SHARE: Final = 0.75
_CHANGE_CHANCE: Final = 0.9
"""How likely a sentence that names no other day or figure takes the decision up, where it changes it."""
_CONTRADICTS_NOTHING: Final = ("proposal", "rejection", "open")


def _contradicts(text: str, decision: str) -> bool:
    said, decided = facts(text), facts(decision)
    if clash(said, decided):
        return revision_chance(text, decision) >= SURE_CHANCE
    about, former = matter(text), matter(decision)
    shared = len(about & former) / max(1, min(len(about), len(former)))
    if said.negated != decided.negated and shared >= _ONE_MATTER_SHARE:
        return True
    changes = not agree(said, decided) and change_chances(text)["changes"] > change_chances(text)["again"]
    return changes and revision_chance(text, decision) >= _CHANGE_CHANCE


def still_open(
    kept: Sequence[Contradiction], fresh: Sequence[Contradiction], decisions: Sequence[Statement]
) -> tuple[Contradiction, ...]:
    """The newest of `kept` and `fresh`, none twice; without those that were decided anew since."""
    newest = decisions[-_REGARDED_DECISIONS:]
    again = {number for each in newest for number in each.takes_up}
    gone = {
        one_line(each.text)
        for each in newest
        if each.status == "superseded" or not again.isdisjoint(each.evidence)
    }
    unique = {(each.text, each.decision): each for each in (*kept, *fresh) if each.decision not in gone}
    return tuple(unique.values())[-_MOST_CONTRADICTIONS:]
