# ruff: noqa: E501  # patterns read better unbroken
"""What the record says of a claim, with both evidences: what was decided, and what stands against it.

Decisions are bi-temporal: an earlier one is kept, marked with what changed it. A claim is held against
the pair that changed, against decisions that somebody spoke against later, against the decision on its
subject, and, where nothing of the kind was decided, against what was said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.answering.claims import Claim
from context.answering.mentions import (
    corrected,
    covers,
    mention_of,
    places,
    put_right_since,
    said_after,
    said_of,
    settled_after,
    yes_or_no,
)
from context.answering.sides import Check, Side, Verdict, agrees, same_sort, side_of
from context.answering.told import told as told_in
from context.extractive.contradictions import contradictions_in
from context.extractive.cues import kind_of
from context.extractive.sentences import said_in, split
from context.extractive.subjects import CHANGE
from context.models import Contradiction, Statement
from context.quoting.look import names_nothing
from context.quoting.own_subject import is_own_subject, names_another
from context.quoting.record import Record
from context.retrieval.questions import Asked, coverage

__all__ = ["Check", "Side", "Verdict", "check"]

_LEAST: Final = 0.5
_LED_UP_LEAST: Final = 0.75
_WHOLLY: Final = 0.9
"""A decision that says all of what is claimed, before one that only came up in the same talk."""
_SAME_TALK: Final = 12
_CHOSEN: Final = re.compile(
    r"([가-힣A-Za-z0-9]{2,}?)(?:으로|로)\s?(?:정했|결정|확정|하기로|가기로|골랐)"
    r"|\b(?:go(?:ing)?|went) (?:with|for|to) (?:the )?(\w+)|\b(?:choose|chose|chosen|pick|picked|take|took) (?:the )?(\w+)",
    re.IGNORECASE,
)
"""One of several, in the claim."""
_SETTLED_ON: Final = re.compile(
    r"[가-힣]{2,}(?:으로|로)\s?(?:가죠|갑시다|하죠|합시다|하겠|정하|결정)|\bit is\b|\b(?:take|go with|go for|choose)\b|\bthen\W*$",
    re.IGNORECASE,
)
_NEWEST: Final = 60
"""Utterances that are read for what speaks against a decision where the question names nothing."""


def check(claim: Claim, record: Record, near: Sequence[int] = ()) -> Check | None:
    """What the record says of the claim; None where it says nothing of its subject.

    `near`: what the answer before rests on; a claim that names no subject is about that.
    """
    decisions = [each for each in record.statements().decisions if each.evidence]
    about = [each for each in decisions if _is_about(claim, each, record)]
    if claim.facts and is_own_subject(claim.subject, record):
        claim = claim.model_copy(update={"subject": ()})
        about = [each for each in decisions if _is_about(claim, each, record)]
    if not claim.subject and claim.facts and not claim.otherwise:
        found_at = places(claim, record, near) or _in_talk_of(near, places(claim, record, ()), record)
        about = _talked_of_there(about, found_at, near) if found_at or near else about
        if found_at:
            there = record.leading_to(found_at[-1].utterance, found_at[-1].text)
            about = [each for each in about if not names_another(each.text, there)] or about
        told = _changed(claim, about, decisions, record) or put_right_since(found_at, record)
        if told is not None:
            return told
        if not about and found_at:
            return _agreed(claim, found_at[-1], record)
    if claim.kind == "decided" or about:
        found = (
            _changed(claim, about, decisions, record)
            or _spoken_against(claim, about, record)
            or _held_against(claim, about, record)
        )
        if found is not None:
            return found
    if claim.kind == "decided" and (instead := _chosen(claim, decisions, record)) is not None:
        return instead
    said = said_of(claim, record) or _told_in_reply(claim, record)
    if said is not None and claim.kind == "decided" and said.verdict == "confirmed":
        settles = kind_of(said.first.text, record.names) == "decision" or claim.denies
        return said if settles else None  # else it was talked about, and nobody decided it
    return said


def _told_in_reply(claim: Claim, record: Record) -> Check | None:
    """The claim's day or figure right behind a question that names its subject: "How much is it?" – "300 dollars."."""
    if not claim.facts or not claim.subject:
        return None
    found = [side for side in places(claim, record, ()) if _replies_on(claim, side, record)]
    return (put_right_since(found, record) or _agreed(claim, found[-1], record)) if found else None


def _replies_on(claim: Claim, side: Side, record: Record) -> bool:
    asked = record.get(side.utterance.id - 1)
    return asked is not None and any(
        kind_of(each.text, record.names) == "question"
        and coverage(Asked(topic=claim.subject, deciding=False), each.text) >= _LED_UP_LEAST
        for each in split(asked)
    )


def _agreed(claim: Claim, side: Side, record: Record) -> Check:
    """The claim's day or figure was said: so it is, unless another of its sort came up soon after."""
    verdict = yes_or_no(claim, side.text)
    later = said_after(side, record) if verdict == "confirmed" else None
    return Check(verdict=verdict if later is None else "followed", first=side, second=later)


def _as_decided(claim: Claim, side: Side, record: Record) -> Check:
    """The decision says yes or no; a yes with what was settled soon after, where trouble was told."""
    verdict = yes_or_no(claim, side.text)
    later = settled_after(side, record) if verdict == "confirmed" else None
    return Check(verdict=verdict if later is None else "overtaken", first=side, second=later)


def _in_other_words(claim: Claim, side: Side, record: Record) -> Check | None:
    """A decision on the claim's subject that lacks a word of the claim: no yes to "blue?" is "let's make it green".

    Where an earlier decision has that word, the two are what was decided first and what is now.
    """
    said = side.text
    if names_nothing(said):
        said = f"{said} {record.leading_to(side.utterance, said)}"
    missing = tuple(
        word for word in claim.subject if not coverage(Asked(topic=(word,), deciding=False), said)
    )
    if not missing:
        return None
    lost = Asked(topic=missing, deciding=True)
    earlier = [
        each
        for each in record.statements().decisions
        if each.evidence and coverage(lost, each.text) >= _LEAST
    ]
    for old in reversed(earlier):
        first = side_of(old, record)
        if first is None or first.utterance.id >= side.utterance.id:
            continue
        if CHANGE.search(side.text):
            first = first.model_copy(update={"superseded": True})
            return Check(verdict="changed", first=first, second=side)
        if (later := settled_after(first, record)) is not None:
            return Check(verdict="overtaken", first=first, second=later)
    return Check(verdict="related", first=side)


def _chosen(claim: Claim, decisions: Sequence[Statement], record: Record) -> Check | None:
    """Whether another one was settled on in the same talk: "we went for Acton, didn't we?"."""
    found = _CHOSEN.search(claim.text)
    if found is None:
        return None
    one = Asked(topic=(next(group for group in found.groups() if group).lower(),), deciding=False)
    for utterance in reversed(record.utterances[-2000:]):
        lead = record.leading_to(utterance, utterance.text)
        if not coverage(one, utterance.text) or not covers(claim, lead):
            continue
        for decision in decisions:
            if not 0 < decision.evidence[-1] - utterance.id <= _SAME_TALK or decision.superseded_by:
                continue
            if _SETTLED_ON.search(decision.text) and (side := side_of(decision, record)) is not None:
                return Check(verdict="confirmed" if coverage(one, decision.text) else "otherwise", first=side)
        return None
    return None


def _in_talk_of(near: Sequence[int], places: Sequence[Side], record: Record) -> list[Side]:
    """Of the places those in the same topic as the answer before: "ten?" is not about another ten."""
    topics = {said.topic_id for said in map(record.get, near) if said is not None}
    return [side for side in places if not topics or side.utterance.topic_id in topics]


def _talked_of_there(
    about: Sequence[Statement], places: Sequence[Side], near: Sequence[int]
) -> list[Statement]:
    """Decisions with a figure of the same sort near where the claim's own was said or asked about."""
    ids = [*near, *(side.utterance.id for side in places)]
    return [each for each in about if any(abs(each.evidence[-1] - id_) <= _SAME_TALK for id_ in ids)]


def _is_about(claim: Claim, decision: Statement, record: Record) -> bool:
    """Whether a decision is on the claim's subject; a claim without one is on any, of its sort of fact."""
    if not claim.subject:
        return not claim.facts or same_sort(claim.facts, told_in(decision.text))
    asked = Asked(topic=claim.subject, deciding=True)
    if coverage(asked, decision.text) >= _LEAST:
        return True
    if not names_nothing(decision.text):
        return False  # it has a subject of its own, whatever was talked about before it
    said = record.get(decision.evidence[-1])
    return said is not None and coverage(asked, record.leading_to(said, decision.text)) >= _LED_UP_LEAST


def _changed(
    claim: Claim, about: Sequence[Statement], decisions: Sequence[Statement], record: Record
) -> Check | None:
    """The newest decision on the subject that another one took the place of."""
    for old in reversed(about):
        if not old.superseded_by or (claim.facts and not agrees(claim.facts, told_in(old.text))):
            continue
        new = next((d for d in decisions if old.superseded_by in map(str, d.evidence)), None)
        if new is not None and not claim.facts and not claim.otherwise and not _of_the_old(claim, old, new):
            continue
        first = side_of(old, record)
        if new is not None and first is not None and (second := side_of(new, record)) is not None:
            return Check(verdict="changed", first=first, second=second)
    return None


def _of_the_old(claim: Claim, old: Statement, new: Statement) -> bool:
    """Whether a claim without a day or figure names what was decided first, and not what is now."""
    asked = Asked(topic=claim.subject, deciding=True)
    return bool(claim.subject) and coverage(asked, old.text) > coverage(asked, new.text)


def _spoken_against(claim: Claim, about: Sequence[Statement], record: Record) -> Check | None:
    """A decision that stands, and the newest thing said against it."""
    if not claim.otherwise:
        return None
    texts = {decision.text for decision in about if not decision.superseded_by}
    for found in reversed(_contradictions(about, record)):
        if found.decision in texts:
            decided = record.get(found.decision_evidence[-1])
            against = record.get(found.evidence[-1])
            if decided is not None and against is not None:
                return Check(
                    verdict="contradicted",
                    first=Side(text=found.decision, utterance=decided, decided=True),
                    second=Side(text=found.text, utterance=against, decided=False),
                )
    return None


def _contradictions(about: Sequence[Statement], record: Record) -> list[Contradiction]:
    """Those that summaries noted, and those in what was said last."""
    said = said_in(record.utterances[-_NEWEST:])
    kinds = [kind_of(sentence.text, record.names) for sentence in said]
    noted = [each for segment in record.segments for each in segment.notes.contradictions]
    return sorted([*noted, *contradictions_in(said, kinds, about)], key=lambda each: each.evidence[-1])


def _held_against(claim: Claim, about: Sequence[Statement], record: Record) -> Check | None:
    """The claim beside the decision that stands on its subject."""
    standing = [decision for decision in about if not decision.superseded_by]
    if not standing:
        return None
    agreeing = [each for each in standing if claim.facts and agrees(claim.facts, told_in(each.text))]
    subject = Asked(topic=claim.subject, deciding=True)
    word_for_word = [each for each in standing if not claim.facts and coverage(subject, each.text) > _WHOLLY]
    decision = (agreeing or word_for_word or standing)[-1]
    side = side_of(decision, record)
    if side is None:
        return None
    if agreeing and (since := put_right_since([side], record)) is not None:
        return since
    if agreeing:
        return _agreed(claim, side, record)
    if not claim.facts and not claim.otherwise:
        return _in_other_words(claim, side, record) or _as_decided(claim, side, record)
    if claim.otherwise and not claim.facts:
        return Check(verdict="unchanged", first=side)
    mention = mention_of(claim, side.utterance, record)
    if mention is not None:  # "wasn't it 412?": whatever else was decided
        right = corrected(mention, record)
        if right is not None:
            return right
    if mention is None:
        return Check(verdict="otherwise", first=side) if same_sort(claim.facts, told_in(side.text)) else None
    first, second = sorted((mention, side), key=lambda each: each.utterance.id)
    return Check(verdict="mentioned", first=first, second=second)
