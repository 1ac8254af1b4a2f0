"""What was asked for instead and said again is what stands; "not yet" to the same question is what was decided."""

from __future__ import annotations

import pytest

from context.answering.follow_up import Exchange, follow_up
from context.answers import answer
from tests.unit.context.test_other_words import talk

HOTFIX = (
    "A: Does the hotfix go out this week?",
    "B: I'd say yes, Friday.",
    "C: Friday's risky, nobody's here if it goes wrong. Can we say Thursday?",
    "B: Thursday, good.",
)
SHOOT = (
    "가: 촬영은 언제 할까요?",
    "나: 화요일 오전으로 합시다.",
    "다: 저 화요일에 치과 있어요. 수요일은 안 돼요?",
    "나: 아 그래요? 그럼 수요일 오전 열 시.",
)


@pytest.mark.parametrize(
    ("lines", "question", "stands"),
    [
        (HOTFIX, "When does the hotfix go out?", "Thursday, good"),
        (SHOOT, "촬영은 언제야?", "수요일 오전 열 시"),
    ],
)
def test_the_day_that_was_asked_for_instead_is_told_where_it_was_taken_up(
    lines: tuple[str, ...], question: str, stands: str
) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert reply.evidence[-1] == 4
    assert stands in reply.text


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        ((*HOTFIX[:3], "B: No, Thursday is too early."), "When does the hotfix go out?"),
        ((*SHOOT[:3], "나: 수요일은 안 돼요, 대표님이 오세요."), "촬영은 언제야?"),
    ],
)
def test_a_day_that_is_refused_is_not_taken_up(lines: tuple[str, ...], question: str) -> None:
    assert 2 in answer(question, utterances=talk(*lines)).evidence


@pytest.mark.parametrize(
    ("lines", "question", "says"),
    [
        (
            (
                "A: First the payment module. The release was meant to be on Thursday.",
                "B: Then let's move it to Monday.",
                "A: Agreed, Monday it is.",
                "B: Did we decide on a name for the payment module?",
                "A: We'll decide that next week.",
            ),
            "Did we decide on a name for the payment module?",
            "next week",
        ),
        (
            (
                "가: 먼저 결제 모듈이요. 원래 목요일 배포였어요.",
                "나: 그럼 다음 주 월요일로 미루죠.",
                "가: 네, 그렇게 하겠습니다.",
                "나: 결제 모듈 이름은 정했어요?",
                "가: 다음 회의 때 정하죠.",
            ),
            "결제 모듈 이름은 정했어?",
            "다음 회의",
        ),
    ],
)
def test_what_was_put_off_is_told_before_what_was_decided_of_something_else(
    lines: tuple[str, ...], question: str, says: str
) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert reply.evidence[-1] == 5
    assert says in reply.text


@pytest.mark.parametrize(
    ("lines", "question", "lead"),
    [
        (
            ("A: Next, the forklift. What's with it?", "B: It failed its inspection."),
            "Do we rent a forklift?",
            "comes closest",
        ),
        (
            ("A: The fridge broke because the seal is cracked.", "B: Oh."),
            "Why did the fridge break?",
            "own words",
        ),
        (
            ("가: 지게차가 검사에서 떨어졌어요.", "나: 그래요?", "가: 네."),
            "지게차는 빌리기로 했어?",
            "가장 가까운",
        ),
        (("가: 냉장고는 문이 안 닫혀서 고장 났어요.", "나: 아."), "냉장고는 왜 고장 났어?", "그대로"),
    ],
)
def test_what_covers_little_of_a_question_is_told_as_what_comes_closest(
    lines: tuple[str, ...], question: str, lead: str
) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert not reply.declined
    assert lead in reply.text.split("\n")[0]


@pytest.mark.parametrize(
    ("lines", "before", "question", "lead"),
    [
        (
            ("A: First, the window.", "B: I'll put the coats in it on Sunday."),
            "I don't find that in this meeting.",
            "when is that?",
            "comes closest",
        ),
        (
            ("A: First, the window.", "B: I'll put the coats in it on Sunday."),
            "In the meeting's own words (quoted):",
            "when is that?",
            "own words",
        ),
        (
            ("가: 먼저 진열창이요.", "나: 일요일에 코트를 걸게요."),
            "이 회의에서는 찾지 못했습니다.",
            "그건 언제야?",
            "가장 가까운",
        ),
        (
            ("가: 먼저 진열창이요.", "나: 일요일에 코트를 걸게요."),
            "회의에서 나온 말을 그대로 옮깁니다 (인용):",
            "그건 언제야?",
            "그대로",
        ),
    ],
)
def test_what_is_found_beside_the_closest_is_no_surer(
    lines: tuple[str, ...], before: str, question: str, lead: str
) -> None:
    asked = "who does the window?" if lines[0].isascii() else "진열창은 누가 해?"
    follows = follow_up(question, [Exchange(asked, before, (1, 2))])
    reply = answer(question, utterances=talk(*lines), follows=follows)
    assert reply.evidence == (2,)
    assert lead in reply.text.split("\n")[0]
