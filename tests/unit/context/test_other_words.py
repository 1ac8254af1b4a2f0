"""Questions in other words than the meeting's: synonyms, what a question word asks for, what a decision closes."""

from __future__ import annotations

import pytest

from context.answers import answer
from context.models import Utterance
from context.retrieval.questions import coverage, take_apart
from tests.unit.context.samples import utter


def talk(*lines: str) -> list[Utterance]:
    """`speaker: text`, an utterance each."""
    return [utter(place, *line.split(": ", 1)) for place, line in enumerate(lines, 1)]


@pytest.mark.parametrize(
    ("question", "said", "other"),
    [
        ("텐트는 누가 챙겨?", "그늘막 두 개를 챙기겠습니다", "그늘이 없어서 두 개를 챙기겠습니다"),
        ("우천 시에는 어떻게 해?", "비 오면 강당에서 합니다", "비용은 강당에서 냅니다"),
        ("when did the outage begin?", "the incident started at nine", "the internet stalled at nine"),
        ("which venue is cheaper?", "that location is cheaper", "that relocation is cheaper"),
    ],
)
def test_a_synonym_covers_nearly_as_much_as_the_word(question: str, said: str, other: str) -> None:
    asked = take_apart(question)
    assert 0.4 <= coverage(asked, said) <= 1.0
    assert coverage(asked, said) > coverage(asked, other)


@pytest.mark.parametrize(
    ("question", "lines", "evidence"),
    [
        (
            "아드님한테 연락은 누가 하기로 했지?",
            ("가: 회의실 책상이 모자라요.", "나: 제가 두 개 가져올게요.", "가: 아들한테는 제가 전화할게요."),
            (3,),
        ),
        (
            "who is going to purchase the chairs?",
            ("A: The heating is off again.", "B: I'll look at it.", "A: I'll buy the chairs tomorrow."),
            (3,),
        ),
    ],
)
def test_synonyms_find_the_line(question: str, lines: tuple[str, ...], evidence: tuple[int, ...]) -> None:
    assert answer(question, utterances=talk(*lines)).evidence == evidence


@pytest.mark.parametrize(
    ("question", "lines", "evidence"),
    [
        (
            "주문 취소가 몇 건이었지?",
            (
                "가: 지난주 주문 취소는 마흔 건이에요.",
                "나: 아니에요, 다시 세 보니 서른두 건이에요.",
                "가: 알겠어요.",
            ),
            (1, 2),
        ),
        (
            "how many orders were lost?",
            (
                "A: We lost a few orders in the night.",
                "B: How many?",
                "A: Forty, I think.",
                "C: I counted again, it's thirty-two.",
            ),
            (3, 4),
        ),
    ],
)
def test_a_figure_is_quoted_with_what_put_it_right(
    question: str, lines: tuple[str, ...], evidence: tuple[int, ...]
) -> None:
    assert set(evidence) <= set(answer(question, utterances=talk(*lines)).evidence)


@pytest.mark.parametrize(
    ("question", "lines", "evidence"),
    [
        (
            "주문 취소가 몇 건이었지?",
            ("가: 지난주 주문 취소는 마흔 건이에요.", "나: 아, 그럼 환불은 서른 건이네요."),
            (1,),
        ),
        (
            "how many orders were lost?",
            ("A: We lost forty orders.", "B: And thirty parcels came back."),
            (1,),
        ),
    ],
)
def test_another_figure_is_no_correction(
    question: str, lines: tuple[str, ...], evidence: tuple[int, ...]
) -> None:
    assert answer(question, utterances=talk(*lines)).evidence == evidence


@pytest.mark.parametrize(
    ("question", "lines", "last"),
    [
        (
            "보고서는 누가 써?",
            (
                "가: 보고서는 누가 쓰죠?",
                "나: 제가 쓸게요.",
                "가: 민수 님은 밤을 새웠잖아요. 영희 님이 써 주실래요?",
                "영희: 네, 목요일까지 초안 드릴게요.",
            ),
            4,
        ),
        (
            "who's writing the report, and by when?",
            (
                "Ann: Who writes the report?",
                "Bob: I can, I've got the timeline.",
                "Ann: You've been up all night. Cem, would you?",
                "Cem: Sure. You'll have a draft on Thursday.",
            ),
            4,
        ),
        (
            "Who is helping Bea?",
            (
                "Bea: I'll do the window on Sunday.",
                "Ann: Can somebody help her?",
                "Cem: I would, but I'm at my daughter's.",
                "Dan: I'm free.",
            ),
            4,
        ),
        (
            "진열은 누가 도와줘?",
            (
                "Bea: 진열은 일요일에 할게요.",
                "Ann: 진열 도와주실 분 계세요?",
                "Cem: 저는 일요일에 안 돼요.",
                "Dan: 저 시간 돼요.",
            ),
            4,
        ),
    ],
)
def test_of_those_who_offered_the_last_one_does_it(question: str, lines: tuple[str, ...], last: int) -> None:
    assert answer(question, utterances=talk(*lines)).evidence[-1] == last


@pytest.mark.parametrize(
    ("question", "kind", "topic"),
    [
        ("what time did the outage begin?", "when", ("outage", "begin")),
        ("which venue is it?", "where", ("venue",)),
        ("who's writing the report, and by when?", "who", ("writing", "report")),
        ("when and by whom was it sent?", "when", ("sent",)),
        ("누가 언제까지 보내?", "who", ("보내",)),
        ("우천 시에는 어떻게 해?", None, ("우천",)),
        ("how many have signed up so far?", "how_much", ("signed",)),
        ("지금까지 몇 명이 왔어?", "how_much", ("왔어",)),
        ("왜 그렇게 높아요?", "why", ()),
        ("그건 언제야?", "when", ()),
    ],
)
def test_what_is_asked_for(question: str, kind: str | None, topic: tuple[str, ...]) -> None:
    asked = take_apart(question)
    assert (asked.kind, asked.topic) == (kind, topic)


@pytest.mark.parametrize(
    ("question", "lines", "reason"),
    [
        (
            "왜 배포를 미뤘어?",
            (
                "가: 이제 배포 이야기를 해요.",
                "나: 결제 서버가 아직 준비가 안 됐어요.",
                "가: 그럼 배포를 목요일로 미룹시다.",
                "나: 저는 좋습니다.",
            ),
            2,
        ),
        (
            "why was the release moved?",
            (
                "A: So, the release.",
                "B: Hang on, the payment server isn't ready yet.",
                "A: Then let's move the release to Thursday.",
                "B: Works for me.",
            ),
            2,
        ),
    ],
)
def test_why_is_answered_by_the_trouble_and_not_by_the_yes(
    question: str, lines: tuple[str, ...], reason: int
) -> None:
    found = answer(question, utterances=talk(*lines)).evidence
    assert reason in found
    assert 4 not in found


@pytest.mark.parametrize(
    ("question", "lines", "evidence"),
    [
        (
            "어느 장소로 정했어?",
            (
                "가: 송년회는 어디에서 할까요?",
                "나: 식당은 너무 비싸요.",
                "가: 그럼 강당으로 합시다.",
                "나: 네.",
            ),
            3,
        ),
        (
            "which venue did we pick?",
            (
                "A: Where are we doing the party?",
                "B: The brewery's four thousand, the museum's six.",
                "A: Let's take the museum then.",
                "B: Great.",
            ),
            3,
        ),
        (
            "촬영을 하루 더 해?",
            ("가: 업체가 촬영을 하루 더 하자고 해요.", "나: 그건 안 됩니다, 예산이 없어요."),
            2,
        ),
        (
            "are we paying for another day of filming?",
            ("A: The agency wants to be paid for a second day of shooting.", "B: Absolutely not."),
            2,
        ),
    ],
)
def test_what_a_question_came_to(question: str, lines: tuple[str, ...], evidence: int) -> None:
    assert evidence in answer(question, utterances=talk(*lines)).evidence


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            "잃은 주문이 412건 맞나요?",
            (
                "가: 잃은 주문이 412건이에요.",
                "나: 아니에요, 다시 세 보니 386건이에요.",
                "가: 상품권은 50장을 보내기로 결정합니다.",
            ),
        ),
        (
            "wasn't it 412?",
            (
                "A: We lost four hundred and twelve orders.",
                "B: I counted again, it's three hundred and eighty-six.",
                "A: We decided to send fifty vouchers.",
            ),
        ),
    ],
)
def test_a_figure_that_was_put_right_is_not_held_against_another_decision(
    question: str, lines: tuple[str, ...]
) -> None:
    assert answer(question, utterances=talk(*lines)).evidence == (1, 2)


def test_who_are_counted_is_no_subject_and_the_count_is_told_by_its_counter() -> None:
    lines = (
        "가: 성수는 월 820만 원, 구로는 월 560만 원입니다.",
        "나: 설문에서 스물세 명 중 열일곱 명이 성수를 골랐어요.",
        "가: 사람이 나가면 더 손해니까 성수로 갑시다. 날짜는 16일로 합시다.",
    )
    assert answer("성수를 고른 사람이 몇 명이야?", utterances=talk(*lines)).evidence == (2,)


def test_how_many_people_chose_it() -> None:
    lines = (
        "A: The river site is 820 a month, the north one 560.",
        "B: In the survey seventeen of the twenty-three picked the river site.",
        "A: Then let's go for the river site, on the 16th.",
    )
    assert 2 in answer("How many people chose the river site?", utterances=talk(*lines)).evidence


def test_so_far_is_not_far() -> None:
    asked = take_apart("How far out can we take it?")
    assert not coverage(asked, "I've asked three shops so far.")
    assert coverage(asked, "It is too far for one day.")


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            "온도가 왜 낮아?",
            (
                "Ann: 다음은 서고요. 온도 재 봤죠?",
                "Bob: 네, 14도 나왔어요. 책은 18도 위여야 하거든요.",
                "Ann: 왜 그렇게 낮아요?",
                "Bob: 보일러가 멈춰 있더라고요.",
            ),
        ),
        (
            "Why is the humidity high?",
            (
                "Ann: Next, the stacks. Did you measure the humidity?",
                "Bob: Yes, it came out at 68. Books want less than 55.",
                "Ann: Why is it so high?",
                "Bob: One of the fans had stopped.",
            ),
        ),
    ],
)
def test_who_points_at_it_asks_the_same(question: str, lines: tuple[str, ...]) -> None:
    assert 4 in answer(question, utterances=talk(*lines)).evidence


@pytest.mark.parametrize(
    ("question", "lines", "told"),
    [
        ("Who is the new treasurer?", ("Ann: Station fund. I'll square it with the treasurer.",), ()),
        (
            "Who is the new treasurer?",
            ("Ann: I'll ask the treasurer.", "Bob: Do. Dan is the new treasurer."),
            (2,),
        ),
        ("새 총무가 누구야?", ("지우: 회비에서 내죠. 제가 총무님께 말씀드릴게요.",), ()),
        ("새 총무가 누구야?", ("지우: 총무님께 말씀드릴게요.", "세훈: 새 총무는 보라 씨예요."), (2,)),
    ],
)
def test_who_is_only_spoken_to_is_not_told_of(
    question: str, lines: tuple[str, ...], told: tuple[int, ...]
) -> None:
    given = answer(question, utterances=talk(*lines))
    assert given.declined == (not told)
    assert set(told) <= set(given.evidence)


@pytest.mark.parametrize(
    ("asked", "replies", "told"),
    [("경비원 휴게실은요?", "아직 없습니다.", False), ("경비원은 몇 명이에요?", "아직 없습니다.", True)],
)
def test_a_reply_counts_only_where_its_question_did(asked: str, replies: str, told: bool) -> None:
    given = answer("경비원은 몇 명이야?", utterances=talk(f"Ann: {asked}", f"Bea: {replies}"))
    assert (2 in given.evidence and not given.declined) == told
