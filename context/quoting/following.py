"""What came of it: a question about a plan is answered by what was settled, not by how it came up.

"When are we pouring the slab?" finds "we were meant to pour on Thursday"; five turns later it was moved to
Monday, and at the end of the meeting to Tuesday. So a quote from the talk that led to a decision brings the
decision, and one that was changed brings what holds now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.models import Statement
from context.quoting.headings import turned_away
from context.quoting.look import names_nothing
from context.quoting.quotes import Found
from context.quoting.record import Record
from context.quoting.settling import orders_the_meeting
from context.retrieval.questions import Asked, coverage, gives

_WITHIN: Final = 6
"""Utterances from the talk to what was settled in it."""
_RIGHT_BEHIND: Final = 3
_OF_A_PLAN: Final = frozenset(["when", "how_much", "where", None])


def followed(chosen: Sequence[Found], asked: Asked, record: Record) -> list[Found]:
    """`chosen`, with the decision that the talk led to and with what superseded a decision; in order."""
    decisions = [each for each in record.statements().decisions if each.evidence]
    quoted = list(chosen)
    if asked.kind in _OF_A_PLAN and not asked.saying and not any(each.decision for each in chosen):
        best = max(chosen, key=lambda each: each.score, default=None)
        led_to = _led_to(best, decisions, asked, record) if best is not None else None
        quoted += _besides(quoted, _quoted(led_to, record, best.score if best else 0.0))
    for old in decisions:
        if old.superseded_by and any(each.utterance.id == old.evidence[-1] for each in quoted):
            quoted += _besides(quoted, _quoted(_now(old, decisions), record, 0.0))
    return sorted(quoted, key=lambda each: each.utterance.id)


def _besides(quoted: Sequence[Found], brought: Sequence[Found]) -> list[Found]:
    """Of what is brought, what is quoted from nowhere yet."""
    known = {each.utterance.id for each in quoted}
    return [each for each in brought if each.utterance.id not in known]


def _led_to(found: Found, decisions: Sequence[Statement], asked: Asked, record: Record) -> Statement | None:
    """The first decision soon after a quote, in the same stretch of talk, that is of the kind asked for."""
    here = found.utterance
    for decision in decisions:
        first = decision.evidence[0]
        if not here.id < first <= here.id + _WITHIN or orders_the_meeting(decision.text):
            continue
        between = [each for each in record.after(here, first - here.id) if each.id <= first]
        if turned_away(here.id, first, record):
            return None
        named = f"{decision.text} {record.topic_of(here)}"
        if not coverage(asked, named) and not names_nothing(decision.text):
            return None
        talk = " ".join([*(each.text for each in between), decision.text])
        if first - here.id > _RIGHT_BEHIND and not coverage(asked, talk):
            return None  # by then they talk of something else
        if asked.kind is None or gives(asked, decision.text, record.names):
            return decision
    return None


def _now(old: Statement, decisions: Sequence[Statement]) -> Statement | None:
    """What holds now in the place of a decision that was changed, once or several times."""
    seen: set[str] = set()
    now: Statement | None = old
    while now is not None and now.superseded_by and now.superseded_by not in seen:
        seen.add(now.superseded_by)
        by = now.superseded_by
        now = next((each for each in decisions if by in map(str, each.evidence) and each is not old), None)
    return now if now is not old else None


def _quoted(decision: Statement | None, record: Record, score: float) -> list[Found]:
    if decision is None:
        return []
    return [
        Found(text, utterance, score, True, decision.superseded_by)
        for text, utterance in record.said_by(decision)
    ]
