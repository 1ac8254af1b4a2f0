"""What a new version of a topic's summary takes over from the last one: no decision, no task is lost.

A model that writes every field anew forgets; so whatever of the last version it does not cite any more stays
as it was. What supersedes what is the model's to say (`Statement.replaces`): without its word both stand.
Words that were quoted because no model had read them go as soon as one has. Where a topic has very many
decisions, an event repeats only those that may have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from rapidfuzz import fuzz

from context.facts import facts
from context.ledger import superseded
from context.models import Statement, Summary
from context.reading.replacing import of_one_matter

_REPEATED: Final = 250
"""So many of the newest statements are in every version; what stands before them is only counted."""
_SAME: Final = 60
"""Likeness in percent from which on two statements with the same evidence are one, told anew."""
_LISTS: Final = ("sentences", "key_points", "decisions", "pending")
_KEPT: Final = ("owner", "due", "status", "superseded_by", "kind")


def with_all_of(previous: Summary, content: Summary) -> Summary:
    """`content` with every decision and pending item of `previous`, anew where `content` tells it anew."""
    decided = [each.model_copy(update={"status": each.status or "decided"}) for each in content.decisions]
    decisions, pending = _retold(previous.decisions, decided), _retold(previous.pending, content.pending)
    marked = superseded(decisions, [each for each in decisions if each.replaces]) or tuple(decisions)
    return content.model_copy(update={"decisions": marked, "pending": tuple(pending)})


def resolved(decision: Statement, standing: Sequence[Statement]) -> Statement:
    """A decision whose `replaces` names what it really can take the place of.

    That is an earlier decision of the same matter; any utterance that it rests on may name it. What is
    left is the last utterance of each.
    """
    if not decision.replaces or not decision.evidence:
        return decision.model_copy(update={"replaces": ()})
    named = set(decision.replaces)
    found = [
        old.evidence[-1]
        for old in standing
        if named & set(old.evidence)
        and old.evidence[-1] < decision.evidence[-1]
        and of_one_matter(decision.text, old.text)
    ]
    return decision.model_copy(update={"replaces": tuple(dict.fromkeys(found))})


def is_quoted(summary: Summary) -> bool:
    """Whether something in it stands in for what the configured model has not read."""
    return any(each.quoted for field in _LISTS for each in getattr(summary, field))


def without_quotes(summary: Summary, unread: range = range(0)) -> Summary:
    """What a model wrote; and of the quotes those of what it has not read and does not read now, either."""

    def stands(each: Statement) -> bool:
        return not each.quoted or (bool(each.evidence) and max(each.evidence) in unread)

    return _only(summary, stands)


def quotes_of(summary: Summary) -> Summary:
    """Give a summary's quotes, without what a model wrote."""
    return _only(summary, lambda each: each.quoted)


def beside(read: Summary, quotes: Summary) -> Summary:
    """What a model has read, untouched, and behind it what is quoted of the rest, marked as that."""
    marked = {
        field: tuple(each.model_copy(update={"quoted": True}) for each in getattr(quotes, field))
        for field in _LISTS
    }
    told = read if read.sentences else quotes.model_copy(update={**marked, "verified": read.verified})
    return told.model_copy(
        update={
            "contradictions": (),
            "keywords": read.keywords or quotes.keywords,
            "decisions": (*read.decisions, *marked["decisions"]),
            "pending": (*read.pending, *marked["pending"]),
            "participants": tuple(dict.fromkeys((*read.participants, *quotes.participants))),
        }
    )


def _only(summary: Summary, stands: Callable[[Statement], bool]) -> Summary:
    kept = {field: tuple(filter(stands, getattr(summary, field))) for field in _LISTS}
    text = " ".join(each.text for each in kept["sentences"]) if summary.sentences else summary.text
    return summary.model_copy(update={**kept, "text": text, "contradictions": ()})


def _retold(before: Sequence[Statement], now: Sequence[Statement]) -> list[Statement]:
    """The statements of before, those retold in their new words, and behind them what is new in `now`."""
    kept: list[Statement] = []
    told: list[Statement] = []
    over = {"superseded", "done"}
    for old in before:
        new = next((each for each in now if each not in told and _same(old, each)), None)
        if new is None:
            kept.append(old)
        elif old.status in over and new.status not in over:
            kept.append(old)  # what has been changed stays changed, whatever a model makes of it
            if set(new.evidence) <= set(old.evidence):
                told.append(new)
        else:
            told.append(new)
            kept.append(_joined(old, new))
    return kept + [each for each in now if each not in told]


def _same(old: Statement, new: Statement) -> bool:
    if not set(old.evidence) & set(new.evidence):
        return False
    if facts(old.text) and facts(new.text) and facts(old.text) != facts(new.text):
        return False
    return fuzz.token_set_ratio(old.text, new.text) >= _SAME or set(new.evidence) <= set(old.evidence)


def _joined(old: Statement, new: Statement) -> Statement:
    """The new words; owner, moment and evidence of before stay where the new ones say nothing."""
    said = {name: getattr(new, name) or getattr(old, name) for name in _KEPT}
    evidence = tuple(sorted({*old.evidence, *new.evidence}))
    replaces = tuple(dict.fromkeys((*old.replaces, *new.replaces)))
    return new.model_copy(update={**said, "evidence": evidence, "replaces": replaces})


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
