"""A subject that is named before it is talked about, without a verb, begins a topic."""

from __future__ import annotations

import pytest

from context.events.events import MeetingOpened, MeetingStarted
from context.events.topic_events import FoundBoundary, TopicsScored
from context.topics.headings import Heading, heading_of
from tests.unit.cases import cases
from tests.unit.context.meetings import START, met, talk_of

TALK_EN = [
    "We sold nineteen of them",
    "That is more than last year",
    "The shop in town took twelve",
    "Nobody sent one back",
]
TALK_KO = ["작년보다 많이 팔렸어요", "시내 가게에서 열두 개 가져갔어요", "반품은 하나도 없었고요", "재고가 거의 없습니다"]  # fmt: skip


@cases
def test_an_item_with_its_place_in_a_list_is_an_announcement(text: str, name: str) -> None:
    assert heading_of(text) == Heading(name, numbered=True)


@cases
def test_a_bare_subject_is_a_heading(text: str, name: str) -> None:
    assert heading_of(text) == Heading(name, numbered=False)


@cases
def test_talk_is_no_heading(text: str) -> None:
    assert heading_of(text) is None


def _names(lines: list[tuple[str, str]]) -> list[str]:
    return [topic.name for topic in met(MeetingStarted(at=START), *talk_of(lines)).segments]


@pytest.mark.parametrize(
    ("talk", "heading", "name"),
    [(TALK_EN, "Good. Certification.", "Certification"), (TALK_KO, "주차는요?", "주차")],
)
def test_who_leads_changes_the_subject_by_naming_another(talk: list[str], heading: str, name: str) -> None:
    before = [("lead" if place % 2 == 0 else "other", text) for place, text in enumerate(talk)]
    assert _names([*before, ("lead", heading)])[1:] == [name]
    assert _names([*before, ("other", heading)])[1:] == []


@pytest.mark.parametrize(
    ("said", "heading"),
    [
        ("The certification costs nine thousand", "Good. Certification."),
        ("주차 문제가 또 있었어요", "주차는요?"),
    ],
)
def test_what_was_just_talked_about_is_no_new_subject(said: str, heading: str) -> None:
    talk = TALK_EN if said.isascii() else TALK_KO
    lines = [("lead", talk[0]), *(("other", text) for text in [*talk[1:], said]), ("lead", heading)]
    assert len(_names(lines)) == 1


def test_a_name_gives_the_floor_and_no_subject() -> None:
    lines = [
        ("Janet", TALK_EN[0]),
        *(("Hefin David", text) for text in TALK_EN),
        ("Janet", "Thank you. Hefin."),
    ]
    assert len(_names(lines)) == 1


@pytest.mark.parametrize(
    ("small_talk", "heading", "name"),
    [("Is that the good coffee?", "First item, the playground on Mill Lane.", "playground on Mill Lane"),
     ("비가 많이 오네요.", "첫 번째 안건은 놀이터 수리입니다.", "놀이터 수리")],
)  # fmt: skip
def test_what_is_found_later_keeps_the_name_that_was_announced_there(
    small_talk: str, heading: str, name: str
) -> None:
    talk = TALK_EN if small_talk.isascii() else TALK_KO
    opened = MeetingOpened(meeting_id="m", topics_beside=True)
    meeting = met(opened, MeetingStarted(at=START), *talk_of([small_talk, small_talk, heading, *talk]))
    assert [topic.name for topic in meeting.segments] == [name]
    found = FoundBoundary(at=3, kind="drop", shortest=2)
    meeting.receive(TopicsScored(heard=len(meeting.utterances), found=(found,)))
    first, second = meeting.segments
    assert (second.name, second.start_utterance_id) == (name, 3)
    assert first.name != name
    assert meeting.utterances[0].topic == first.name
    assert meeting.utterances[2].topic == name
