"""What a new version of a topic's summary takes over from the last one: no decision, no task is lost.

A model that writes every field anew forgets; so whatever of the last version it does not cite any more
stays as it was, and a decision that it states otherwise than before supersedes the old one, which
is kept. Where a topic has very many decisions, an event repeats only those that may have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rapidfuzz import fuzz

from context.facts import facts
from context.ledger import Ledger
from context.models import Statement, Summary

_REPEATED: Final = 250
"""So many of the newest statements are in every version; what stands before them is only counted."""
_SAME: Final = 60
"""Likeness in percent from which on two statements with the same evidence are one, told anew."""


def with_all_of(previous: Summary, content: Summary, standing: Sequence[Statement] = ()) -> Summary:
    """`content` with every decision and pending item of `previous`, anew where `content` tells it anew.

    `standing`: decisions of other topics; a new one says which of them it takes the place of.
    """
    decided = [_decided(each) for each in content.decisions]
    decisions, told = _retold(previous.decisions, decided)
    ledger = Ledger(decisions, standing=standing)
    for decision in decided:
        if decision not in told:
            ledger.decide(decision)
    pending, told = _retold(previous.pending, content.pending)
    pending += [each for each in content.pending if each not in told]
    return content.model_copy(update={"decisions": tuple(ledger.decisions), "pending": tuple(pending)})


def _decided(statement: Statement) -> Statement:
    return statement.model_copy(update={"status": statement.status or "decided"})


def _retold(before: Sequence[Statement], now: Sequence[Statement]) -> tuple[list[Statement], list[Statement]]:
    """The statements of before, those retold in their new words; and which of `now` those are."""
    kept: list[Statement] = []
    told: list[Statement] = []
    for old in before:
        new = next((each for each in now if each not in told and _same(old, each)), None)
        if new is None:
            kept.append(old)
            continue
        if old.status in {"superseded", "done"} and new.status not in {"superseded", "done"}:
            kept.append(old)  # what has been changed stays changed, whatever a model makes of it
            if set(new.evidence) <= set(old.evidence):
                told.append(new)
        else:
            told.append(new)
            kept.append(_joined(old, new))
    return kept, told


def _same(old: Statement, new: Statement) -> bool:
    if not set(old.evidence) & set(new.evidence):
        return False
    if facts(old.text) and facts(new.text) and facts(old.text) != facts(new.text):
        return False
    return fuzz.token_set_ratio(old.text, new.text) >= _SAME or set(new.evidence) <= set(old.evidence)


def _joined(old: Statement, new: Statement) -> Statement:
    """The new words; owner, moment and evidence of before stay where the new ones say nothing."""
    return new.model_copy(
        update={
            "evidence": tuple(dict.fromkeys((*old.evidence, *new.evidence))),
            "owner": new.owner or old.owner,
            "due": new.due or old.due,
            "status": new.status or old.status,
            "superseded_by": new.superseded_by or old.superseded_by,
            "kind": new.kind or old.kind,
        }
    )


def newest(summary: Summary, most: int) -> Summary:
    """The summary with at most so many decisions and pending items: its newest."""
    if max(len(summary.decisions), len(summary.pending)) <= most:
        return summary
    shorter = {"decisions": summary.decisions[-most:], "pending": summary.pending[-most:]}
    return summary.model_copy(update=shorter)


def carried(previous: Sequence[Statement], now: Sequence[Statement]) -> int:
    """How many statements at the beginning stand as they were and need not be repeated in an event."""
    most = max(0, min(len(previous), len(now) - _REPEATED))
    same = 0
    while same < most and previous[same] is now[same]:
        same += 1
    return same
