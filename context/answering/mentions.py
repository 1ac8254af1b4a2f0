# ruff: noqa: E501  # patterns read better unbroken
"""Where on the record somebody said what a claim names, and what took its place since."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from context.answering.claims import Claim
from context.answering.sides import Check, Side, Verdict, agrees, same_sort, side_of
from context.answering.told import hours, told
from context.extractive.cues import kind_of
from context.extractive.sentences import split
from context.extractive.subjects import clash, facts
from context.models import Utterance
from context.quoting.corrections import same_sort as alike
from context.quoting.corrections import standing
from context.quoting.own_subject import names_another
from context.quoting.quotes import Found
from context.quoting.reading_on import outcome
from context.quoting.reasons import TROUBLE
from context.quoting.record import Record
from context.retrieval.questions import AnswerKind, Asked, coverage

_LEAST: Final = 0.5
_UNIT: Final = re.compile(
    r"[0-9한두세네섯곱덟홉열백천만억일이삼사오육칠팔구십]\s?(명|원|건|개|시(?!간)|시간|일|월|달|주|대|번|장|분|퍼센트|프로|층|권|병|살|곳|팀)"
    r"|\b(pounds?|dollars?|euros?|people|percent|hours?|minutes?|days?|weeks?|months?|years?)\b"
)
_AROUND: Final = 5
"""Utterances from the last answer in which a claim's figure is looked for."""


def put_right_since(places: Sequence[Side], record: Record) -> Check | None:
    """Of the places where a figure was said, the first that something took the place of, with that."""
    for side in places:
        now = _now(side, record)
        if now is not None:
            verdict: Verdict = "changed" if side.superseded else "mentioned" if now.decided else "corrected"
            return Check(verdict=verdict, first=side, second=now)
    return None


def said_after(side: Side, record: Record) -> Side | None:
    """Another day or figure of the same sort, counted alike, soon after in the same talk; the first of them."""
    named, unit = told(side.text), _units(side.text)
    for later in record.after(side.utterance, _AROUND):
        if later.topic_id != side.utterance.topic_id:
            return None
        for sentence in split(later):
            other, counted = told(sentence.text), _units(sentence.text)
            if kind_of(sentence.text, record.names) == "question" or (
                unit and counted and not unit & counted
            ):
                continue
            if names_another(sentence.text, record.leading_to(side.utterance, side.text)):
                continue
            if alike(side.text, sentence.text) and clash(other, named):
                return Side(text=sentence.text, utterance=later, decided=False)
    return None


def settled_after(side: Side, record: Record) -> Side | None:
    """What was settled soon after a decision, for some trouble that was told in between; the last of it.

    "We'll repair it" … "there are no parts for it" … "so we buy a new one": the second names neither the
    first nor its subject, so nothing ties the two but the talk.
    """
    found: Side | None = None
    trouble, between = False, side.text
    decided = {each.evidence[-1]: each for each in record.statements().decisions if each.evidence}
    for later in record.after(side.utterance, _AROUND):
        if later.topic_id != side.utterance.topic_id:
            break
        decision = decided.get(later.id)
        if decision is not None and trouble and not decision.superseded_by:
            found = found if names_another(decision.text, between) else side_of(decision, record)
        trouble = trouble or any(
            TROUBLE.search(each.text) is not None and kind_of(each.text, record.names) != "question"
            for each in split(later)
        )
        between = f"{between} {later.text}"
    return found


def _units(text: str) -> frozenset[str]:
    """What the figures of a text are counted by: 명, 원, pounds."""
    return frozenset(unit for found in _UNIT.findall(text.lower()) for unit in found if unit)


def places(claim: Claim, record: Record, near: Sequence[int]) -> list[Side]:
    """Where somebody stated what the claim names; where the figure is in several subjects, nowhere."""
    ids = {anchor + step for anchor in near for step in range(-_AROUND, _AROUND + 1)}
    searched = [u for u in map(record.get, sorted(ids)) if u] if near else record.utterances[-2000:]
    decided = {d.evidence[-1]: d for d in record.statements().decisions if d.evidence}
    facts = claim.facts
    sides: list[Side] = []
    for utterance in searched:
        for sentence in split(utterance):
            # What is read of every sentence first: what kind it is takes most of the time.
            if not agrees(facts, told(sentence.text)) or _asked_by_claim(claim, sentence.text):
                continue
            if kind_of(sentence.text, record.names) == "question":
                continue
            decision = decided.get(utterance.id)
            superseded = decision is not None and bool(decision.superseded_by)
            side = Side(
                text=sentence.text, utterance=utterance, decided=decision is not None, superseded=superseded
            )
            sides.append(side)
    topics = {side.utterance.topic_id for side in sides}
    return sides if near or len(topics) == 1 else []


def corrected(mention: Side, record: Record) -> Check | None:
    """A figure that was said, and put right soon after."""
    right = standing(mention.utterance, record)
    if right:
        second = Side(text=right[-1][0], utterance=right[-1][1], decided=False)
        return Check(verdict="corrected", first=mention, second=second)
    ended = _ended(mention, record)
    return Check(verdict="mentioned", first=mention, second=ended) if ended is not None else None


def _now(side: Side, record: Record) -> Side | None:
    """What stands in the place of a figure: the decision that changed it, or what put it right."""
    decisions = [each for each in record.statements().decisions if each.evidence]
    old = next((each for each in decisions if each.evidence[-1] == side.utterance.id), None)
    if old is not None and old.superseded_by:
        new = next((each for each in decisions if old.superseded_by in map(str, each.evidence)), None)
        return side_of(new, record) if new is not None else None
    right = standing(side.utterance, record, side.text)
    if right:
        return Side(text=right[-1][0], utterance=right[-1][1], decided=False)
    return _ended(side, record)


def _ended(side: Side, record: Record) -> Side | None:
    """What the talk of a day or figure ended with, where that is another one of its sort."""
    named = told(side.text)
    of_a_day = named.dates or named.days or named.weekdays or hours(side.text)
    kind: AnswerKind = "when" if of_a_day else "how_much"
    found = Found(side.text, side.utterance, 1.0, side.decided)
    ended = outcome(found, Asked(topic=(), deciding=True, kind=kind), record)
    if ended is None or not alike(side.text, ended.text) or not clash(told(ended.text), named):
        return None
    if names_another(ended.text, record.leading_to(side.utterance, side.text)):
        return None
    return Side(text=ended.text, utterance=ended.utterance, decided=True)


def mention_of(claim: Claim, besides: Utterance, record: Record) -> Side | None:
    """Where what the claim names was said, if it was: the newest place on the same subject or topic."""
    for utterance in reversed(record.utterances[-2000:]):
        if utterance.id == besides.id:
            continue
        for sentence in split(utterance):
            if not agrees(claim.facts, told(sentence.text)):
                continue
            near = (
                utterance.topic_id == besides.topic_id if not claim.subject else covers(claim, sentence.text)
            )
            if near:
                return Side(text=sentence.text, utterance=utterance, decided=False)
    return None


def said_of(claim: Claim, record: Record) -> Check | None:
    """What was said on the claim's subject, where nothing was decided on it."""
    if not claim.subject:
        return None
    best: tuple[float, Side] | None = None
    for side in _assertions(claim, record):
        same = not claim.facts or agrees(claim.facts, told(side.text))
        if not same and not same_sort(claim.facts, told(side.text)):
            continue
        score = coverage(Asked(topic=claim.subject, deciding=False), side.text) + (0.2 if same else 0.0)
        if best is None or score >= best[0]:
            best = (score, side)
    if best is None:
        return None
    same = not claim.facts or agrees(claim.facts, told(best[1].text))
    if claim.facts and same and (right := corrected(best[1], record)) is not None:
        return right
    return Check(verdict=yes_or_no(claim, best[1].text) if same else "otherwise", first=best[1])


def yes_or_no(claim: Claim, said: str) -> Verdict:
    """Of a claim whose days and figures agree: does it say yes or no as the record does?"""
    return "confirmed" if claim.denies == facts(said).negated else "otherwise"


def _assertions(claim: Claim, record: Record) -> Iterator[Side]:
    asked = Asked(topic=claim.subject, deciding=False)
    for id_, _score in record.index.search(asked.query, 12):
        utterance = record.get(id_)
        if utterance is None:
            continue
        for sentence in split(utterance):
            spoken = f"{utterance.speaker_name} {sentence.text}"
            if kind_of(sentence.text, record.names) in {"question", "courtesy"}:
                continue
            if coverage(asked, spoken) >= 0.75 and not _asked_by_claim(claim, sentence.text):
                yield Side(text=sentence.text, utterance=utterance, decided=False)


def _asked_by_claim(claim: Claim, text: str) -> bool:
    """The question itself may stand on the record, where it was asked aloud."""
    return text.strip() in claim.text


def covers(claim: Claim, text: str) -> bool:
    """Whether `text` names the claim's subject."""
    return coverage(Asked(topic=claim.subject, deciding=False), text) >= _LEAST
