"""One question, and what is needed to hold sentences against it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from context.extractive.subjects import subject_of
from context.language.korean import has_hangul
from context.quoting.lists import LEAST
from context.quoting.record import Record
from context.quoting.settling import wants_settled
from context.retrieval.lexical import LexicalIndex
from context.retrieval.questions import AnswerKind, Asked, called, coverage, gives, take_apart
from context.retrieval.terms import exact_terms, terms

_LED_UP_LEAST: Final = 0.75
LED_UP_SHARE: Final = 0.5
"""What a sentence leaves to the talk that led to it counts half."""
HEADED_SHARE: Final = 0.8
SETTLES: Final = 0.3
KIND: Final = 0.2
_OTHER_KIND: Final = -0.1
NO_REASON: Final = -0.2
"""What was done is no answer to why."""
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
_TOLD_BY: Final = re.compile(
    r"\b(?:after|once|until|before) [^,.;?!]*\b(?:has|have|is|are|was|were)\b[^,.;?!]*"
    r"|[^,.;?!]*[가-힣](?:고\s?나서|[한된은간온]\s(?:뒤|후|다음)(?!\s?[주달해])|기\s?전)(?:에|부터|까지)?(?=\s)",
    re.IGNORECASE,
)
"""Two weeks after billing has moved: when something else is done, told by the matter, not its day."""
_FEW: Final = 2
_LONG: Final = 100
_POINTING: Final = re.compile(r"(?:그|이|저)(?:거|것|게|건|\s|$)")
"""그 말은 빼고: it points at what was said."""


@dataclass(frozen=True, slots=True)
class Look:
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
        """How much of the subject `text` covers, 0 to 1."""
        found = self._known.get(text)
        if found is None:
            told = _TOLD_BY.sub(" ", text) if self.asked.kind == "when" else text
            found = self._known[text] = coverage(self.asked, told, self.weights)
        return found

    def fits(self, text: str) -> float:
        """What holding the kind of answer that is asked for is worth."""
        if self.asked.kind is None:
            return 0.0
        return KIND if gives(self.asked, text, self.record.names) else _OTHER_KIND


def look_of(question: str, asked: Asked, record: Record) -> Look:
    """Of a question: whose words it asks for, and what its words weigh here."""
    people: set[str] = set()
    if asked.saying:
        spoke = {u.speaker_id: u.speaker_name for u in record.utterances[-5000:]}
        people = {id_ for id_, name in spoke.items() if called(name, question)}
        names = [spoke[id_] for id_ in people]
        kept = [
            (word, weight)
            for word, weight in zip(asked.topic, asked.importance, strict=True)
            if not any(called(name, word) or word in name.lower().split() for name in names)
        ]
        topic, importance = zip(*kept, strict=True) if kept else ((), ())
        asked = asked.model_copy(update={"topic": topic, "importance": importance})
    settling = not people and wants_settled(question, asked)
    weights = _weights(asked, record.index)
    return Look(asked, weights, record, frozenset(people), settling=settling)


@lru_cache(maxsize=4096)  # a flag each: a long meeting's decisions are all looked at for each question
def names_nothing(decision: str) -> bool:
    """Does a decision leave its subject to the talk before it, as in 이십이일로 결정하겠습니다?"""
    if has_hangul(decision):
        subject = subject_of(decision)
        return not subject or _POINTING.match(subject) is not None
    return len([word for word in take_apart(decision).topic if not word[0].isdigit()]) <= _FEW


def in_context(covered: float, with_context: float) -> float:
    """What a sentence covers of the subject, given what it covers together with the talk that led to it."""
    if with_context < _LED_UP_LEAST:
        return covered
    return covered + LED_UP_SHARE * (with_context - covered)


def _weights(asked: Asked, index: LexicalIndex) -> list[float]:
    """How much each topic word tells: rare ones more. A word that nobody said counts in full.

    A long meeting has heard the parts of nearly any word (알고 of 알고리즘): there its rarest part counts.
    In a short one that would make an inflected verb the subject.
    """
    part = min if len(index) >= _LONG else max
    parts = exact_terms if len(index) >= _LONG else terms
    known = (part(map(index.frequency, parts(word)), default=0) for word in asked.topic)
    return [
        importance * math.log(2 + len(index) / (1 + count))
        for importance, count in zip(asked.importance, known, strict=True)
    ]
