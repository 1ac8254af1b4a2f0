# patterns and texts read better unbroken
"""Decisions, tasks and open items as they stand after everything that was said.

A later decision on the same subject supersedes the earlier one, which is kept: `superseded_by` names
the utterance that changed it. What was open and has been decided is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from context.extractive import korean_choices
from context.extractive.accepted_figures import figure_taken
from context.extractive.agreement import (
    agreed_by,
    offers,
    promised_by_when,
    proposes,
    requests,
    takes_on,
    wanted_by,
)
from context.extractive.antecedents import antecedent, asked_before
from context.extractive.choices import chosen, consented
from context.extractive.conclusions import concludes, settles_first
from context.extractive.cues import Kind, due_in, kind_of, puts_off
from context.extractive.learnt import likely, whole
from context.extractive.retold import dated, decided_again, due_by, task_again
from context.extractive.reversals import moved, reverses
from context.extractive.said_by_two import said_by_two
from context.extractive.sentences import Said
from context.extractive.show_of_hands import counted
from context.extractive.subjects import (
    agree,
    facts,
    normal,
    restates,
    settles,
    supersedes,
)
from context.extractive.taken_on import taken_on, volunteered
from context.extractive.wording import (
    also_decided,
    decided,
    joined,
    offered,
    pending,
    task,
    voted,
    when_behind,
)
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.language.korean import has_hangul
from context.models import Statement

_COMPARED: Final = 200
"""A statement is compared with so many before it: a meeting of days must not take days to answer."""
_ECHOED: Final = 4
_FEW_WORDS: Final = 3
"""제가 해 볼게요: says what only together with the question."""
_NOTHING: Final[Mapping[int, Kind]] = {}


__all__ = ["Ledger", "current", "normal", "statements_of", "supersedes"]


@dataclass(slots=True)
class Ledger:
    """The decisions and pending items of a topic, in order of time."""

    decisions: list[Statement] = field(default_factory=list)
    pending: list[Statement] = field(default_factory=list)
    standing: Sequence[Statement] = ()
    """Decisions of other topics."""
    _read_until: int = 0

    def read(
        self,
        said: Sequence[Said],
        kinds: Sequence[Kind],
        names: tuple[str, ...],
        besides: Mapping[int, Kind] = _NOTHING,
        *,
        read_until: int = 0,
    ) -> set[int]:
        """Take in sentences; returns the places of those that became a decision or a pending item.

        `besides`: what the learnt weights see (`likely`) where `kinds` has no rule's word. `read_until`: what
        was said up to this utterance has been taken in; it is there to be answered.
        """
        self._read_until = read_until
        taken: set[int] = set()
        for place, (sentence, kind) in enumerate(zip(said, kinds, strict=True)):
            if place in taken or self._dates(sentence):
                taken.add(place)
                continue
            known = len(self.decisions)
            if kind == "decision":
                self.decide(voted(said, place) or decided(said, place), said, place)
            elif kind == "echo":
                before = antecedent(said, kinds, place)
                if before is None or before in taken:
                    continue
                taken.add(before)
                self.decide(joined(said[before], sentence), said, place)
            elif kind == "action" and (found := self._answered(said, kinds, place)):
                taken |= found
            elif kind in {"action", "open"}:
                self.note(pending(said, place, kind, names))
            elif kind in {"plain", "question"}:
                found = self._answered(said, kinds, place)
                if not found and not (place in besides and self._added(said, place, besides[place], names)):
                    continue
                taken |= found
            else:
                continue
            taken.add(place)
            if len(self.decisions) > known and (also := also_decided(said, place)) is not None:
                self.decide(also, said, place + 1)
                taken.add(place + 1)
        return taken

    def _dates(self, sentence: Said) -> bool:
        """Whether it only says by when what was just taken on is wanted, or will be; the task is due then."""
        task = dated(self.pending[-1] if self.pending else None, sentence)
        if task is not None:
            self.pending[-1] = task
        return task is not None

    def _added(self, said: Sequence[Said], place: int, kind: Kind, names: tuple[str, ...]) -> bool:
        """Take in what the weights alone found, if it can be told as a statement."""
        if kind == "decision":
            decision = whole(said, place)
            if decision is not None:
                self.decide(decision, said, place)
            return decision is not None
        by = agreed_by(said, place) if "?" in said[place].text else None
        self.note(pending(said, place, kind, names) if by is None else task(said[place], by=by))
        return True

    def _answered(self, said: Sequence[Said], kinds: Sequence[Kind], place: int) -> set[int]:
        """A proposal that is agreed on, a request that is taken on; the places of both."""
        sentence = said[place]
        if takes_on(sentence.text):
            before = asked_before(said, kinds, place)
            if before is None:
                return set()
            self.note(task(said[before], by=sentence, when=when_behind(said, place)))
            return {before, place}
        if kinds[place] == "action":
            asked = volunteered(said, place) if len(sentence.text.split()) <= _FEW_WORDS else None
            if asked is not None:
                self.note(asked)
            return {place} if asked is not None else set()
        if (ordered := taken_on(said, place)) is not None:
            self.note(ordered)
            return {place, place + 1} if ordered.evidence[0] == sentence.utterance.id else {place}
        if puts_off(sentence.text) and agreed_by(said, place) is not None:
            self.note(pending(said, place, "open", ()))  # agreed to put it off
            return {place}
        if settles_first(said, place):
            self.decide(decided(said, place), said, place)
            return self._asked(said, kinds, place) or {place}
        if requests(sentence.text):
            return self._asked(said, kinds, place)
        if (
            kinds[place] in {"plain", "question"}
            and offers(sentence.text)
            and (by := wanted_by(said, place)) is not None
        ):
            self.note(offered(sentence, by))
            return {place}
        if kinds[place] in {"plain", "question"} and concludes(said, place):
            if kinds[place + 1 : place + 2] == ["echo"]:
                return set()  # which decides it
            self.decide(decided(said, place), said, place)
            return {place}
        if kinds[place] == "question" and (by := promised_by_when(said, place)) is not None:
            if (own := due_by(self.pending[-1] if self.pending else None, by)) is not None:
                self.pending[-1] = own
            else:
                self.note(task(sentence, by=by, when=by.text, due=due_in(by.text)))
            return {place, said.index(by)}
        if (settled := _settled(said, kinds, place)) is not None:
            self.decide(settled, said, place)
            return {place}
        if not proposes(sentence.text):
            return set()
        by = agreed_by(said, place)
        if by is None or _decides_itself(said, kinds, place, by):
            return set()
        evidence = dict.fromkeys((sentence.utterance.id, by.utterance.id))
        agreed = Statement(text=sentence.text, evidence=tuple(evidence), status="decided")
        self.decide(agreed, said, place)
        return {place}

    def _asked(self, said: Sequence[Said], kinds: Sequence[Kind], place: int) -> set[int]:
        """A request that somebody takes on, with what they say they'll do."""
        sentence = said[place]
        by = agreed_by(said, place) if requests(sentence.text) else None
        if by is None:
            return set()
        promise = _promised(said, kinds, place, by)
        self.note(task(sentence, by=by if promise is None else said[promise], promised=promise is not None))
        return {place} if promise is None else {place, promise}

    def decide(self, decision: Statement, said: Sequence[Said] = (), at: int = 0) -> None:
        """A decision, told at place `at` of `said`: it supersedes what was decided on its subject before."""
        if decision.evidence[-1] <= self._read_until:
            return
        key = normal(decision.text)
        for place, old in _newest(self.decisions):
            if normal(old.text) == key or (old.status != "superseded" and restates(decision.text, old.text)):
                evidence = tuple(sorted({*old.evidence, *decision.evidence}))
                self.decisions[place] = old.model_copy(update={"evidence": evidence})
                return
        if (again := decided_again(self.decisions[-1] if self.decisions else None, decision)) is not None:
            self.decisions[-1] = again
            return
        by = str(decision.evidence[-1])
        fallen = moved(decision, self.decisions)
        for place, old in _newest(self.decisions):
            told = old is fallen or (bool(old.evidence) and old.evidence[-1] in decision.replaces)
            if old.status != "superseded" and (
                told or supersedes(decision.text, old.text) or reverses(said, at, decision, old)
            ):
                self.decisions[place] = old.model_copy(update={"status": "superseded", "superseded_by": by})
        for place, item in _newest(self.pending):
            if item.owner is None and item.status == "open" and settles(decision.text, item.text):
                self.pending[place] = item.model_copy(update={"status": "done"})
        elsewhere = moved(decision, self.standing) if fallen is None else None
        replaced = [
            o.evidence[-1]
            for o in self.standing
            if o.evidence and (o is elsewhere or reverses(said, at, decision, o))
        ]
        self.decisions.append(
            decision.model_copy(update={"replaces": tuple(replaced)}) if replaced else decision
        )

    def note(self, item: Statement) -> None:
        """A task or an open item; the same words again only add evidence."""
        if item.evidence[-1] <= self._read_until:
            return
        for place, old in _newest(self.pending):
            if (again := task_again(old, item)) is not None:
                self.pending[place] = again
                return
        self.pending.append(item)


def _settled(said: Sequence[Said], kinds: Sequence[Kind], place: int) -> Statement | None:
    """What the sentence at `place` settles of what was put before it: by consent, choice, vote or figure."""
    sentence = said[place]
    settled = consented(said, place)
    if settled is None and kinds[place] == "plain":
        settled = (korean_choices.chosen if has_hangul(sentence.text) else chosen)(said, place)
    settled = settled or counted(said, place) or said_by_two(said, place)
    if settled is None and (proposal := figure_taken(said, place)) is not None:
        settled = joined(said[proposal], sentence)
    return settled


def _newest(statements: Sequence[Statement]) -> list[tuple[int, Statement]]:
    """The newest statements with their places, in order."""
    first = max(0, len(statements) - _COMPARED)
    return list(enumerate(statements[first:], first))


def statements_of(
    said: Sequence[Said],
    names: tuple[str, ...] = (),
    *,
    read_until: int = 0,
    standing: Sequence[Statement] = (),
) -> Ledger:
    """The decisions and pending items of sentences that no summary has seen; see `Ledger.read`."""
    ledger = Ledger(standing=standing)
    kinds = [kind_of(sentence.text, names) for sentence in said]
    known = sum(sentence.utterance.id <= read_until for sentence in said)
    ledger.read(
        said, kinds, names, likely(said, kinds, DEFAULT_WAKE_WORDS, known=known), read_until=read_until
    )
    return ledger


def _decides_itself(said: Sequence[Said], kinds: Sequence[Kind], place: int, by: Said) -> bool:
    """Whether who says yes states it, or who proposed it, before or after: 22일로 하겠습니다."""
    proposer = said[place].utterance.speaker_id
    between = range(place + 1, said.index(by))
    if any(said[after].utterance.speaker_id == proposer and concludes(said, after) for after in between):
        return True
    for after in range(place + 1, min(len(said), place + 1 + 2 * _ECHOED)):
        if said[after].utterance.id == by.utterance.id and kinds[after] in {"decision", "echo"}:
            return True
        own = said[after].utterance.speaker_id == proposer and kinds[after] == "decision"
        if own and agree(facts(said[place].text), facts(said[after].text)):
            return True
    return False


def _promised(said: Sequence[Said], kinds: Sequence[Kind], place: int, by: Said) -> int | None:
    """Where whoever takes a request on says what they'll do: Sure, I'll write to her today."""
    for after in range(place + 1, min(len(said), place + 1 + 2 * _ECHOED)):
        if said[after].utterance.id == by.utterance.id and kinds[after] == "action":
            return after
    return None


def current(statements: Iterable[Statement]) -> list[Statement]:
    """Those that still stand."""
    return [statement for statement in statements if statement.status not in {"superseded", "done"}]
