"""How the meeting went: who spoke how long, what it is and was about, and how long it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from context.models import AgentCallType, TopicSegment
from context.plain.answer import QuotedAnswer, nothing
from context.plain.record import Record
from context.text import inert_name
from context.topics.topics import title_of

_PEOPLE: Final = 12
_WORDS: Final = {
    "ko": {
        "talk": "말한 시간과 발언 수입니다:",
        "each": "- **{name}**: {minutes} (발언 {turns}개, {share:.0%})",
        "now": "지금 주제는 **{name}**입니다 ({at}부터).",
        "topics": "지금까지의 주제입니다 ({count}개):",
        "began": "회의는 {at}에 시작했고 {took} 동안 이야기가 오갔습니다.",
        "minutes": "{minutes}분 {seconds}초",
    },
    "en": {
        "talk": "Who spoke how long:",
        "each": "- **{name}**: {minutes} ({turns} turns, {share:.0%})",
        "now": "The topic just now is **{name}** (since {at}).",
        "topics": "The topics so far ({count}):",
        "began": "The meeting began at {at}; people have talked for {took}.",
        "minutes": "{minutes} min {seconds} s",
    },
}


def who_spoke(record: Record, wanted: AgentCallType) -> QuotedAnswer:
    """Everybody who spoke, the longest first."""
    talk_ms, turns = Counter[str](), Counter[str]()
    for said in record.utterances:
        talk_ms[said.speaker_name] += said.end_ms - said.start_ms
        turns[said.speaker_name] += 1
    if not turns:
        return nothing(record, wanted)
    words = _WORDS[record.language]
    whole = max(1, sum(talk_ms.values()))
    lines = [
        words["each"].format(
            name=inert_name(name), minutes=_span(ms, record), turns=turns[name], share=ms / whole
        )
        for name, ms in sorted(talk_ms.items(), key=lambda item: -item[1])[:_PEOPLE]
    ]
    return _told([words["talk"], *lines], wanted)


def topic_now(record: Record, wanted: AgentCallType) -> QuotedAnswer:
    """The topic that people talk about, since when, and the last words."""
    if not record.segments or not record.utterances:
        return nothing(record, wanted)
    segment, last = record.segments[-1], record.utterances[-1]
    name = inert_name(title_of(segment, record.utterances))
    line = _WORDS[record.language]["now"].format(name=name, at=_at(segment, record))
    return _told([line, f"- {record.quote(last.text, last)}"], wanted, [last.id])


def topics(record: Record, wanted: AgentCallType) -> QuotedAnswer:
    """All topics in order, with when each began."""
    if not record.segments:
        return nothing(record, wanted)
    lines = [
        f"- {_at(segment, record)} **{inert_name(title_of(segment, record.utterances))}**"
        for segment in record.segments
    ]
    first = [segment.start_utterance_id for segment in record.segments]
    return _told([_WORDS[record.language]["topics"].format(count=len(lines)), *lines], wanted, first)


def duration(record: Record, wanted: AgentCallType) -> QuotedAnswer:
    """When it began, and how long there has been talk."""
    if not record.utterances:
        return nothing(record, wanted)
    first, last = record.utterances[0], record.utterances[-1]
    began = first.absolute_timestamp.astimezone(record.zone) - timedelta(milliseconds=first.start_ms)
    line = _WORDS[record.language]["began"].format(at=f"{began:%H:%M}", took=_span(last.end_ms, record))
    return _told([line], wanted)


def _told(lines: Sequence[str], wanted: AgentCallType, evidence: Sequence[int] = ()) -> QuotedAnswer:
    return QuotedAnswer(text="\n".join(lines), evidence=tuple(sorted(set(evidence))), call_type=wanted)


def _at(segment: TopicSegment, record: Record) -> str:
    first = record.get(segment.start_utterance_id)
    return f"{first.absolute_timestamp.astimezone(record.zone):%H:%M:%S}" if first is not None else ""


def _span(ms: int, record: Record) -> str:
    minutes, seconds = divmod(round(ms / 1000), 60)
    return _WORDS[record.language]["minutes"].format(minutes=minutes, seconds=seconds)
