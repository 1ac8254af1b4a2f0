"""Lines that were recognised late: they take the next id, and belong to the topic of their time."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest

from context.events.effects import Summarise
from context.events.events import Event, MeetingEnded, MeetingStarted, UtteranceSpoken
from context.events.topic_events import SummaryReady
from context.export.document import document
from context.fold.meeting import Meeting
from context.models import Statement, Summary
from tests.unit.context import meetings
from tests.unit.context.meetings import START, ready

SCHEMA = json.loads((files("context") / "document.schema.json").read_text("utf-8"))
CUES = {"ko": "다음 안건은 예산입니다.", "en": "Next item: the budget."}


def said(number: int, text: str, *, late: bool = False) -> UtteranceSpoken:
    one = meetings.spoken(number, text, "ab"[number % 2], start_ms=number * 5_000)
    return one.model_copy(update={"late": late, "end_ms": number * 5_000 + 2_000})


def summary_of(effect: Summarise) -> SummaryReady:
    """Says each line again, behind what the summary said before."""
    lines = (Statement(text=u.text, evidence=(u.id,)) for u in effect.utterances)
    kept = (*effect.topic.notes.sentences, *lines)
    return ready(effect, Summary(text=" ".join(each.text for each in kept), sentences=kept))


def answered(meeting: Meeting, *happened: Event) -> list[Summarise]:
    """Fold the events, and the summaries that come of them; which were asked for."""
    asked: list[Summarise] = []
    waiting = list(happened)
    while waiting:
        for effect in meeting.receive(waiting.pop(0)):
            if isinstance(effect, Summarise):
                asked.append(effect)
                waiting.append(summary_of(effect))
    return asked


def two_topics(language: str) -> Meeting:
    meeting = Meeting("m")
    answered(meeting, MeetingStarted(at=START), *(said(n, f"A {n}.") for n in range(1, 8)))
    answered(meeting, said(10, CUES[language]), *(said(n, f"B {n}.") for n in range(11, 18)))
    assert [(t.start_utterance_id, t.end_utterance_id) for t in meeting.segments] == [(1, 7), (8, 15)]
    return meeting


@pytest.mark.parametrize("language", CUES)
def test_a_late_line_belongs_to_the_topic_of_its_time_whose_summary_is_made_again(language: str) -> None:
    meeting = two_topics(language)
    first = meeting.segments[0]
    assert first.covered_until == 7
    late = said(4, "A late.", late=True).model_copy(update={"key": "late", "start_ms": 21_000})
    (asked,) = answered(meeting, late)
    assert asked.topic.id == first.id
    assert [u.text for u in asked.utterances] == ["A late.", "A 5.", "A 6.", "A 7."]
    answered(meeting, said(18, "B 18."))
    topics = document(meeting)["topics"]
    assert (topics[0]["late"], topics[0]["last_utterance"], topics[1]["last_utterance"]) == ([16], 7, 17)
    assert topics[0]["summary"] == "A 1. A 2. A 3. A 4. A late. A 5. A 6. A 7."
    assert meeting.utterances[15].topic_id == first.id
    assert meeting.segments[0].covered_until == 7
    shown = document(meeting)
    jsonschema.validate(shown, SCHEMA)
    by_topic = {line["id"]: line["topic"] for line in shown["utterances"]}
    assert [by_topic[n] for n in (7, 16, 8, 17)] == ["t1", "t1", "t2", "t2"]
    ending = answered(meeting, MeetingEnded(at_ms=200_000, reason="over"))
    assert [u.text for effect in ending for u in effect.utterances] == [CUES[language]] + [
        f"B {n}." for n in range(11, 19)
    ], "and no other topic's"
    restored = Meeting.restore("m", None, json.loads(json.dumps(meeting.snapshot())), meeting.utterances)
    assert document(restored) == document(meeting)


@pytest.mark.parametrize("language", CUES)
def test_many_late_lines_after_the_end_cost_two_summaries_a_topic(language: str) -> None:
    meeting = two_topics(language)
    answered(meeting, MeetingEnded(at_ms=200_000, reason="over"))
    effects: list[Summarise] = []
    for n in range(30):
        start_ms = 7_000 + n * 2_500
        line = said(1, f"late {n}", late=True).model_copy(update={"key": f"late{n}", "start_ms": start_ms})
        effects += [each for each in meeting.receive(line) if isinstance(each, Summarise)]
    more = answered(meeting, *map(summary_of, effects))
    assert len(effects) + len(more) <= 4
    for topic in meeting.segments:
        own = {u.text for u in meeting.topics.own(topic, meeting.utterances)}
        assert {each.text for each in topic.notes.sentences} == own
        assert topic.covered_until == topic.end_utterance_id
    assert len(meeting.segments[0].late) > 5


def test_a_late_line_begins_no_topic() -> None:
    meeting = two_topics("en")
    answered(meeting, said(2, "Next item: hiring.", late=True).model_copy(update={"key": "late"}))
    assert len(meeting.segments) == 2
