"""Answers with facts about a meeting as a whole: who was there, who spoke, the topics, how long it took.

Who was there is known from the roster, which tells when each came and went, though nobody may have said so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from context.language.closed_lists import wording
from context.models import AgentCallType, TopicSegment
from context.people.attendance import Attendee
from context.plain.answer import QuotedAnswer, answer_of_lines, no_answer
from context.plain.record import Record
from context.primitives.text import inert_name
from context.topics.titles import title_of

_MAX_PEOPLE: Final = 12
_WORDS: Final = wording("course")


def speaking_times(record: Record, call_type: AgentCallType) -> QuotedAnswer:
    """List who spoke how long and how often, the longest first, at most twelve people."""
    talk_ms, turns = Counter[str](), Counter[str]()
    for said in record.utterances:
        talk_ms[said.speaker_name] += said.end_ms - said.start_ms
        turns[said.speaker_name] += 1
    if not turns:
        return no_answer(record, call_type)
    words = _WORDS[record.language]
    whole = max(1, sum(talk_ms.values()))
    lines = [
        words["each"].format(
            name=inert_name(name), minutes=_duration_text(ms, record), turns=turns[name], share=ms / whole
        )
        for name, ms in talk_ms.most_common(_MAX_PEOPLE)
    ]
    return answer_of_lines([words["talk"], *lines], call_type)


def topic_now(record: Record, call_type: AgentCallType) -> QuotedAnswer:
    """Tell the open topic, since when it is talked about, and the last utterance."""
    if not record.segments or not record.utterances:
        return no_answer(record, call_type)
    segment, last = record.segments[-1], record.utterances[-1]
    name = inert_name(title_of(segment, record.utterances))
    line = _WORDS[record.language]["now"].format(name=name, at=_at(segment, record))
    return answer_of_lines([line, f"- {record.quote(last.text, last)}"], call_type, [last.id])


def topics(record: Record, call_type: AgentCallType) -> QuotedAnswer:
    """List all topics in order, and when each began."""
    if not record.segments:
        return no_answer(record, call_type)
    lines = [
        f"- {_at(segment, record)} **{inert_name(title_of(segment, record.utterances))}**"
        for segment in record.segments
    ]
    first = [segment.start_utterance_id for segment in record.segments]
    return answer_of_lines(
        [_WORDS[record.language]["topics"].format(count=len(lines)), *lines], call_type, first
    )


def duration(record: Record, call_type: AgentCallType) -> QuotedAnswer:
    """Tell when the meeting began, and how long it was from then to the last word."""
    if not record.utterances:
        return no_answer(record, call_type)
    began, took = record.began(record.utterances[0]), _duration_text(record.utterances[-1].end_ms, record)
    return answer_of_lines(
        [_WORDS[record.language]["began"].format(at=f"{began:%H:%M}", took=took)], call_type
    )


def attendees(people: Sequence[Attendee], record: Record, call_type: AgentCallType) -> QuotedAnswer:
    """List everybody on the roster with when they came and went; without a roster, everybody who spoke."""
    words = _WORDS[record.language]
    if people:
        lines = [f"- **{inert_name(each.name)}**{_stay(each, record)}" for each in people]
        return answer_of_lines([words["lead"].format(count=len(people)), *lines], call_type)
    names = dict.fromkeys(said.speaker_name for said in record.utterances)
    lines = [f"- **{inert_name(name)}**" for name in names]
    return answer_of_lines([words["speakers"].format(count=len(names)), *lines], call_type)


def _stay(each: Attendee, record: Record) -> str:
    """When somebody came and went, by the clock; "" before anybody has spoken: the clock is not known yet."""
    if not record.utterances:
        return ""
    words, began = _WORDS[record.language], record.began(record.utterances[0])

    def at(key: str, ms: int) -> str:
        return words[key].format(at=f"{began + timedelta(milliseconds=ms):%H:%M:%S}")

    gone = not each.present and each.left_at_ms is not None
    went = at("until", each.left_at_ms or 0) if gone else words["here"]
    return f" ({at('since', each.joined_at_ms)}, {went})"


def _at(segment: TopicSegment, record: Record) -> str:
    first = record.get(segment.start_utterance_id)
    return f"{record.clock(first):%H:%M:%S}" if first is not None else ""


def _duration_text(ms: int, record: Record) -> str:
    minutes, seconds = divmod(round(ms / 1000), 60)
    return _WORDS[record.language]["minutes"].format(minutes=minutes, seconds=seconds)
