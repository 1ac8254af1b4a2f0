"""What a new version of a topic's summary takes over from the last one, so that no decision or task is lost.

A model that writes every field anew forgets some; so the statements of the last version that it does not
cite any more stay as they were. Which decision supersedes which is the model's to say (`Statement.replaces`);
where it says nothing, both stand. A *quote* is a statement in somebody's own words that stands in for a
stretch that no model has read yet (`Statement.quoted`); it goes as soon as one has. Where a topic has very
many decisions, an event repeats only those that may have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from rapidfuzz import fuzz

from context.evidence.facts import facts
from context.models import Statement, Summary
from context.reading.replacing import of_one_matter
from context.statements.ledger import superseded

_REPEATED_STATEMENTS: Final = 250
"""So many of the newest statements are in every version; what stands before them is only counted."""
_SAME_RATIO: Final = 60
"""Likeness in percent from which on two statements with the same evidence are one, told anew."""
_LISTS: Final = ("sentences", "key_points", "decisions", "pending")
_KEPT_FIELDS: Final = ("owner", "due", "status", "superseded_by", "kind")


def with_all_of(previous: Summary, content: Summary) -> Summary:
    """`content` with all decisions and pending items of `previous`, in new words where `content` has them."""
    decided = [each.model_copy(update={"status": each.status or "decided"}) for each in content.decisions]
    decisions, pending = _retold(previous.decisions, decided), _retold(previous.pending, content.pending)
    marked = superseded(decisions, [each for each in decisions if each.replaces]) or tuple(decisions)
    return content.model_copy(update={"decisions": marked, "pending": tuple(pending)})


def resolved(decision: Statement, standing: Sequence[Statement]) -> Statement:
    """`decision`, its `replaces` reduced to decisions in `standing` that it can really take the place of.

    Those were made earlier and are of the same matter; a model may name any utterance that they rest on. Each
    is named by its last utterance then.
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
    """Whether the summary holds a quote: something that stands in for what no model has read yet."""
    return any(each.quoted for field in _LISTS for each in getattr(summary, field))


def without_quotes(summary: Summary, unread: range = range(0)) -> Summary:
    """The summary with what a model wrote, and of its quotes those whose evidence ends in `unread`.

    `unread`: ids of utterances that a model has not read, and does not read now.
    """

    def stands(each: Statement) -> bool:
        return not each.quoted or (bool(each.evidence) and max(each.evidence) in unread)

    return _only(summary, stands)


def quotes_of(summary: Summary) -> Summary:
    """The summary with its quotes alone, without what a model wrote."""
    return _only(summary, lambda each: each.quoted)


def beside(read: Summary, quotes: Summary) -> Summary:
    """`read`, a model's summary, with the statements of `quotes` behind its own, marked as quoted.

    Where `read` has no sentences, text and key points are those of `quotes`.
    """
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
    """The statements of `before`, in their new words where `now` retells them, then what is new in `now`."""
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
    return fuzz.token_set_ratio(old.text, new.text) >= _SAME_RATIO or set(new.evidence) <= set(old.evidence)


def _joined(old: Statement, new: Statement) -> Statement:
    """`new` with the evidence of both; its owner, due moment and status are those of `old` if it has none."""
    said = {name: getattr(new, name) or getattr(old, name) for name in _KEPT_FIELDS}
    evidence = tuple(sorted({*old.evidence, *new.evidence}))
    replaces = tuple(dict.fromkeys((*old.replaces, *new.replaces)))
    named = {name: getattr(new, name) or getattr(old, name) for name in ("takes_up", "repeats")}
    return new.model_copy(update={**said, **named, "evidence": evidence, "replaces": replaces})


def newest(summary: Summary, most: int) -> Summary:
    """The summary with at most `most` decisions and `most` pending items, the newest of each."""
    if max(len(summary.decisions), len(summary.pending)) <= most:
        return summary
    shorter = {"decisions": summary.decisions[-most:], "pending": summary.pending[-most:]}
    return summary.model_copy(update=shorter)


def carried(previous: Sequence[Statement], now: Sequence[Statement]) -> int:
    """How many statements at the beginning of `now` are those of `previous`, and need not be in its event.

    Those are the very same objects, and never of the newest 250 (`SummaryReady.carried_decisions`).
    """
    most = max(0, min(len(previous), len(now) - _REPEATED_STATEMENTS))
    same = 0
    while same < most and previous[same] is now[same]:
        same += 1
    return same
