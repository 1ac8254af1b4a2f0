# ruff: noqa: E501  # patterns read better unbroken
"""Questions about what the meeting, or a topic of it, is about: "when is the bazaar?" in its planning meeting.

Whoever opens a meeting says what it is about ("바자회 준비 회의 시작할게요"), whoever opens a topic names it
("Open day. Ailsa?"), and nobody says it again. So the sentence that opens it is all that has the question's
words, and it answers nothing: what was settled there of the kind that is asked for, and names no other
subject, does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from context.extractive.sentences import split
from context.extractive.subjects import facts, subject_of
from context.language.korean import has_hangul
from context.models import AgentCallType
from context.quoting.corrections import corrected
from context.quoting.lists import holds
from context.quoting.look import NAMES_KIND, names_nothing
from context.quoting.quotes import ExtractiveAnswer, Found, quoting
from context.quoting.record import Record
from context.retrieval.questions import AnswerKind, Asked, coverage, kinds_asked, take_apart

_OPENING: Final = 3
"""Utterances among which the meeting is opened."""
_OPENS: Final = re.compile(
    r"(?:회의|미팅|모임|간담회|총회|스크럼|스탠드업|회고|워크숍|세미나|리뷰)\S{0,2}\s?(?:를|을|좀|지금|바로|이제)?\s?(?:시작|열|진행|하겠|할게|하죠|합시다|해\s?보)"
    r"|(?:회의|미팅|모임|자리)(?:입니다|예요|이에요)[.!]?$"
    r"|\b(?:meeting|call|sync|session|review|retro|stand-?up|planning)\b.*\b(?:for|about|on)\b"
    r"|\b(?:start|begin|kick off)\b (?:the|our|this) [\w ]+ (?:meeting|call|sync|session|review|retro)\b"
    r"|\bwelcome to\b|\bwe're here (?:to|for|about)\b|\b(?:this is|today is|today's) (?:the|our|about)\b",
    re.IGNORECASE,
)
_KINDS: Final[frozenset[AnswerKind]] = frozenset(["when", "where"])
"""A meeting has one day and one place; sums and people belong to what is in it."""
_OF_A_DAY: Final = frozenset(
    "go st nd rd th one two three four five six seven eight nine ten eleven twelve half noon".split()  # noqa: SIM905
)
"""Words that say no more than a day or an hour: let's go with the 25th, ten to one."""
_NAMED: Final = 0.75
_DAY: Final = re.compile(r"\d+\s?(?:st|nd|rd|th|[가-힣]{1,4})?")
_OBJECT: Final = re.compile(r"\bthe ([a-z]{3,})\b(?=[^.?!]* (?:on|at|by|from|until) )", re.IGNORECASE)
"""The posters on the 20th: what a day is said of."""


def opening(record: Record) -> str:
    """The sentences that open the meeting and say what it is about; empty where none does."""
    first = record.utterances[:_OPENING]
    return " ".join(each.text for said in first for each in split(said) if _OPENS.search(each.text))


def is_own_subject(topic: Sequence[str], record: Record) -> bool:
    """Whether all words of a subject are the meeting's own."""
    said = opening(record) if topic else ""
    return bool(said) and all(
        coverage(Asked(topic=(word,), deciding=False), said) >= _NAMED for word in topic
    )


def names_another(text: str, before: str) -> bool:
    """Whether `text` says its day or figure of a subject that nobody spoke of in `before`."""
    subject = subject_of(text) if has_hangul(text) else " ".join(_OBJECT.findall(text))
    if not subject or facts(subject):
        return False
    said = [word for word in take_apart(_DAY.sub(" ", text)).topic if word not in _OF_A_DAY]
    return not any(coverage(Asked(topic=(word,), deciding=False), before) >= _NAMED for word in said)


def _without_days(text: str) -> str:
    return " ".join(word for word in text.split() if word.strip(",.!").lower() not in _OF_A_DAY)


def settled_for_all(
    question: str, asked: Asked, record: Record, wanted: AgentCallType
) -> ExtractiveAnswer | None:
    """When or where the meeting's own subject takes place; None where something else is asked, or unsettled."""
    kinds = [kind for kind in kinds_asked(question) if kind in _KINDS]
    words = [word for word in asked.topic if not any(NAMES_KIND[kind].search(word) for kind in kinds)]
    if not kinds or asked.kind not in _KINDS or asked.saying or not (talk := _talk_of(words, record)).spans:
        return None
    found: dict[tuple[int, str], Found] = {}
    for kind in kinds:
        if (one := _settled(asked.model_copy(update={"kind": kind}), words, record, talk)) is None:
            return None
        found[one.utterance.id, one.text] = one
    chosen = corrected(list(found.values()), asked, record)
    return quoting("decided" if len(chosen) == len(found) else "found", chosen, record, wanted)


class _Talk(NamedTuple):
    """What was said on a subject."""

    spans: Sequence[range]
    """Ids of utterances."""
    whole: bool
    """The whole meeting's subject: there a day may be said of anything, in a topic of that name it is the topic's."""


def _talk_of(topic: Sequence[str], record: Record) -> _Talk:
    if is_own_subject(topic, record):
        return _Talk([range(1, len(record.utterances) + 1)], whole=True)
    spans = [
        range(segment.start_utterance_id, segment.end_utterance_id + 1)
        for segment in record.segments
        if any(_names_all(topic, name) for name in segment.name.split(" · "))
    ]
    return _Talk(spans, whole=False)


def _names_all(topic: Sequence[str], name: str) -> bool:
    """Whether a topic's name says all of a subject, and nothing else."""
    own = Asked(topic=tuple(topic), deciding=False)
    named = Asked(topic=take_apart(name).topic, deciding=False)
    return bool(own.topic and named.topic) and (
        coverage(own, name) >= _NAMED and coverage(named, " ".join(topic)) >= _NAMED
    )


def _settled(asked: Asked, words: Sequence[str], record: Record, talk: _Talk) -> Found | None:
    """The newest decision of that kind in this talk that is about nothing else."""
    assert asked.kind is not None
    own = Asked(topic=tuple(words), deciding=True)
    for decision in reversed(record.statements().decisions):
        if decision.superseded_by:
            continue
        for text, said in reversed(record.said_by(decision)):
            if not holds(asked, text, record) or not any(said.id in span for span in talk.spans):
                continue
            lead = record.leading_to(said, "")
            of_the_topic = asked.kind == "when" and not talk.whole
            named = of_the_topic or NAMES_KIND[asked.kind].search(f"{lead} {text}") is not None
            alone = asked.kind == "where" or (
                names_nothing(_without_days(text)) and not names_another(text, lead)
            )
            if coverage(own, text) >= _NAMED or (named and alone):
                return Found(text, said, 1.0, decision=True)
    return None
