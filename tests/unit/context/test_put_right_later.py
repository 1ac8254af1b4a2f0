"""What is put right much later is told with what it puts right; who stands in is told with whoever cannot."""

from __future__ import annotations

import pytest

from context.answers import answer
from context.retrieval.questions import gives, take_apart
from tests.unit.context.test_other_words import talk

ASIDE = (
    "A: The heating is off again.",
    "B: I'll look at it.",
    "A: Thanks.",
    "B: And the lamps?",
    "A: Later.",
)
ASIDE_KO = ("가: 난방이 또 꺼졌어요.", "나: 제가 볼게요.", "가: 고마워요.", "나: 전등은요?", "가: 나중에요.")


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (
            (
                "A: The council closes Mill Road on Monday the ninth.",
                *ASIDE,
                "B: The council wrote again, it says the sixteenth, not the ninth.",
            ),
            "When does Mill Road close?",
        ),
        (
            (
                "가: 구청에서 9일에 후문 공사를 한대요.",
                *ASIDE_KO,
                "나: 아까 후문 공사요, 9일이 아니라 16일이래요.",
            ),
            "후문 공사는 언제야?",
        ),
    ],
)
def test_a_figure_denied_much_later_is_told_with_the_denial(lines: tuple[str, ...], question: str) -> None:
    assert {1, 7} <= set(answer(question, utterances=talk(*lines)).evidence)


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (
            (
                "A: The council closes Mill Road on Monday the ninth.",
                *ASIDE,
                "B: The choir sings on the sixteenth, not the ninth.",
            ),
            "When does Mill Road close?",
        ),
        (
            ("가: 구청에서 9일에 후문 공사를 한대요.", *ASIDE_KO, "나: 합창 연습은 9일이 아니라 16일이래요."),
            "후문 공사는 언제야?",
        ),
    ],
)
def test_a_denial_of_another_matter_puts_nothing_right(lines: tuple[str, ...], question: str) -> None:
    assert answer(question, utterances=talk(*lines)).evidence == (1,)


@pytest.mark.parametrize(
    ("lines", "question", "evidence"),
    [
        (
            (
                "A: I'd get a second quote for the roof.",
                "B: Good idea. Could you do that?",
                "A: Sure, I'll call them.",
            ),
            "Who gets a second quote?",
            (1, 2, 3),
        ),
        (
            (
                "가: 지붕 견적을 하나 더 받을게요, 비싸네요.",
                "나: 좋아요. 전화해 주실래요?",
                "가: 네, 내일 할게요.",
            ),
            "지붕 견적은 누가 더 받아?",
            (1, 2, 3),
        ),
        (
            (
                "A: Who's fetching the garlands?",
                "B: That's me, on Friday.",
                "A: Ah, no, on Friday you're at the farm.",
                "B: Oh, yes.",
                "C: I'll go in my car.",
            ),
            "Who fetches the garlands?",
            (2, 5),
        ),
        (
            (
                "가: 화환은 누가 가져와요?",
                "나: 제가 금요일에 가져올게요.",
                "가: 아, 안 돼요, 금요일엔 농장에 가야죠.",
                "나: 그렇네요.",
                "다: 그럼 제가 갈게요.",
            ),
            "화환은 누가 가져와?",
            (5,),
        ),
    ],
)
def test_who_is_asked_back_or_stands_in_is_told(
    lines: tuple[str, ...], question: str, evidence: tuple[int, ...]
) -> None:
    assert set(evidence) <= set(answer(question, utterances=talk(*lines)).evidence)


@pytest.mark.parametrize(
    ("lines", "question", "evidence"),
    [
        (
            (
                "A: Ines, the pathfinding again.",
                "B: Is it the bridge?",
                "A: How long do you need?",
                "Ines: Two days.",
            ),
            "How long does Ines need for the pathfinding?",
            4,
        ),
        (
            ("가: 길 찾기가 또 문제네요.", "나: 다리 쪽이에요?", "가: 얼마나 걸려요?", "이나: 이틀이요."),
            "이나는 길 찾기에 얼마나 걸려?",
            4,
        ),
        (
            (
                "A: Then the trainee.",
                "B: We offer it to him. Start in June.",
                "C: Could he start in April?",
                "B: April, sure.",
            ),
            "When does the trainee start?",
            4,
        ),
        (
            (
                "가: 다음은 수습생이요.",
                "나: 그럼 수습생은 5월에 시작하죠.",
                "다: 4월에 시작하면 안 돼요?",
                "나: 4월, 좋아요.",
            ),
            "수습생은 언제 시작해?",
            4,
        ),
    ],
)
def test_what_somebody_needs_is_told_by_the_question_they_were_asked(
    lines: tuple[str, ...], question: str, evidence: int
) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert not reply.declined
    assert evidence in reply.evidence


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (
            ("A: The band's six, and photographers two.", "B: The band plays at half past eight."),
            "How much does the band cost?",
        ),
        (
            ("가: 대성물산도 모듈을 두 개 더 보고 있어요.", "나: 네, 계약은 좋네요."),
            "대성물산 계약은 몇 년짜리야?",
        ),
        (("A: So, the printer.", "B: The printer came on Monday."), "Why is the printer on the list?"),
        (("가: 자, 그럼 인쇄기요.", "나: 인쇄기는 월요일에 왔어요."), "인쇄기는 왜 왔어?"),
    ],
)
def test_another_kind_of_thing_is_no_answer(lines: tuple[str, ...], question: str) -> None:
    assert answer(question, utterances=talk(*lines)).declined


@pytest.mark.parametrize(
    ("question", "unit", "given", "not_given"),
    [
        ("천막은 몇 동이야?", "동", "열두 동은 있어야죠", "한 동에 칠만 원이에요"),
        ("공연에서 몇 곡 해?", "곡", "그럼 여덟 곡이요", "여덟 명이요"),
        ("몇 프로까지 깎아 줘?", "프로", "10퍼센트까지요", "두 번까지요"),
        ("계약은 몇 년짜리야?", "년", "2년이에요", "두 개예요"),
    ],
)
def test_what_is_counted_is_told_by_its_counter(question: str, unit: str, given: str, not_given: str) -> None:
    asked = take_apart(question)
    assert (asked.kind, asked.unit) == ("how_much", unit)
    assert gives(asked, given)
    assert not gives(asked, not_given)


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (
            ("A: The pump is losing water.", "B: Do we know why?", "A: The seal's gone.", "B: I see."),
            "What is wrong with the pump?",
        ),
        (
            ("가: 펌프에서 물이 새요.", "나: 왜 그래요?", "가: 고무 패킹이 삭았어요.", "나: 그렇군요."),
            "펌프에 무슨 문제 있어?",
        ),
    ],
)
def test_what_was_told_on_being_asked_belongs_to_it(lines: tuple[str, ...], question: str) -> None:
    assert {1, 3} <= set(answer(question, utterances=talk(*lines)).evidence)


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (
            ("A: We need twelve tents.", *ASIDE, "A: Twelve tents are too dear.", "B: Ten, then."),
            "How many tents are we getting?",
        ),
        (
            (
                "가: 천막은 열두 동 있어야죠.",
                *ASIDE_KO,
                "가: 천막 열두 동은 너무 비싸요.",
                "나: 그럼 열 동으로 하죠.",
            ),
            "천막은 몇 동이야?",
        ),
    ],
)
def test_what_the_newest_talk_of_it_came_to_is_told(lines: tuple[str, ...], question: str) -> None:
    assert 8 in answer(question, utterances=talk(*lines)).evidence


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (
            (
                "A: So the phone number. Let's make the phone number optional.",
                "B: I'd rather drop it completely.",
                "A: Fair. Let's drop it.",
            ),
            "What did we decide about the phone number?",
        ),
        (
            (
                "가: 전화번호는 선택으로 하는 걸로 하죠.",
                "나: 차라리 빼는 게 나아요.",
                "가: 그럼 빼는 걸로 하죠.",
            ),
            "전화번호는 어떻게 하기로 했어?",
        ),
    ],
)
def test_what_was_countered_is_told_with_what_it_came_to(lines: tuple[str, ...], question: str) -> None:
    assert 3 in answer(question, utterances=talk(*lines)).evidence
