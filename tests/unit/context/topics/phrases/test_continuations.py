"""Topics are the same however the talk is cut into turns, whoever speaks, and whether anybody pauses."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from context.events.events import ClosingRequested, Event, MeetingOpened, MeetingStarted, UtteranceSpoken
from context.fold.meeting import Meeting
from context.models import TopicSegment
from context.topics.phrases.continuations import joined, pieces
from tests.unit.context.meetings import START, met, run, spoken, talk_of
from tests.unit.context.samples import SCRIPTS, script

BEFORE = [f"서버 비용 server cost {number}." for number in range(1, 7)]
NAMES = {
    "ko-release-planning": ["모바일 앱 출시 일정", "내년 예산", "채용", "지난주 고객 장애"],
    "en-sprint-review": ["search latency", "office move", "customer interviews"],
}


def cut(
    name: str, words: int, *, who: Callable[[int, str], str], step_ms: int
) -> tuple[list[Event], list[int]]:
    """A script in turns of so many words, one every `step_ms`; and the turns with which its topics begin."""
    data = script(name)
    firsts = {topic["first_line"] for topic in data["topics"]}
    events: list[Event] = [
        MeetingOpened(meeting_id=name, language=data["language"]),
        MeetingStarted(at=START),
    ]
    starts, number = [], 0
    for index, line in enumerate(data["lines"]):
        if index in firsts:
            starts.append(number + 1)
        said = line["text"].split()
        for first in range(0, len(said), words):
            text, speaker = " ".join(said[first : first + words]), who(index, line["speaker"])
            events.append(spoken(number, text, speaker, start_ms=number * step_ms))
            number += 1
    return [*events, ClosingRequested(at_ms=number * step_ms)], starts


def topics(name: str, events: list[Event]) -> list[TopicSegment]:
    meeting = Meeting(name)
    run(meeting, events)
    return meeting.segments


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("words", [3, 4, 1000])
@pytest.mark.parametrize("step_ms", [900, 300, 0], ids=["no pauses", "over each other", "all at once"])
@pytest.mark.parametrize(
    "who",
    [lambda _line, speaker: speaker, lambda line, _speaker: f"p{line}", lambda _line, _speaker: "only one"],
    ids=["as scripted", "each line another speaker", "one speaker"],
)
def test_the_labelled_topics_are_found_and_named(
    name: str, words: int, step_ms: int, who: Callable[[int, str], str]
) -> None:
    events, starts = cut(name, words, who=who, step_ms=step_ms)
    found = topics(name, events)
    assert [(s.start_utterance_id, s.name) for s in found] == list(zip(starts, NAMES[name], strict=True))
    assert all(s.decided_after - s.start_utterance_id <= 8 for s in found)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("ko-release-planning", {1: "모바일 앱 출시 일정", 27: "내년 예산", 70: "지난주 고객 장애"}),
        ("en-sprint-review", {1: "search latency", 35: "office move", 65: "customer interviews"}),
    ],
)
def test_without_stops_announcements_are_heard_across_turns_all_the_same(
    name: str, found: dict[int, str]
) -> None:
    """All but one: 이제 채용 이야기로 | 넘어가죠 백엔드 개발자를."""
    events, starts = cut(name, 3, who=lambda _line, speaker: speaker, step_ms=900)
    bare = [
        event.model_copy(update={"text": re.sub(r"[.,?!]", "", event.text)})
        if isinstance(event, UtteranceSpoken)
        else event
        for event in events
    ]
    segments = topics(name, bare)
    assert {s.start_utterance_id: s.name for s in segments} == found
    assert found.keys() <= set(starts)


@pytest.mark.parametrize(
    ("turns", "name"),
    [
        (["Okay, let us", "move on to", "the next travel", "expense policy."], "next travel expense policy"),
        (["자, 그럼 다음", "안건으로 넘어가겠습니다. 내년", "예산 이야기를", "해 보죠."], "내년 예산"),
    ],
)
def test_a_topic_begins_where_its_announcement_does_and_is_not_known_before_it_is_said(
    turns: list[str], name: str
) -> None:
    meeting = met(*talk_of([*BEFORE, *turns]))
    assert [(s.start_utterance_id, s.name) for s in meeting.segments][1:] == [(7, name)]
    assert meeting.segments[1].decided_after > 7
    assert {u.topic for u in meeting.utterances[6:]} == {name}


@pytest.mark.parametrize(
    "turns",
    [
        ["Before we", "move on to", "the budget, one", "more question."],
        ["예산은 다음 회의", "안건으로 넘기죠."],
        ["그 부분은", "그냥 넘어가죠."],
    ],
)
def test_what_only_looks_like_an_announcement_opens_nothing_in_pieces_either(turns: list[str]) -> None:
    assert len(met(*talk_of([*BEFORE, *BEFORE, *turns])).segments) == 1


def test_only_short_unfinished_turns_of_one_voice_belong_together() -> None:
    long = "이 말은 한 번에 길게 이어서 하는 말이라"
    turns = [("a", "That is done."), ("a", "Okay, let us"), ("b", "move on"), ("b", "다음 안건으로")]
    meeting = met(*talk_of([*turns, ("b", long), ("b", "넘어가겠습니다")]))
    parts = [joined(pieces(meeting.utterances[:count])) for count in range(1, 7)]
    assert parts == [
        "That is done.",
        "Okay, let us",
        "move on",
        "move on 다음 안건으로",
        long,
        "넘어가겠습니다",
    ]


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_utterance_late_in_a_long_meeting_costs_no_more_than_an_early_one(name: str) -> None:
    """Counted in calls of functions: the same on every machine."""
    events, _ = cut(name, 3, who=lambda line, speaker: f"{speaker}{line % 60}", step_ms=700)
    talk = [event for event in events if isinstance(event, UtteranceSpoken)]
    meeting, calls = Meeting(name), [0]

    def count(_frame: object, kind: str, _what: object) -> None:
        calls[0] += kind == "call"

    spent = []
    for turn in range(24):
        again = [each.model_copy(update={"key": f"{turn}:{each.key}"}) for each in talk]
        calls[0] = 0
        sys.setprofile(count if turn in {3, 4, 5, 21, 22, 23} else None)
        try:
            run(meeting, list(again))
        finally:
            sys.setprofile(None)
        spent.append(calls[0])
    assert len(meeting.utterances) > 2000
    assert sum(spent[21:]) < 1.3 * sum(spent[3:6])


class Watched(list[Any]):
    """A list that remembers the longest stretch that was copied out of it."""

    longest = 0

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        if isinstance(place, slice):
            self.longest = max(self.longest, len(found))
        return found

    def __iter__(self) -> Iterator[Any]:
        self.longest = max(self.longest, len(self))
        return super().__iter__()


@pytest.mark.parametrize(
    ("announcement", "lines"),
    [
        (
            "그럼 {}번 건으로 넘어가겠습니다.",
            ["서버 비용이 {} 늘었습니다.", "자", "두 번째는 {}번 예산이요."],
        ),
        ("Let us move on to server {}.", ["The server costs {}.", "Okay so", "item two, market {}."]),
    ],
    ids=["ko", "en"],
)
def test_an_utterance_of_a_long_meeting_copies_no_list_of_all_that_was_said(
    announcement: str, lines: list[str]
) -> None:
    """Copying a list touches each thing in it; calls of functions do not show it."""
    one_topic = [announcement, *(line for line in lines for _ in range(2))]
    meeting = met(*talk_of(line.format(topic) for topic in range(150) for line in one_topic))
    said, topics = Watched(meeting.utterances), Watched(meeting.segments)
    assert min(len(said), len(topics)) > 120
    meeting.utterances, meeting.topics.segments = said, topics
    run(meeting, talk_of((line.format(200) for line in [announcement, *lines]), first=2000))
    assert max(said.longest, topics.longest) <= 100
