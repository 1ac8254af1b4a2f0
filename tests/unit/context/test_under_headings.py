"""What is said under a heading is on its subject; who it is left to, and why, is told a turn or two further on."""

from __future__ import annotations

import pytest

from context.answers import answer
from tests.unit.context.test_other_words import talk


@pytest.mark.parametrize(
    ("lines", "question", "evidence"),
    [
        (
            (
                "A: Second, the newsletter page.",
                "B: The long version won the test.",
                "A: Then everyone gets it.",
                "B: I'd wait until after the fair.",
                "A: When's that?",
                "B: April 15th.",
                "A: Okay, roll it out on the 16th.",
            ),
            "When do we roll out the newsletter page?",
            7,
        ),
        (
            (
                "가: 다음은 소식지입니다.",
                "나: 긴 쪽이 반응이 좋았어요.",
                "가: 그럼 긴 쪽으로 하죠.",
                "나: 박람회 끝나고 나서가 좋겠어요.",
                "가: 그게 언제죠?",
                "나: 4월 15일이요.",
                "가: 그럼 16일에 배포할게요.",
            ),
            "소식지는 언제 배포해?",
            7,
        ),
    ],
)
def test_what_repeats_the_verb_is_read_with_its_heading(
    lines: tuple[str, ...], question: str, evidence: int
) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert not reply.declined
    assert evidence in reply.evidence


@pytest.mark.parametrize(
    ("lines", "question", "evidence"),
    [
        (
            (
                "A: Who's driving the float?",
                "B: Me, I suppose.",
                "C: You've got your exam that week. Dana should drive, she knows the road.",
                "Dana: Fine by me.",
            ),
            "Who drives the float?",
            4,
        ),
        (
            (
                "가람: 트럭은 누가 몰아요?",
                "나리: 제가 몰까 했는데요.",
                "다온: 나리 님은 그 주에 시험이잖아요. 마루 님이 모는 게 좋겠어요.",
                "마루: 네, 그럴게요.",
            ),
            "트럭은 누가 몰기로 했어?",
            4,
        ),
    ],
)
def test_whoever_is_put_forward_and_agrees_has_it(
    lines: tuple[str, ...], question: str, evidence: int
) -> None:
    assert evidence in answer(question, utterances=talk(*lines)).evidence


@pytest.mark.parametrize(
    ("lines", "question", "told", "not_told"),
    [
        (
            (
                "가: 접수 누락이 지난주에만 세 건이에요.",
                "다: 저녁에 제일 바빠서 그런 것 같아요.",
            ),
            "접수 누락은 왜 생겨?",
            2,
            0,
        ),
        (
            (
                "A: No gift boxes this year, they need the best pears.",
                "B: Agreed.",
                "C: Sorry I'm late, the truck broke down.",
            ),
            "Why are there no gift boxes?",
            1,
            3,
        ),
        (
            (
                "가: 선물 세트는 제일 좋은 배가 모자라서 올해는 없어요.",
                "나: 그래요.",
                "다: 죄송합니다, 트럭이 퍼져 가지고요.",
            ),
            "선물 세트는 왜 없어?",
            1,
            3,
        ),
    ],
)
def test_a_reason_is_told_by_its_ending_and_an_excuse_is_none(
    lines: tuple[str, ...], question: str, told: int, not_told: int
) -> None:
    evidence = answer(question, utterances=talk(*lines)).evidence
    assert told in evidence
    assert not_told not in evidence


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (
            (
                "Eve: The church wants the hall on Sundays.",
                "Ann: We'd have to heat it for them.",
                "Mr Bell: Once they have it, everybody asks. I'm against it.",
            ),
            "What did Mr Bell say about the hall on Sundays?",
        ),
        (
            (
                "다미: 자체 서버를 원한대요.",
                "세라: 기술로는 되긴 돼요.",
                "은호 팀장: 한 번 해 주면 다 해 달라고 해요. 저는 반대예요.",
            ),
            "자체 서버에 대해 은호 팀장은 뭐라고 했어?",
        ),
    ],
)
def test_a_title_is_part_of_the_name_and_no_subject(lines: tuple[str, ...], question: str) -> None:
    reply = answer(question, utterances=talk(*lines))
    assert not reply.declined
    assert 3 in reply.evidence


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (
            (
                "A: The late trams on carnival night?",
                "B: The police want the last ones out at eleven.",
                "A: Hmm. Leave that one.",
            ),
            "What did we agree about the late trams on carnival night?",
        ),
        (
            (
                "가: 축제 날 막차 시간은요?",
                "나: 경찰은 열한 시까지만 했으면 한대요.",
                "가: 음, 그건 더 생각해 보고 정하죠.",
            ),
            "축제 날 막차 시간은 어떻게 정했어?",
        ),
    ],
)
def test_what_was_put_off_is_told_so(lines: tuple[str, ...], question: str) -> None:
    assert 3 in answer(question, utterances=talk(*lines)).evidence
