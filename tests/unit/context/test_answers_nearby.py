"""Answers that do not name what was asked: under the topic's name, by who asked and had to do it, in a yes."""

from __future__ import annotations

import pytest

from context.answers import answer
from context.extractive import summarise
from context.extractive.subjects import subject_of
from context.models import Summary, TopicSegment, Utterance
from context.retrieval.questions import gives, take_apart
from tests.unit.context.samples import utter


def talk(*lines: str) -> list[Utterance]:
    """`speaker: text`, an utterance each."""
    return [utter(place, *line.split(": ", 1)) for place, line in enumerate(lines, 1)]


def topic(name: str, said: list[Utterance]) -> TopicSegment:
    return TopicSegment(
        id="t1",
        name=name,
        start_utterance_id=said[0].id,
        end_utterance_id=said[-1].id,
        notes=summarise(Summary(), said),
        covered_until=said[-1].id,
        version=1,
    )


@pytest.mark.parametrize(
    ("name", "question", "decides", "lines"),
    [
        (
            "열람실 개방",
            "열람실 몇 시까지 열어요?",
            4,
            (
                "관장: 다음은 열람실입니다. 지금 여섯 시까지인데 아홉 시까지 열어 달라고들 합니다.",
                "하늘: 신청자가 몇 명이죠?",
                "보람: 설문에 마흔두 명이 답했습니다.",
                "관장: 그럼 다음 달부터 아홉 시까지 연장하는 걸로 하겠습니다.",
            ),
        ),
        (
            "parking fee",
            "How much is the parking fee going to be?",
            4,
            (
                "Ada: Last one, the parking fee. It's been 4 pounds since 2020.",
                "Bo: I'd say 6.",
                "Cy: Could we do 5? It's rounder.",
                "Ada: 5 from June. Everyone happy with that?",
                "Bo: Yes.",
            ),
        ),
    ],
)
def test_what_its_topic_settled_is_among_what_answers(
    name: str, question: str, decides: int, lines: tuple[str, ...]
) -> None:
    said = [each.model_copy(update={"topic_id": "t1", "topic": name}) for each in talk(*lines)]
    assert decides in answer(question, utterances=said, segments=[topic(name, said)]).evidence


@pytest.mark.parametrize(
    ("question", "lines", "others"),
    [
        (
            "Who does the leaflets?",
            (
                "Tim: Who's doing the leaflets?",
                "Olga: Not me, I did them last year.",
                "Tim: All right, I'll do them. When do you need them by?",
                "Pia: By the end of May.",
                "Mel: Are we having a tombola again?",
                "Pia: The licence costs too much.",
                "Mel: Okay, no tombola then.",
            ),
            {2, 5, 6, 7},
        ),
        (
            "전단은 누가 만들어?",
            (
                "태오: 전단은 누가 만들까요?",
                "은서: 저는 이번에 어려워요, 작년에 했거든요.",
                "태오: 그럼 전단은 제가 만들겠습니다.",
                "소라: 5월 말까지 부탁드려요.",
            ),
            {2},
        ),
    ],
)
def test_whoever_asked_does_it_where_nobody_else_will(
    question: str, lines: tuple[str, ...], others: set[int]
) -> None:
    evidence = answer(question, utterances=talk(*lines)).evidence
    assert 3 in evidence
    assert not others & set(evidence)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("Last one, the parking fee.", False),
        ("Three things: the kiln, the fair and the fee.", False),
        ("오늘은 세 가지 논의하겠습니다.", False),
        ("The fee is three pounds.", True),
        ("One person can carry it.", True),
        ("의자 세 개가 모자라요.", True),
    ],
)
def test_what_counts_the_items_of_a_meeting_is_no_amount(text: str, amount: bool) -> None:
    assert gives(take_apart("How much is it?"), text) is amount


@pytest.mark.parametrize(
    "question",
    [
        "What's the membership fee?",
        "What does a new kiln cost?",
        "회비가 어떻게 되나요?",
        "참가비는 어떻게 돼요?",
    ],
)
def test_a_question_for_a_price_asks_how_much(question: str) -> None:
    assert take_apart(question).kind == "how_much"


def test_a_verbs_ending_is_no_subject() -> None:
    assert subject_of("그럼 11월부터 일곱 시까지 연장하는 걸로 하겠습니다.") == ""
    assert subject_of("출시일은 20일로 하겠습니다.") == "출시일"


@pytest.mark.parametrize(
    ("question", "lines", "says", "once"),
    [
        (
            "What does the old cluster cost?",
            (
                "Lena: One more thing, we still pay for the old cluster. It's about four thousand a month.",
                "Sam: We should switch it off.",
            ),
            "four thousand a month",
            "old cluster",
        ),
        (
            "창고 비용은 얼마야?",
            ("레나: 창고 비용이 계속 나가요. 그건 한 달에 사십만 원쯤이에요.", "선우: 비웁시다."),
            "사십만 원쯤",
            "창고 비용",
        ),
        (
            "Who tells the landlord?",
            ("Lena: Who tells the landlord?", "Hugo: I will. I'm seeing him tomorrow anyway."),
            "I will",
            "seeing him tomorrow",
        ),
    ],
)
def test_a_figure_is_told_with_what_it_is_of_and_nothing_twice(
    question: str, lines: tuple[str, ...], says: str, once: str
) -> None:
    text = answer(question, utterances=talk(*lines)).text
    assert says in text
    assert text.count(once) == 1


def test_a_question_that_names_nothing_is_about_what_was_just_said() -> None:
    lines = (
        "Hugo: Can we do billing last?",
        "Sam: Sure, billing goes last.",
        "Lena: When would that be?",
        "Sam: I was thinking the 14th.",
        "Hugo: That is quarter close, I'd rather wait.",
        "Sam: OK, then the 21st.",
        "Hugo: The 21st it is.",
    )
    assert 7 in answer("When do we move billing?", utterances=talk(*lines)).evidence


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            "Who books the flights?",
            ("Nia: Elif, please book the flights before Friday.", "Elif: Will do.", "Nia: Thanks."),
        ),
        (
            "항공권은 누가 예매해?",
            ("나은: 은서 님 항공권 예매 부탁드려요.", "은서: 네 알겠습니다.", "나은: 고맙습니다."),
        ),
    ],
)
def test_a_bare_yes_is_quoted_with_what_it_takes_on(question: str, lines: tuple[str, ...]) -> None:
    assert 1 in answer(question, utterances=talk(*lines)).evidence


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            "What's the budget for the trade show?",
            (
                "Grace: Right everyone, two items: the trade show and the warehouse.",
                "Omar: Morning.",
                "Grace: Trade show first. The stand is confirmed.",
            ),
        ),
        (
            "Who designs the stand for the trade show?",
            ("Grace: The trade show first. The stand is confirmed.", "Omar: The agency was late last time."),
        ),
        (
            "박람회 예산이 얼마야?",
            ("가온: 박람회 예산부터 볼게요.", "나래: 예산은 아직 못 받았어요."),
        ),
    ],
)
def test_what_names_neither_the_sum_nor_the_person_is_no_answer(
    question: str, lines: tuple[str, ...]
) -> None:
    assert answer(question, utterances=talk(*lines)).declined


def test_a_day_is_no_answer_to_what_was_put_off_or_to_the_topic_before() -> None:
    lines = (
        "은비: 교육은 언제가 좋을까요?",
        "성민: 입고되고 나서 정하는 게 낫겠는데요.",
        "은비: 네 그건 입고 후에 다시 얘기합시다.",
        "가람: 아 그리고 송년회 날짜요, 12월 12일 어떠세요?",
        "성민: 저 그날 당직이에요.",
        "은비: 그럼 13일로 해요.",
        "가람: 네 13일 좋아요.",
    )
    said = talk(*lines)
    topics = [each.model_copy(update={"topic_id": "t1" if each.id < 4 else "t2"}) for each in said]
    assert not {4, 6, 7} & set(answer("교육은 언제 해?", utterances=topics).evidence)
    assert 7 in answer("송년회 언제야?", utterances=topics).evidence
