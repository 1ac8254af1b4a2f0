"""Asked about what the whole meeting is about, its own decisions answer, not the sentence that opened it."""

from __future__ import annotations

import pytest

from context.answers import answer
from context.events import MeetingStarted
from context.meeting import Meeting
from context.models import Utterance
from tests.unit.context.meetings import START, run, spoken
from tests.unit.context.test_other_words import talk

BAZAAR_KO = (
    "지우: 안녕하세요. 다음 달 바자회 준비 회의 시작할게요. 먼저 장소부터 정하죠.",
    "세훈: 체육관이 비가 와도 괜찮으니까 체육관이 낫지 않을까요?",
    "지우: 그럼 체육관으로 하고, 천막은 안 빌리는 걸로 할게요.",
    "세훈: 네, 좋아요.",
    "지우: 학교에서 50만 원 나왔고, 작년에 남은 게 12만 원 있어요.",
    "지우: 날짜는 원래 18일이었는데, 체육관이 그날 안 된대요. 25일 어떠세요?",
    "세훈: 25일이면 저는 오전만 됩니다.",
    "지우: 그럼 25일 오전 10시부터 1시까지로 확정하겠습니다.",
    "세훈: 홍보는 20일부터 시작하기로 합시다.",
)
BAZAAR = (
    "Joy: Hi all, let's start the planning meeting for the summer bazaar. First, the venue.",
    "Sam: The gym works even if it rains. Isn't the gym better?",
    "Joy: Okay, let's hold it in the gym, then.",
    "Sam: Sounds good.",
    "Joy: The school gave us 500 pounds, and 120 are left from last year.",
    "Joy: The date was the 18th, but the gym is taken that day. How about the 25th?",
    "Sam: On the 25th I can only do the morning.",
    "Joy: Then let's go with the 25th, ten to one.",
    "Sam: We'll start the posters on the 20th.",
)


def _talk(lines: tuple[str, ...]) -> list[Utterance]:
    return talk(*lines)


@pytest.mark.parametrize(
    ("lines", "question", "evidence"),
    [
        (BAZAAR_KO, "바자회 언제야?", [8]),
        (BAZAAR_KO, "바자회 장소 어디야?", [3]),
        (BAZAAR_KO, "바자회 언제 어디서 해?", [3, 8]),
        (BAZAAR, "When is the bazaar?", [8]),
        (BAZAAR, "Where is the summer bazaar?", [3]),
        (BAZAAR, "When and where is the bazaar?", [3, 8]),
    ],
)
def test_when_and_where_the_meetings_own_subject_is(
    lines: tuple[str, ...], question: str, evidence: list[int]
) -> None:
    reply = answer(question, utterances=_talk(lines))
    assert list(reply.evidence) == evidence


@pytest.mark.parametrize(
    ("lines", "question", "evidence", "says"),
    [
        (BAZAAR_KO, "바자회 18일 아니었어?", [6, 8], "결정은 다릅니다"),
        (BAZAAR_KO, "바자회 25일 맞죠?", [8], "네"),
        (BAZAAR, "Wasn't the bazaar on the 18th?", [6, 8], "No:"),
    ],
)
def test_a_claim_on_it_is_held_against_the_decision_of_its_sort(
    lines: tuple[str, ...], question: str, evidence: list[int], says: str
) -> None:
    reply = answer(question, utterances=_talk(lines))
    assert list(reply.evidence) == evidence
    assert says in reply.text


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (BAZAAR_KO, "급식실 18일 아니었어?"),
        (BAZAAR, "Wasn't the canteen closed on the 3rd?"),
        (BAZAAR, "Wasn't the canteen on the 18th?"),
    ],
)
def test_a_claim_on_what_nobody_spoke_of_is_not_answered_by_another_subjects_day(
    lines: tuple[str, ...], question: str
) -> None:
    assert answer(question, utterances=_talk(lines)).declined


@pytest.mark.parametrize(
    ("lines", "question", "evidence"),
    [(BAZAAR_KO, "홍보는 언제부터 해?", 9), (BAZAAR, "When do we start the posters?", 9)],
)
def test_what_is_only_a_part_of_it_is_looked_up_as_ever(
    lines: tuple[str, ...], question: str, evidence: int
) -> None:
    assert evidence in answer(question, utterances=_talk(lines)).evidence


STATION = (
    "Wen: Engine first, then the open day, then crew rota.",
    "Tob: The port engine has been losing coolant, about half a litre an hour.",
    "Wen: Then we get a new pump. Tob, can you fetch it on Tuesday?",
    "Tob: Sure, I'll fetch it.",
    "Wen: Open day. Ailsa, where did we get to?",
    "Ail: The council has offered us the sixth or the thirteenth of June.",
    "Tob: The sixth clashes with the regatta.",
    "Ail: Thirteenth it is, then?",
    "Wen: Thirteenth's fine by me.",
    "Ail: We had nine hundred people last year.",
    "Wen: Now the rota. We are two short on Thursday nights.",
    "Ail: I could do alternate Thursdays until Easter.",
    "Wen: Let's do that.",
)
LIBRARY = (
    "다혜: 오늘은 독서교실이랑 지하 서고 두 가지만 얘기할게요.",
    "재훈: 독서교실이요. 신청이 벌써 마흔 명이 넘었어요.",
    "수빈: 강당 공사가 둘째 주까지래요.",
    "다혜: 그럼 13일부터 16일까지로 합시다.",
    "수빈: 네, 안내문 고쳐서 올리겠습니다.",
    "다혜: 다음, 지하 서고요. 재훈 씨가 습도 재 봤죠?",
    "재훈: 네, 68퍼센트 나왔어요. 책은 55퍼센트 밑이어야 하거든요.",
    "다혜: 그럼 제습기는 20일에 들이는 걸로 합시다.",
)


@pytest.mark.parametrize(
    ("lines", "question", "evidence"),
    [(STATION, "When is the open day?", 9), (LIBRARY, "독서교실은 언제야?", 4)],
)
def test_when_what_a_topic_was_announced_for_takes_place(
    lines: tuple[str, ...], question: str, evidence: int
) -> None:
    meeting = Meeting("m")
    spoken_lines = [line.split(": ", 1) for line in lines]
    run(
        meeting,
        [MeetingStarted(at=START), *(spoken(n, t, w) for n, (w, t) in enumerate(spoken_lines, 1))],
        summarise=False,
    )
    reply = answer(question, utterances=meeting.utterances, segments=meeting.segments)
    assert list(reply.evidence) == [evidence]
