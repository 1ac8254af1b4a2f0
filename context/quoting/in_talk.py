"""Sentences of the talk that may answer a question, those said in reply to the same one among them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from context.extractive.cues import Kind, kind_of
from context.extractive.sentences import Said, split
from context.language.addressing import wake
from context.models import Utterance
from context.quoting.headings import heading_in, heading_of
from context.quoting.look import (
    HEADED_SHARE,
    KIND,
    NAMES_KIND,
    NO_REASON,
    SETTLES,
    Look,
    in_context,
)
from context.quoting.quotes import Found
from context.quoting.reasons import reasons, tells
from context.quoting.settling import settled
from context.quoting.taking_on import REFUSES, stands_in, taken_on
from context.quoting.unsettled import PUTS_OFF
from context.retrieval.questions import Asked, coverage, take_apart
from context.topics.cues import find

_REPLIES: Final = 0.15
_ANNOUNCES: Final = -0.4
_NAMED: Final = 0.15
_TODAY: Final = re.compile(r"오늘은?|\btoday\b", re.IGNORECASE)
_FIRST_PERSON: Final = re.compile(
    r"(?:^|\s)(?:저|제|나|내|저는|저도|제가|전|나는|난|내가)(?=\s)|\b(?:I|I'm|I'll|I've|I'd|me|my|mine)\b"
)
_PROPOSES: Final = re.compile(
    r"어때|어떨까|어떠세|좋지\s?않"
    r"|\b(?:how|what) about\b|\b(?:could|should|shall|can) we\b|\bwhy (?:don't|not)\b",
    re.IGNORECASE,
)
"""Asked, and yet what somebody wants."""
_SAID_BEHIND: Final = 1
"""What somebody says on a matter, others may name in their replies only."""
_SETTLED_LEAST: Final = 0.6
_LEAST_WORDS: Final = 3
_BARE_SHARE: Final = 0.9
"""A question that leaves its subject to the turn before."""
_SAME: Final = 0.75
_REPLY: Final = 5
"""What so many sentences at the end of a turn ask, as many at the beginning of the next reply to: the rest
of a speech is about something else."""
_BESIDE: Final = 2
"""Sentences of a speech to each side that tell what one of them is about."""


def in_talk(utterance: Utterance, look: Look) -> Iterator[Found]:
    """The sentences of one turn that may answer, and of the turns behind it where it asks the same."""
    parts = split(utterance)
    around = _said_together(parts, look)
    kinds: list[Kind] = [kind_of(part.text, look.record.names) for part in parts]
    for part, kind, whole in zip(parts, kinds, around, strict=True):
        proposes = bool(look.people) and _PROPOSES.search(part.text) is not None
        if kind in {"question", "courtesy"} and not proposes:
            continue
        if look.asked.kind == "who" and REFUSES.search(part.text):
            yield from stands_in(utterance, whole + KIND, look.record)
            continue
        covered = _covered(part.text, utterance, whole, look)
        if covered >= look.least:
            yield Found(part.text, utterance, _scored(covered, part.text, kind, look), kind == "decision")
    yield from _around(utterance, parts, kinds, around, look)


def _said_together(parts: Sequence[Said], look: Look) -> list[float]:
    """What each sentence covers with those beside it: all of a turn, of a speech two to each side."""
    texts = [part.text for part in parts]
    if len(texts) <= 2 * _BESIDE + 1:
        return [look.covered(" ".join(texts))] * len(texts)
    return [
        look.covered(" ".join(texts[max(0, place - _BESIDE) : place + _BESIDE + 1]))
        for place in range(len(texts))
    ]


def _covered(text: str, utterance: Utterance, whole: float, look: Look) -> float:
    """What a sentence covers of the subject, given who says it and what was said around it."""
    asked, record = look.asked, look.record
    covered = look.covered(text)
    if not look.people and _FIRST_PERSON.search(text):  # who speaks of themselves need not say their name
        covered = max(covered, look.covered(f"{utterance.speaker_name} {text}"))
    if len(text.split()) >= _LEAST_WORDS:
        covered = max(covered, whole - 0.15)
    if look.people:
        behind = " ".join(each.text for each in record.after(utterance, _SAID_BEHIND))
        about = f"{record.topic_of(utterance)} {record.leading_to(utterance, utterance.text)} {behind}"
        return in_context(covered, look.covered(about))
    if look.fits(text) > 0:
        if asked.kind is not None and NAMES_KIND[asked.kind].search(text):
            covered = max(covered, HEADED_SHARE * look.covered(heading_of(utterance, record)))
        elif covered > 0:  # "Pricing page." … "Roll it out on the 16th."
            under = f"{heading_of(utterance, record)} {text}"
            covered = max(covered, HEADED_SHARE * look.covered(under))
        covered = max(covered, in_context(covered, look.covered(record.leading_to(utterance, text))))
    return covered


def _scored(covered: float, text: str, kind: Kind, look: Look) -> float:
    """What a sentence that covers so much is worth: also for the kind of answer that it is."""
    asked, fits = look.asked, look.fits(text)
    score = covered + fits + (0.1 if kind == "action" else 0.0)
    if asked.kind is not None and fits > 0 and NAMES_KIND[asked.kind].search(text):
        score += _NAMED
    score += SETTLES if kind == "decision" and asked.deciding else 0.0
    cue = find(text)
    score += _ANNOUNCES if cue is not None and cue.strength != "weak" and fits <= 0 else 0.0
    if asked.kind == "when" and (heading := heading_in(text)) is not None and heading.marked:
        score += _ANNOUNCES if fits > look.fits(_TODAY.sub(" ", text)) else 0.0
    if asked.kind == "why":
        score += tells(text) or NO_REASON
    return score


def _around(
    utterance: Utterance, parts: Sequence[Said], kinds: Sequence[Kind], around: Sequence[float], look: Look
) -> Iterator[Found]:
    """What was said around a turn: reasons, replies to the same question, what was settled, who does it."""
    asked, record = look.asked, look.record
    whole = max(around, default=0.0)
    if asked.kind == "why" and whole >= look.least:
        for reason in reasons(utterance, whole, record):
            yield replace(reason, score=reason.score + look.fits(reason.text))
    if wake(utterance.text, record.wake_words) is not None:
        return
    if "question" in kinds:
        last = list(zip(around, kinds, strict=True))[-_REPLY:]
        asks = max((covered for covered, kind in last if kind == "question"), default=0.0)
        bare = _bare(utterance, parts, kinds, look)
        if max(asks, bare) >= look.least:
            yield from _replies(utterance, max(asks, bare), look)
        whole = max(whole, bare)
    if look.settling and whole >= _SETTLED_LEAST:
        yield from settled(utterance, whole, asked, record)
    if asked.kind == "who" and not look.people:
        led = 0.0
        lead = record.leading_to(utterance, "")
        if whole > 0 or not _of_another(parts, kinds, lead):
            led = _BARE_SHARE * look.covered(record.leading_to(utterance, utterance.text))
        if (whole := max(whole, led)) >= look.least:
            yield from taken_on(utterance, whole + KIND, record)


def _of_another(parts: Sequence[Said], kinds: Sequence[Kind], lead: str) -> bool:
    """Whether a turn asks who does something that it names, and that was not talked of before it."""
    for part, kind in zip(parts, kinds, strict=True):
        asks = take_apart(part.text)
        named = [word for word, worth in zip(asks.topic, asks.importance, strict=True) if worth >= 1.0]
        if kind == "question" and named and not coverage(Asked(topic=tuple(named), deciding=False), lead):
            return True
    return False


def _bare(utterance: Utterance, parts: Sequence[Said], kinds: Sequence[Kind], look: Look) -> float:
    """How many? 누가요?: a question that names nothing new is about what was just said, or what heads it."""
    asked, record = look.asked, look.record
    own = " ".join(asked.topic)
    best = 0.0
    for part in (part for part, kind in zip(parts, kinds, strict=True) if kind == "question"):
        asks = take_apart(part.text)
        named = tuple(word for word, worth in zip(asks.topic, asks.importance, strict=True) if worth >= 1.0)
        if named and asks.kind != asked.kind:
            continue
        if named and coverage(Asked(topic=named, deciding=False), own) < _SAME:
            continue
        replies = {each.speaker_name for each in record.after(utterance, 1)}  # "How long do you need?"
        about = f"{' '.join(replies)} {record.leading_to(utterance, utterance.text)}"
        if asks.kind is not None and asks.kind == asked.kind:
            about = f"{record.headed_by(utterance)} {heading_of(utterance, record)} {about}"
        best = max(best, _BARE_SHARE * look.covered(about))
    return best


def _replies(question: Utterance, covered: float, look: Look) -> Iterator[Found]:
    """What others said right after somebody asked the same in the meeting."""
    kind_asked = take_apart(question.text).kind
    if look.asked.kind is not None and kind_asked not in (None, look.asked.kind):
        return
    same_kind = look.asked.kind is not None and kind_asked == look.asked.kind
    for distance, reply in enumerate(look.record.after(question, 2)):
        if reply.speaker_id == question.speaker_id or (distance and reply.topic_id != question.topic_id):
            continue
        for part in split(reply)[:_REPLY]:
            kind = kind_of(part.text, look.record.names)
            if kind in {"question", "courtesy"}:
                continue
            if look.asked.kind == "who" and REFUSES.search(part.text) is not None:
                continue
            fits = look.fits(part.text)
            if (distance or (look.asked.unit and not same_kind)) and fits <= 0:
                continue
            score = covered - 0.15 - 0.1 * distance + max(0.0, fits) + (_REPLIES if same_kind else 0.0)
            if look.asked.deciding and PUTS_OFF.search(part.text):
                score = covered + SETTLES  # "did we pick a name?" — "not yet": that is what was decided
            yield Found(part.text, reply, score, kind == "decision", replies=True)
