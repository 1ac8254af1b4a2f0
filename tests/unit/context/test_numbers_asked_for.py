"""Asked for a number, a day or a person, a quote without one is none; a day in figures is that in words; an excuse is no question."""

from __future__ import annotations

import pytest

from context.answering.excuse import without_excuse
from context.answers import answer
from tests.unit.context.test_other_words import talk

SHIFTS = (
    "A: The drivers don't want the twentieth. Their leave is booked already.",
    "B: Okay. We drop the twentieth and do the thirteenth.",
    "A: I'll tell the drivers tomorrow at the toolbox talk.",
    "A: If Wakefield says no, we hire a forklift.",
)
SHIFTS_KO = (
    "가: 기사님들이 이십 일은 싫대요. 휴가를 이미 냈대요.",
    "나: 그럼 이십 일은 빼고 십삼 일만 합시다.",
    "가: 제가 내일 기사님들께 말씀드릴게요.",
    "나: 병원비는 분납으로 하시겠대요. 여섯 달로요.",
)


@pytest.mark.parametrize(
    ("lines", "question"),
    [(SHIFTS, "how many drivers are we hiring?"), (SHIFTS_KO, "기사님은 몇 명 뽑아?")],
)
def test_what_has_no_number_is_not_found_for_how_many(lines: tuple[str, ...], question: str) -> None:
    assert answer(question, utterances=talk(*lines)).declined


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("A: The engineer says the pump is gone. It's leaking again.", "when does the engineer come?"),
        ("A: Trade show first. The stand is confirmed. I know it's small.", "who goes to the trade show?"),
        ("A: Today, still pathfinding, it walks through the wall.", "how long does the pathfinding take?"),
        ("가: 기사님 말로는 펌프가 고장이래요. 또 새고 있어요.", "기사님은 언제 와?"),
        ("가: 길찾기는 아직 하고 있어요. 벽을 뚫고 지나가요.", "길찾기는 며칠이나 걸려?"),
    ],
)
def test_no_day_person_or_span_is_no_answer_to_when_who_or_how_long(line: str, question: str) -> None:
    assert answer(question, utterances=talk(line, "B: Right.")).declined


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("A: We had 62 applications for the backend role.", "What's the salary for the backend role?"),
        ("A: The Castle Street lease says six months' notice.", "How much is the rent at Castle Street?"),
        ("가: 주차장 요금 얘기는 지원자 열두 명한테서 나왔어요.", "주차장 이용료는 얼마야?"),
    ],
)
def test_a_count_of_things_is_no_sum_of_money(line: str, question: str) -> None:
    assert answer(question, utterances=talk(line, "B: Right.")).declined


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("A: We were supposed to visit the tower on Friday.", "When do we visit the tower?"),
        ("A: I could do the subtitles, but editing is behind.", "Who does the subtitles?"),
        ("가: 전망대는 원래 금요일에 가기로 했었는데.", "전망대는 언제 가?"),
        ("가: 자막은 제가 할 수는 있는데 편집이 밀려서요.", "자막은 누가 해?"),
    ],
)
def test_a_former_plan_and_an_offer_with_a_but_are_no_answer(line: str, question: str) -> None:
    reply = answer(question, utterances=talk(line, "B: Hm."))
    assert reply.declined
    assert reply.evidence == (1,)


@pytest.mark.parametrize(
    ("line", "question", "says"),
    [
        ("A: The rent is seven hundred pounds, for two rooms.", "What's the rent?", "seven hundred"),
        ("A: The fee is forty for members.", "What's the fee for members?", "forty"),
        ("가: 이용료는 두 시간에 오천 원이에요.", "이용료는 얼마야?", "오천 원"),
    ],
)
def test_a_sum_beside_a_count_is_told(line: str, question: str, says: str) -> None:
    reply = answer(question, utterances=talk(line, "B: Right."))
    assert not reply.declined
    assert says in reply.text


@pytest.mark.parametrize(
    ("lines", "question", "says"),
    [
        (
            ("A: How long does the pathfinding take?", "B: A day."),
            "how long does the pathfinding take?",
            "A day",
        ),
        (("가: 수리는 며칠이나 걸려요?", "나: 이틀이요."), "수리는 며칠이나 걸려?", "이틀"),
        (("가: 계약금은 얼마예요?", "나: 백오십이요."), "계약금은 얼마야?", "백오십"),
        (("가: 협찬은 얼마 준대요?", "나: 편당 사백 준대요."), "협찬은 얼마 준대?", "사백"),
        (
            ("가: 신호등은 언제 설치된대요?", "나: 구청에서 내년에나 설치한대요."),
            "신호등은 언제 설치돼?",
            "내년에나",
        ),
        (("가: 안내는 누가 알아봐요?", "나: 사회사업실에 물어볼게요."), "안내는 누가 알아봐?", "물어볼게요"),
    ],
)
def test_a_day_a_sum_without_its_unit_and_a_promise_are_answers(
    lines: tuple[str, ...], question: str, says: str
) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert not reply.declined
    assert says in reply.text


@pytest.mark.parametrize(
    ("lines", "question", "evidence", "says"),
    [
        (SHIFTS_KO, "분납은 몇 달로 해?", 4, "여섯 달"),
        (SHIFTS, "are we doing the 20th?", 2, "drop the twentieth"),
        (SHIFTS, "I just joined, are we hiring a forklift?", 4, "we hire"),
    ],
)
def test_the_figure_is_told(lines: tuple[str, ...], question: str, evidence: int, says: str) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert evidence in reply.evidence
    assert says in reply.text


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("A: The remote should have fewer buttons, I think.", "How many buttons should the remote have?"),
        ("가: 리모컨 버튼은 좀 줄이는 게 좋겠어요.", "리모컨 버튼은 몇 개로 해?"),
    ],
)
def test_more_or_less_is_an_answer_to_how_many(line: str, question: str) -> None:
    assert answer(question, utterances=talk(line, "B: Right.")).evidence == (1,)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("I just joined, what happened on Monday?", "what happened on Monday?"),
        ("방금 들어왔는데 소독기는 어떻게 됐어?", "소독기는 어떻게 됐어?"),
        ("I just joined, what did I miss?", "I just joined, what did I miss?"),
        ("I just joined, catch me up", "I just joined, catch me up"),
        ("내가 늦게 들어왔는데 뭐 얘기했어?", "내가 늦게 들어왔는데 뭐 얘기했어?"),
        ("what did I miss?", "what did I miss?"),
    ],
)
def test_an_excuse_is_no_question_where_one_follows(question: str, left: str) -> None:
    assert without_excuse(question) == left
