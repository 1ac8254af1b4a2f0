"""Decisions and tasks of the record, as far as they may answer a question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from context.extractive.sentences import split
from context.models import Statement
from context.quoting.closing import closes
from context.quoting.headings import heading_of
from context.quoting.look import (
    HEADED_SHARE,
    KIND,
    LED_UP_SHARE,
    NAMES_KIND,
    NO_REASON,
    SETTLES,
    Look,
    in_context,
    names_nothing,
)
from context.quoting.quotes import Found
from context.quoting.reasons import tells
from context.quoting.settling import orders_the_meeting

_PLAIN_KINDS: Final = frozenset(["who", "when", "how_much"])
"""A decision that holds none of the kind answers none of these for its heading's sake."""
_OVER: Final = -0.2


def decided(decision: Statement, look: Look) -> Iterator[Found]:
    """A decision, if it is on the question's subject."""
    said = look.record.said_by(decision)
    if not said or orders_the_meeting(decision.text):
        return
    first, last = said[0][1], said[-1][1]
    covered, fits = look.covered(decision.text), look.fits(decision.text)
    if look.asked.deciding or look.settling or fits > 0:
        if covered > 0 or names_nothing(decision.text):
            covered = in_context(covered, look.covered(look.record.leading_to(first, decision.text)))
        covered = max(covered, LED_UP_SHARE * look.covered(look.record.topic_of(last)))
        kind = look.asked.kind
        if fits > 0 and kind is not None and NAMES_KIND[kind].search(decision.text):
            covered = max(covered, HEADED_SHARE * look.covered(heading_of(first, look.record)))
        if fits > 0 and (covered > 0 or names_nothing(decision.text)):  # 일곱 시까지 연장하는 걸로 하겠습니다
            under = f"{look.record.topic_of(last)} {decision.text}"
            covered = max(covered, HEADED_SHARE * look.covered(under))
        if names_nothing(said[-1][0]) and (
            fits > 0 or kind not in _PLAIN_KINDS
        ):  # what was told for it may name much
            covered = max(covered, *(closes(by, look.asked, look.record) for by in (first, last)))
            covered = max(covered, HEADED_SHARE * look.covered(heading_of(first, look.record)))
    if covered < look.least:
        return
    score = covered + (SETTLES if look.asked.deciding else 0.1) + fits
    score += _OVER if decision.superseded_by else 0.0
    if look.asked.kind == "why":
        score += tells(decision.text) or NO_REASON
    for text, utterance in said:
        yield Found(text, utterance, score, True, decision.superseded_by)


def given(item: Statement, look: Look) -> Iterator[Found]:
    """A task and who has it: where somebody took it on, that too."""
    quoted = look.record.said_by(item)
    if not item.owner or not quoted:
        return
    leads = [(look.covered(text), look.record.leading_to(utterance, text)) for text, utterance in quoted]
    covered = max(in_context(alone, look.covered(lead)) for alone, lead in leads)
    if covered < look.least:
        return
    taken_on = look.record.get(item.evidence[-1])
    if taken_on is not None and all(taken_on.id != each.id for _, each in quoted):
        quoted.append((split(taken_on)[0].text, taken_on))
    for text, utterance in quoted:
        yield Found(text, utterance, covered + KIND + 0.1)
