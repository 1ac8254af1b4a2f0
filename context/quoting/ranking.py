"""Which sentences may answer a question, best first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from context.addressing import wake
from context.extractive.cues import kind_of
from context.extractive.sentences import split
from context.extractive.statements import normal
from context.extractive.subjects import subject_of
from context.korean import has_hangul
from context.models import Utterance
from context.quoting.lists import LEAST
from context.quoting.quotes import Found
from context.quoting.record import Record
from context.retrieval.lexical import LexicalIndex
from context.retrieval.questions import Asked, coverage, gives
from context.retrieval.terms import terms

_LED_UP_LEAST: Final = 0.75
_LED_UP_SHARE: Final = 0.5
"""A decision often names its subject only in the turns before it, or was misheard: these count half."""


def ranked(question: str, asked: Asked, record: Record) -> list[Found]:
    """Every sentence that may answer, best first, none twice."""
    weights = [_weight(word, record.index) for word in asked.topic]
    found: dict[str, Found] = {}

    def consider(each: Found) -> None:
        key = normal(each.text)
        if key not in found or each.score > found[key].score:
            found[key] = each

    decisions = record.statements().decisions
    for decision in decisions:
        speaker = record.get(decision.evidence[-1]) if decision.evidence else None
        if speaker is None:
            continue
        covered = coverage(asked, decision.text, weights)
        if asked.deciding and (covered > 0 or _names_nothing(decision.text)):
            covered = _in_context(
                covered, coverage(asked, record.leading_to(speaker, decision.text), weights)
            )
        if covered >= LEAST:
            score = (
                covered + (0.3 if asked.deciding else 0.1) + (0.15 if gives(asked, decision.text) else 0.0)
            )
            score -= 0.2 if decision.superseded_by else 0.0
            consider(Found(decision.text, speaker, score, True, decision.superseded_by))
    settled = {normal(decision.text) for decision in decisions}
    for utterance_id, _score in record.index.search(asked.query or question, 12):
        utterance = record.get(utterance_id)
        if utterance is not None:
            for each in _in_utterance(asked, utterance, weights, record):
                if normal(each.text) not in settled:
                    consider(each)
    return sorted(found.values(), key=lambda each: (-each.score, -each.utterance.id))


def _names_nothing(decision: str) -> bool:
    """Does a decision leave its subject to the talk before it, as in 그러면 이십이일로 결정하겠습니다?"""
    return has_hangul(decision) and not subject_of(decision)


def _in_context(covered: float, with_context: float) -> float:
    """What a decision covers of the subject, given what it covers together with the talk that led to it."""
    if with_context < _LED_UP_LEAST:
        return covered
    return covered + _LED_UP_SHARE * (with_context - covered)


def _in_utterance(
    asked: Asked, utterance: Utterance, weights: Sequence[float], record: Record
) -> Iterable[Found]:
    whole = coverage(asked, utterance.text, weights)
    parts = split(utterance)
    kinds = [kind_of(part.text, record.names) for part in parts]
    for part, kind in zip(parts, kinds, strict=True):
        covered = max(coverage(asked, part.text, weights), whole - 0.15)
        if kind in {"question", "courtesy"} or covered < LEAST:
            continue
        score = covered + (0.15 if gives(asked, part.text) else 0.0) + (0.1 if kind == "action" else 0.0)
        score += 0.3 if kind == "decision" and asked.deciding else 0.0
        yield Found(part.text, utterance, score, kind == "decision")
    if "question" in kinds and whole >= LEAST and wake(utterance.text, record.wake_words) is None:
        yield from _replies(asked, utterance, whole, record)


def _replies(asked: Asked, question: Utterance, covered: float, record: Record) -> Iterable[Found]:
    """What others said right after somebody asked the same in the record."""
    for distance, reply in enumerate(record.after(question, 2)):
        if reply.speaker_id == question.speaker_id:
            continue
        for part in split(reply):
            kind = kind_of(part.text, record.names)
            if kind in {"question", "courtesy"}:
                continue
            right_kind = gives(asked, part.text)
            if distance and not right_kind:
                continue
            score = covered - 0.15 - 0.1 * distance + (0.2 if right_kind else 0.0)
            yield Found(part.text, reply, score, kind == "decision")


def _weight(word: str, index: LexicalIndex) -> float:
    """How much a topic word tells: rare ones more. A word that nobody said counts in full."""
    known = [index.frequency(term) for term in terms(word)]
    return math.log(2 + len(index) / (1 + max(known, default=0)))
