"""What a newcomer asks of their first short meeting, Korean and English."""

from __future__ import annotations

import pytest

from context.answers import answer
from context.extractive import summarise
from context.models import Summary, Utterance
from tests.unit.context.test_whole_meeting_answers import told

ENGLISH = told(
    ("Maya", "Morning everyone. First thing, the website relaunch."),
    ("Tom", "The design is done. The developers need two more weeks."),
    ("Maya", "So we move the relaunch from March 3rd to March 17th."),
    ("Tom", "Works for me. I'll tell the agency today."),
    ("Rita", "What about the budget? We're at 42,000 of 50,000 euros."),
    ("Maya", "Then let's not spend more on photos. We'll use the old ones."),
    ("Rita", "Okay. I'll send the updated budget by Wednesday."),
    ("Maya", "One open point: who hosts the launch event? Let's decide that next week."),
    ("Tom", "Sounds good."),
)
KOREAN = told(
    ("정민수", "안녕하세요, 시작할게요. 먼저 홈페이지 개편 일정입니다."),
    ("이하나", "디자인은 끝났는데 개발팀이 2주 더 필요하대요."),
    ("정민수", "그럼 오픈을 3월 3일에서 3월 17일로 미루죠."),
    ("이하나", "네, 좋아요. 에이전시에는 제가 오늘 연락하겠습니다."),
    ("최유리", "예산은 5천만 원 중에 4천2백만 원 썼습니다."),
    ("정민수", "그럼 사진 촬영은 하지 말고 기존 사진을 쓰기로 하죠."),
    ("최유리", "알겠습니다. 수정된 예산표는 수요일까지 보내 드릴게요."),
    ("정민수", "오픈 행사 장소는 다음 주에 정하겠습니다."),
    ("이하나", "네."),
)


@pytest.mark.parametrize(
    ("said", "question", "evidence"),
    [
        (ENGLISH, "When is the relaunch?", (3,)),
        (ENGLISH, "Is the design finished?", (2,)),
        (ENGLISH, "What did Tom say?", (2, 4)),
        (ENGLISH, "Who tells the agency?", (4,)),
        (KOREAN, "예산 얼마나 썼어?", (5,)),
        (KOREAN, "에이전시에 누가 연락해?", (4,)),
        (KOREAN, "하나 씨는 뭐라고 했어?", (2, 4)),
        (KOREAN, "디자인 끝났어?", (2,)),
    ],
)
def test_what_answers_is_quoted_and_nothing_else(
    said: list[Utterance], question: str, evidence: tuple[int, ...]
) -> None:
    reply = answer(question, utterances=said)
    assert not reply.declined
    assert reply.evidence == evidence


@pytest.mark.parametrize(
    ("said", "question", "among"),
    [(ENGLISH, "How much budget is left?", 5), (KOREAN, "남은 예산은 얼마야?", 5)],
)
def test_what_is_left_is_told_by_what_was_said_of_it(
    said: list[Utterance], question: str, among: int
) -> None:
    assert among in answer(question, utterances=said).evidence


@pytest.mark.parametrize("said", [ENGLISH, KOREAN])
def test_what_is_put_off_to_next_week_is_open_and_nobodys_task(said: list[Utterance]) -> None:
    notes = summarise(Summary(), said)
    assert not [each for each in notes.decisions if 8 in each.evidence]
    (off,) = [each for each in notes.pending if 8 in each.evidence]
    assert off.owner is None
