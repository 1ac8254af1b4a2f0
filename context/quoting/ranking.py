"""Which sentences may answer a question, best first.

A sentence answers by what it covers of the question's subject, itself or together with the talk that led
to it (a turn often leaves its subject to the turns before, to the question it replies to, or to the name
of the topic). It answers better where it holds the kind of thing that is asked for (a day, an amount, a
person, a reason), settles something where a decision is asked for, or follows the same question asked in
the meeting. Where somebody's words are asked for, only theirs count.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from context.addressing import wake
from context.cues import find
from context.extractive.cues import Kind, kind_of
from context.extractive.sentences import Said, split
from context.extractive.statements import normal
from context.extractive.subjects import subject_of
from context.korean import has_hangul
from context.models import Statement, Utterance
from context.quoting.closing import closes
from context.quoting.headings import heading_in, heading_of
from context.quoting.lists import LEAST
from context.quoting.quotes import Found
from context.quoting.reasons import reasons, tells
from context.quoting.record import Record
from context.quoting.settling import settled, wants_settled
from context.quoting.taking_on import REFUSES, taken_on
from context.retrieval.lexical import LexicalIndex
from context.retrieval.questions import AnswerKind, Asked, called, coverage, gives, take_apart
from context.retrieval.terms import terms

_LED_UP_LEAST: Final = 0.75
_LED_UP_SHARE: Final = 0.5
"""What a sentence leaves to the talk that led to it counts half."""
_LOOKED_AT: Final = 16
"""Utterances that share most words with the question; their neighbours are looked at too."""
_SETTLES: Final = 0.3
_KIND: Final = 0.2
_OTHER_KIND: Final = -0.1
_REPLIES: Final = 0.15
_ANNOUNCES: Final = -0.4
_PAST: Final = -0.3
_FOLLOWED: Final = 6
_FURTHER_ON: Final = 9
_HEADED_SHARE: Final = 0.8
_NAMED: Final = 0.15
_TODAY: Final = re.compile(r"오늘은?|\btoday\b", re.IGNORECASE)
NAMES_KIND: Final[dict[AnswerKind, re.Pattern[str]]] = {
    "where": re.compile(r"장소|\b(?:venue|place|location)\b", re.IGNORECASE),
    "when": re.compile(r"날짜|기한|일정은|\b(?:date|deadline)\b", re.IGNORECASE),
    "how_much": re.compile(
        r"(?:비용|가격|금액|요금|단가)(?:은|이|는)|\b(?:price|cost|fee)s?\b", re.IGNORECASE
    ),
    "who": re.compile(r"담당|맡[기아을]|\bin charge\b", re.IGNORECASE),
    "why": re.compile(r"이유|원인|\b(?:reason|cause)\b", re.IGNORECASE),
}
"""What names the kind of answer itself: 장소는 부천으로 합시다."""
_FIRST_PERSON: Final = re.compile(
    r"(?:^|\s)(?:저|제|나|내|저는|저도|제가|전|나는|난|내가)(?=\s)|\b(?:I|I'm|I'll|I've|I'd|me|my|mine)\b"
)
_PLAIN_KINDS: Final = frozenset(["who", "when", "how_much"])
"""A decision that holds none of the kind answers none of these for its heading's sake."""
_PROPOSES: Final = re.compile(
    r"어때|어떨까|어떠세|좋지\s?않"
    r"|\b(?:how|what) about\b|\b(?:could|should|shall|can) we\b|\bwhy (?:don't|not)\b",
    re.IGNORECASE,
)
"""Asked, and yet what somebody wants."""
_SAID_BEHIND: Final = 1
"""What somebody says on a matter, others may name in their replies only."""
_SETTLED_LEAST: Final = 0.6
_NO_REASON: Final = -0.2
"""What was done is no answer to why."""
_FEW: Final = 2
_LEAST_WORDS: Final = 3
_OVER: Final = -0.2
_BARE_SHARE: Final = 0.9
"""A question that leaves its subject to the turn before."""


@dataclass(frozen=True, slots=True)
class _Look:
    """One question, and what is needed to hold sentences against it."""

    asked: Asked
    weights: Sequence[float]
    record: Record
    people: frozenset[str]
    """Ids of those whose words are asked for; empty: everybody's."""
    least: float = LEAST
    settling: bool = False
    """It asks for what was settled on."""
    _known: dict[str, float] = field(default_factory=dict)
    """What each text covers: the talk that leads to one sentence leads to the next as well."""

    def covered(self, text: str) -> float:
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = coverage(self.asked, text, self.weights)
        return found

    def fits(self, text: str) -> float:
        """What holding the kind of answer that is asked for is worth."""
        if self.asked.kind is None:
            return 0.0
        return _KIND if gives(self.asked, text, self.record.names) else _OTHER_KIND


def ranked(question: str, asked: Asked, record: Record, *, least: float = LEAST) -> list[Found]:
    """Every sentence that may answer, best first, none twice; `least` of the subject must be covered."""
    look = replace(_look(question, asked, record), least=least)
    found: dict[str, Found] = {}
    for each in _candidates(question, look):
        key = normal(each.text)
        if key not in found or each.score > found[key].score:
            found[key] = each
    return sorted(found.values(), key=lambda each: (-each.score, -each.utterance.id))


def _look(question: str, asked: Asked, record: Record) -> _Look:
    people: set[str] = set()
    if asked.saying:
        spoke = {u.speaker_id: u.speaker_name for u in record.utterances[-5000:]}
        people = {id_ for id_, name in spoke.items() if called(name, question)}
        names = [spoke[id_] for id_ in people]
        kept = [
            (word, weight)
            for word, weight in zip(asked.topic, asked.importance, strict=True)
            if not any(called(name, word) for name in names)
        ]
        topic, importance = zip(*kept, strict=True) if kept else ((), ())
        asked = asked.model_copy(update={"topic": topic, "importance": importance})
    settling = not people and wants_settled(question, asked)
    weights = _weights(asked, record.index)
    return _Look(asked, weights, record, frozenset(people), settling=settling)


def _candidates(question: str, look: _Look) -> Iterator[Found]:
    ledger = look.record.statements()
    if not look.people:
        for decision in ledger.decisions:
            yield from _settled(decision, look)
        if look.asked.kind == "who":
            for item in ledger.pending:
                yield from _given(item, look)
    settled = {normal(decision.text) for decision in ledger.decisions} if not look.people else set()
    for utterance in _near(question, look):
        for each in _in_utterance(utterance, look):
            if each.replies or normal(each.text) not in settled:
                yield each


def _settled(decision: Statement, look: _Look) -> Iterator[Found]:
    """A decision, if it is on the question's subject."""
    said = look.record.said_by(decision)
    if not said:
        return
    first, last = said[0][1], said[-1][1]
    covered, fits = look.covered(decision.text), look.fits(decision.text)
    if look.asked.deciding or fits > 0:
        if covered > 0 or names_nothing(decision.text):
            covered = _in_context(covered, look.covered(look.record.leading_to(first, decision.text)))
        covered = max(covered, _LED_UP_SHARE * look.covered(look.record.topic_of(last)))
        kind = look.asked.kind
        if fits > 0 and kind is not None and NAMES_KIND[kind].search(decision.text):
            covered = max(covered, _HEADED_SHARE * look.covered(heading_of(first, look.record)))
        if fits > 0 and names_nothing(decision.text):  # 일곱 시까지 연장하는 걸로 하겠습니다
            covered = max(covered, _HEADED_SHARE * look.covered(look.record.topic_of(last)))
        if names_nothing(said[-1][0]) and (
            fits > 0 or kind not in _PLAIN_KINDS
        ):  # what was told for it may name much
            covered = max(covered, *(closes(by, look.asked, look.record) for by in (first, last)))
            covered = max(covered, _HEADED_SHARE * look.covered(heading_of(first, look.record)))
    if covered < look.least:
        return
    score = covered + (_SETTLES if look.asked.deciding else 0.1) + fits
    score += _OVER if decision.superseded_by else 0.0
    if look.asked.kind == "why":
        score += tells(decision.text) or _NO_REASON
    for text, utterance in said:
        yield Found(text, utterance, score, True, decision.superseded_by)


def _given(item: Statement, look: _Look) -> Iterator[Found]:
    """A task and who has it: where somebody took it on, that too."""
    quoted = look.record.said_by(item)
    if not item.owner or not quoted:
        return
    leads = [(look.covered(text), look.record.leading_to(utterance, text)) for text, utterance in quoted]
    covered = max(_in_context(alone, look.covered(lead)) for alone, lead in leads)
    if covered < look.least:
        return
    taken_on = look.record.get(item.evidence[-1])
    if taken_on is not None and all(taken_on.id != each.id for _, each in quoted):
        quoted.append((split(taken_on)[0].text, taken_on))
    for text, utterance in quoted:
        yield Found(text, utterance, covered + _KIND + 0.1)


def _near(question: str, look: _Look) -> Iterator[Utterance]:
    """The utterances that share words with the question; of people asked for, theirs near these."""
    record = look.record
    hits = [id_ for id_, _score in record.index.search(look.asked.query or question, _LOOKED_AT)]
    wanted = dict.fromkeys(hits)
    if look.asked.kind is not None:  # the answer may stand in the turns that follow
        wanted |= dict.fromkeys(id_ + step for id_ in hits[:_FOLLOWED] for step in range(1, 4))
    if look.asked.kind is not None:  # it may be named further on, under the same heading
        for id_ in hits[:_FOLLOWED]:
            for step in range(4, _FURTHER_ON):
                said = record.get(id_ + step)
                if said is not None and NAMES_KIND[look.asked.kind].search(said.text):
                    wanted[said.id] = None
    if look.people:
        wanted = dict.fromkeys(id_ + step for id_ in hits for step in range(-2, 5))
    for id_ in wanted:
        utterance = record.get(id_)
        if utterance is not None and (not look.people or utterance.speaker_id in look.people):
            yield utterance


@lru_cache(maxsize=4096)  # a flag each: a long meeting's decisions are all looked at for each question
def names_nothing(decision: str) -> bool:
    """Does a decision leave its subject to the talk before it, as in 이십이일로 결정하겠습니다?"""
    if has_hangul(decision):
        return not subject_of(decision)
    return len([word for word in take_apart(decision).topic if not word[0].isdigit()]) <= _FEW


def _in_context(covered: float, with_context: float) -> float:
    """What a sentence covers of the subject, given what it covers together with the talk that led to it."""
    if with_context < _LED_UP_LEAST:
        return covered
    return covered + _LED_UP_SHARE * (with_context - covered)


def _in_utterance(utterance: Utterance, look: _Look) -> Iterator[Found]:
    asked, record = look.asked, look.record
    whole = look.covered(utterance.text)
    parts = split(utterance)
    kinds: list[Kind] = [kind_of(part.text, record.names) for part in parts]
    for part, kind in zip(parts, kinds, strict=True):
        covered = look.covered(part.text)
        if not look.people and _FIRST_PERSON.search(
            part.text
        ):  # who speaks of themselves need not say their name
            covered = max(covered, look.covered(f"{utterance.speaker_name} {part.text}"))
        if len(part.text.split()) >= _LEAST_WORDS:
            covered = max(covered, whole - 0.15)
        proposes = bool(look.people) and _PROPOSES.search(part.text) is not None
        if kind in {"question", "courtesy"} and not proposes:
            continue
        if look.people:
            behind = " ".join(each.text for each in record.after(utterance, _SAID_BEHIND))
            about = f"{record.topic_of(utterance)} {record.leading_to(utterance, utterance.text)} {behind}"
            covered = _in_context(covered, look.covered(about))
        elif look.fits(part.text) > 0:
            if asked.kind is not None and NAMES_KIND[asked.kind].search(part.text):
                covered = max(covered, _HEADED_SHARE * look.covered(heading_of(utterance, record)))
            covered = max(
                covered, _in_context(covered, look.covered(record.leading_to(utterance, part.text)))
            )
        if covered < look.least:
            continue
        score = covered + look.fits(part.text) + (0.1 if kind == "action" else 0.0)
        if asked.kind is not None and look.fits(part.text) > 0 and NAMES_KIND[asked.kind].search(part.text):
            score += _NAMED
        score += _SETTLES if kind == "decision" and asked.deciding else 0.0
        cue = find(part.text)
        score += (
            _ANNOUNCES if cue is not None and cue.strength != "weak" and look.fits(part.text) <= 0 else 0.0
        )
        if asked.kind == "when" and (heading := heading_in(part.text)) is not None and heading.marked:
            score += _ANNOUNCES if look.fits(part.text) > look.fits(_TODAY.sub(" ", part.text)) else 0.0
        if asked.kind == "why":
            score += tells(part.text) or _NO_REASON
        yield Found(part.text, utterance, score, kind == "decision")
    if asked.kind == "why" and whole >= look.least:
        for reason in reasons(utterance, whole, record):
            yield replace(reason, score=reason.score + look.fits(reason.text))
    if wake(utterance.text, record.wake_words) is not None:
        return
    if "question" in kinds:
        whole = max(whole, _bare(utterance, parts, kinds, look))
        if whole >= look.least:
            yield from _replies(utterance, whole, look)
    if look.settling and whole >= _SETTLED_LEAST:
        yield from settled(utterance, whole, asked, record)
    if asked.kind == "who" and not look.people:
        led = 0.0
        lead = record.leading_to(utterance, "")
        if whole > 0 or not _of_another(parts, kinds, lead):
            led = _BARE_SHARE * look.covered(record.leading_to(utterance, utterance.text))
        if (whole := max(whole, led)) >= look.least:
            yield from taken_on(utterance, whole + _KIND, record)


def _of_another(parts: Sequence[Said], kinds: Sequence[Kind], lead: str) -> bool:
    """Whether a turn asks who does something that it names, and that was not talked of before it."""
    for part, kind in zip(parts, kinds, strict=True):
        asks = take_apart(part.text)
        named = [word for word, worth in zip(asks.topic, asks.importance, strict=True) if worth >= 1.0]
        if kind == "question" and named and not coverage(Asked(topic=tuple(named), deciding=False), lead):
            return True
    return False


def _bare(utterance: Utterance, parts: Sequence[Said], kinds: Sequence[Kind], look: _Look) -> float:
    """How many? 누가요?: a question that names nothing asks about what was just said."""
    bare = any(
        kind == "question" and all(worth < 1.0 for worth in take_apart(part.text).importance)
        for part, kind in zip(parts, kinds, strict=True)
    )
    return _BARE_SHARE * look.covered(look.record.leading_to(utterance, utterance.text)) if bare else 0.0


def _replies(question: Utterance, covered: float, look: _Look) -> Iterator[Found]:
    """What others said right after somebody asked the same in the meeting."""
    kind_asked = take_apart(question.text).kind
    if look.asked.kind is not None and kind_asked not in (None, look.asked.kind):
        return
    same_kind = look.asked.kind is not None and kind_asked == look.asked.kind
    for distance, reply in enumerate(look.record.after(question, 2)):
        if reply.speaker_id == question.speaker_id or (distance and reply.topic_id != question.topic_id):
            continue
        for part in split(reply):
            kind = kind_of(part.text, look.record.names)
            if kind in {"question", "courtesy"}:
                continue
            if look.asked.kind == "who" and REFUSES.search(part.text) is not None:
                continue
            fits = look.fits(part.text)
            if distance and fits <= 0:
                continue
            score = covered - 0.15 - 0.1 * distance + max(0.0, fits) + (_REPLIES if same_kind else 0.0)
            yield Found(part.text, reply, score, kind == "decision", replies=True)


def _weights(asked: Asked, index: LexicalIndex) -> list[float]:
    """How much each topic word tells: rare ones more. A word that nobody said counts in full."""
    known = (max(map(index.frequency, terms(word)), default=0) for word in asked.topic)
    return [
        importance * math.log(2 + len(index) / (1 + count))
        for importance, count in zip(asked.importance, known, strict=True)
    ]
