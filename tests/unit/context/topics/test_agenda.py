"""A list that was announced, and its items when their turn comes."""

from __future__ import annotations

import pytest

from context.events.events import MeetingStarted
from context.fold.meeting import Meeting
from context.topics.agenda import Agenda, announced
from tests.unit.cases import cases
from tests.unit.context.meetings import START, met, run, talk_of


@cases
def test_a_list_is_heard(text: str, items: tuple[str, ...]) -> None:
    assert announced(text) == items


@cases
def test_what_is_no_list(text: str) -> None:
    assert announced(text) == ()


@cases
def test_an_item_is_taken_up(items: tuple[str, ...], text: str, item: str) -> None:
    assert Agenda(items).taken_up(text) == item


@cases
def test_what_takes_nothing_up(items: tuple[str, ...], text: str) -> None:
    assert Agenda(items).taken_up(text) is None


def test_the_first_list_is_the_agenda() -> None:
    agenda = Agenda().heard("안녕하세요.").heard("오늘은 예산이랑 채용 두 가지예요.")
    assert agenda.items == ("예산", "채용")
    assert agenda.heard("Two things: the bus, and the rain.") == agenda


EN_TALK = [
    "Morning. Two things today, the conference booth and the hiring plan.",
    "So on the booth, we've got two quotes.",
    "Brightline wants fourteen thousand.",
    "I'd go with Brightline.",
    "Okay then.",
    "Right, hiring. We have budget for three people.",
    "So on hiring, I'd drop the second designer.",
    "Fine.",
]
KO_TALK = [
    "다들 오셨죠? 오늘은 앱 개편 일정이랑 고객센터 이전 두 가지만 얘기할게요.",
    "네, 먼저 앱 개편부터요. 디자인은 다 됐습니다.",
    "개발은 3주 잡고 있어요.",
    "베타는 12월 8일이면 됩니다.",
    "좋아요.",
    "다음, 고객센터요. 계약이 1월 말에 끝나요.",
    "그럼 고객센터는 성수로 갑시다.",
    "알겠습니다.",
]


@pytest.mark.parametrize(
    ("talk", "names"),
    [
        (EN_TALK, ["conference booth", "hiring plan"]),
        (KO_TALK, ["앱 개편 일정", "고객센터 이전"]),
    ],
    ids=["en", "ko"],
)
@pytest.mark.parametrize("stored_after", [0, 3, 6])
def test_its_topics_have_these_names_also_behind_a_snapshot(
    talk: list[str], names: list[str], stored_after: int
) -> None:
    meeting = met(MeetingStarted(at=START), *talk_of(talk[:stored_after]), summarise=False)
    meeting = Meeting.restore("m", None, meeting.snapshot(), meeting.utterances)
    run(meeting, talk_of(talk[stored_after:], stored_after + 1), summarise=False)
    assert [(topic.name, topic.start_utterance_id) for topic in meeting.segments] == [
        (names[0], 1),
        (names[1], 6),
    ]


@cases
def test_an_item_right_behind_an_announcement_is_the_same_change(
    agenda: str, moves_on: str, takes_up: str, name: str
) -> None:
    said = [agenda, "네, yes.", "그래요, right.", "좋아요, good.", moves_on, takes_up, "네, okay."]
    meeting = met(MeetingStarted(at=START), *talk_of(said), summarise=False)
    assert [(topic.name, topic.start_utterance_id) for topic in meeting.segments][1:] == [(name, 5)]


def test_an_item_alone_before_more_is_taken_up() -> None:
    agenda = Agenda(("Engine", "open day", "crew rota"))
    assert agenda.taken_up("Open day. Ailsa, where did we get to?") == "open day"
    assert agenda.taken_up("Open day?") is None
    assert agenda.taken_up("The open day was lovely. Was it?") is None
    agenda = Agenda(("지하 서고", "독서교실"))
    assert agenda.taken_up("독서교실이요. 신청이 벌써 마흔 명이 넘었어요.") == "독서교실"
    assert agenda.taken_up("독서교실이 좋았어요. 그죠?") is None
