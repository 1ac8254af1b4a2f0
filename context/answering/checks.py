# ruff: noqa: E501  # patterns read better unbroken
"""What the record says of a claim, with both evidences: what was decided, and what stands against it.

Decisions are bi-temporal: an earlier one is kept, marked with what changed it. A claim is held against
the pair that changed, against decisions that somebody spoke against later, against the decision on its
subject, and, where nothing of the kind was decided, against what was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from context.answering.claims import Claim
from context.extractive.contradictions import contradictions_in
from context.extractive.cues import kind_of
from context.extractive.sentences import said_in, split
from context.extractive.subjects import Facts, facts
from context.models import Contradiction, Frozen, Statement, Utterance
from context.quoting.corrections import standing
from context.quoting.record import Record
from context.retrieval.questions import Asked, coverage

Verdict = Literal["changed", "contradicted", "confirmed", "otherwise", "mentioned", "corrected", "unchanged"]
"""`changed`: decided, then decided anew · `contradicted`: spoken against later · `confirmed`: it is so ·
`otherwise`: it is decided or said otherwise · `mentioned`: it was said, and decided otherwise ·
`corrected`: it was said, and put right soon after ·
`unchanged`: a decision stands and nothing speaks against it."""

_LEAST: Final = 0.5
_AROUND: Final = 5
"""Utterances from the last answer in which a claim's figure is looked for."""
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


class Side(Frozen):
    """One of the two evidences."""

    text: str
    utterance: Utterance
    decided: bool
    """A decision, and not only said."""
    superseded: bool = False


class Check(Frozen):
    """What came of it: `first` was said before `second`."""

    verdict: Verdict
    first: Side
    second: Side | None = None

    @property
    def sides(self) -> tuple[Side, ...]:
        """One or two, in order of time."""
        return (self.first,) if self.second is None else (self.first, self.second)

    @property
    def evidence(self) -> tuple[int, ...]:
        """The utterances quoted."""
        return tuple(dict.fromkeys(side.utterance.id for side in self.sides))


def check(claim: Claim, record: Record, near: Sequence[int] = ()) -> Check | None:
    """What the record says of the claim; None where it says nothing of its subject.

    `near`: what the answer before rests on; a claim that names no subject is about that.
    """
    decisions = [each for each in record.statements().decisions if each.evidence]
    about = [each for each in decisions if _is_about(claim, each, record)]
    if not claim.subject and claim.facts and not claim.otherwise:
        places = _places(claim, record, near) or _places(claim, record, ())
        about = _talked_of_there(about, places, near) if places or near else about
        told = _changed(claim, about, decisions, record) or _put_right_since(places, record)
        if told is not None:
            return told
        if not about and places:
            return Check(verdict=_yes_or_no(claim, places[-1].text), first=places[-1])
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
    said = _said(claim, record)
    if said is not None and claim.kind == "decided" and said.verdict == "confirmed":
        settles = kind_of(said.first.text, record.names) == "decision" or claim.denies
        return said if settles else None  # else it was talked about, and nobody decided it
    return said


def _chosen(claim: Claim, decisions: Sequence[Statement], record: Record) -> Check | None:
    """Whether another one was settled on in the same talk: "we went for Acton, didn't we?"."""
    found = _CHOSEN.search(claim.text)
    if found is None:
        return None
    one = Asked(topic=(next(group for group in found.groups() if group).lower(),), deciding=False)
    for utterance in reversed(record.utterances[-2000:]):
        lead = record.leading_to(utterance, utterance.text)
        if not coverage(one, utterance.text) or not _covers(claim, lead):
            continue
        for decision in decisions:
            if not 0 < decision.evidence[-1] - utterance.id <= _SAME_TALK or decision.superseded_by:
                continue
            if _SETTLED_ON.search(decision.text) and (side := _side(decision, record)) is not None:
                return Check(verdict="confirmed" if coverage(one, decision.text) else "otherwise", first=side)
        return None
    return None


def _put_right_since(places: Sequence[Side], record: Record) -> Check | None:
    """Of the places where a figure was said, the first that something took the place of, with that."""
    for side in places:
        now = _now(side, record)
        if now is not None:
            verdict: Verdict = "changed" if side.superseded else "mentioned" if now.decided else "corrected"
            return Check(verdict=verdict, first=side, second=now)
    return None


def _talked_of_there(
    about: Sequence[Statement], places: Sequence[Side], near: Sequence[int]
) -> list[Statement]:
    """Decisions with a figure of the same sort near where the claim's own was said or asked about."""
    ids = [*near, *(side.utterance.id for side in places)]
    return [each for each in about if any(abs(each.evidence[-1] - id_) <= _SAME_TALK for id_ in ids)]


def _places(claim: Claim, record: Record, near: Sequence[int]) -> list[Side]:
    """Where somebody stated what the claim names; where the figure is in several subjects, nowhere."""
    ids = {anchor + step for anchor in near for step in range(-_AROUND, _AROUND + 1)}
    searched = [u for u in map(record.get, sorted(ids)) if u] if near else record.utterances[-2000:]
    decided = {d.evidence[-1]: d for d in record.statements().decisions if d.evidence}
    sides: list[Side] = []
    for utterance in searched:
        for sentence in split(utterance):
            if kind_of(sentence.text, record.names) == "question" or _asked_by_claim(claim, sentence.text):
                continue
            if _agrees(claim.facts, facts(sentence.text)):
                decision = decided.get(utterance.id)
                superseded = decision is not None and bool(decision.superseded_by)
                side = Side(
                    text=sentence.text,
                    utterance=utterance,
                    decided=decision is not None,
                    superseded=superseded,
                )
                sides.append(side)
    topics = {side.utterance.topic_id for side in sides}
    return sides if near or len(topics) == 1 else []


def _is_about(claim: Claim, decision: Statement, record: Record) -> bool:
    """Whether a decision is on the claim's subject; a claim without one is on any, of its sort of fact."""
    if not claim.subject:
        return not claim.facts or _same_sort(claim.facts, facts(decision.text))
    asked = Asked(topic=claim.subject, deciding=True)
    if coverage(asked, decision.text) >= _LEAST:
        return True
    said = record.get(decision.evidence[-1])
    return said is not None and coverage(asked, record.leading_to(said, decision.text)) >= 0.75


def _changed(
    claim: Claim, about: Sequence[Statement], decisions: Sequence[Statement], record: Record
) -> Check | None:
    """The newest decision on the subject that another one took the place of."""
    for old in reversed(about):
        if not old.superseded_by or (claim.facts and not _agrees(claim.facts, facts(old.text))):
            continue
        new = next((d for d in decisions if old.superseded_by in map(str, d.evidence)), None)
        if new is not None and not claim.facts and not claim.otherwise and not _of_the_old(claim, old, new):
            continue
        first = _side(old, record)
        if new is not None and first is not None and (second := _side(new, record)) is not None:
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
    agreeing = [each for each in standing if claim.facts and _agrees(claim.facts, facts(each.text))]
    decision = (agreeing or standing)[-1]
    side = _side(decision, record)
    if side is None:
        return None
    if agreeing or (not claim.facts and not claim.otherwise):
        return Check(verdict=_yes_or_no(claim, side.text), first=side)
    if claim.otherwise and not claim.facts:
        return Check(verdict="unchanged", first=side)
    mention = _mention(claim, side.utterance, record)
    if mention is not None:  # "wasn't it 412?": whatever else was decided
        corrected = _corrected(mention, record)
        if corrected is not None:
            return corrected
    if mention is None:
        return Check(verdict="otherwise", first=side)
    first, second = sorted((mention, side), key=lambda each: each.utterance.id)
    return Check(verdict="mentioned", first=first, second=second)


def _corrected(mention: Side, record: Record) -> Check | None:
    """A figure that was said, and put right soon after."""
    right = standing(mention.utterance, record)
    if not right:
        return None
    second = Side(text=right[-1][0], utterance=right[-1][1], decided=False)
    return Check(verdict="corrected", first=mention, second=second)


def _now(side: Side, record: Record) -> Side | None:
    """What stands in the place of a figure: the decision that changed it, or what put it right."""
    decisions = [each for each in record.statements().decisions if each.evidence]
    old = next((each for each in decisions if each.evidence[-1] == side.utterance.id), None)
    if old is not None and old.superseded_by:
        new = next((each for each in decisions if old.superseded_by in map(str, each.evidence)), None)
        return _side(new, record) if new is not None else None
    right = standing(side.utterance, record, side.text)
    return Side(text=right[-1][0], utterance=right[-1][1], decided=False) if right else None


def _mention(claim: Claim, besides: Utterance, record: Record) -> Side | None:
    """Where what the claim names was said, if it was: the newest place on the same subject or topic."""
    for utterance in reversed(record.utterances[-2000:]):
        if utterance.id == besides.id:
            continue
        for sentence in split(utterance):
            if not _agrees(claim.facts, facts(sentence.text)):
                continue
            near = (
                utterance.topic_id == besides.topic_id if not claim.subject else _covers(claim, sentence.text)
            )
            if near:
                return Side(text=sentence.text, utterance=utterance, decided=False)
    return None


def _said(claim: Claim, record: Record) -> Check | None:
    """What was said on the claim's subject, where nothing was decided on it."""
    if not claim.subject:
        return None
    best: tuple[float, Side] | None = None
    for side in _assertions(claim, record):
        agrees = not claim.facts or _agrees(claim.facts, facts(side.text))
        clashes = bool(claim.facts) and _same_sort(claim.facts, facts(side.text)) and not agrees
        if not agrees and not clashes:
            continue
        score = coverage(Asked(topic=claim.subject, deciding=False), side.text) + (0.2 if agrees else 0.0)
        if best is None or score >= best[0]:
            best = (score, side)
    if best is None:
        return None
    agrees = not claim.facts or _agrees(claim.facts, facts(best[1].text))
    if claim.facts and agrees and (corrected := _corrected(best[1], record)) is not None:
        return corrected
    return Check(verdict=_yes_or_no(claim, best[1].text) if agrees else "otherwise", first=best[1])


def _yes_or_no(claim: Claim, said: str) -> Verdict:
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


def _covers(claim: Claim, text: str) -> bool:
    return coverage(Asked(topic=claim.subject, deciding=False), text) >= _LEAST


def _side(decision: Statement, record: Record) -> Side | None:
    quoted = record.said_by(decision)
    if not quoted:
        return None
    said = quoted[-1][1]
    return Side(text=decision.text, utterance=said, decided=True, superseded=bool(decision.superseded_by))


def _days(named: Facts) -> set[int]:
    return {day for _, day in named.dates} | named.days


def _figures(named: Facts) -> set[float]:
    return set(named.numbers) - {float(day) for day in _days(named)}


def _pairs(one: Facts, other: Facts) -> Iterator[tuple[set[int] | set[float], set[int] | set[float]]]:
    yield set(_days(one)), set(_days(other))
    yield set(one.weekdays), set(other.weekdays)
    if not (_days(one) and _days(other)):
        yield _figures(one), _figures(other)


def _same_sort(one: Facts, other: Facts) -> bool:
    """Both name a day, a weekday or a figure."""
    return any(bool(first) and bool(second) for first, second in _pairs(one, other))


def _agrees(claimed: Facts, said: Facts) -> bool:
    """Whatever day, weekday or figure the claim names is named there too."""
    months = {month for month, _ in claimed.dates}, {month for month, _ in said.dates}
    if months[0] and months[1] and not months[0] & months[1]:
        return False
    named = [(first, second) for first, second in _pairs(claimed, said) if first]
    return bool(named) and all(set(first) <= set(second) for first, second in named)
