"""When people meet next is asked in many ways, and answered by the statement that names it, with its date."""

from __future__ import annotations

import pytest

from context.plain.answer import QuotedAnswer
from tests.training.meetings import utterances
from tests.unit.cases import cases
from tests.unit.context.asked import answer

LINES = {
    "ko": [
        ("보라", "지난 회의는 세 시에 끝났습니다."),
        ("진호", "포스터 시안은 금요일까지 보내겠습니다."),
        ("수아", "배포는 12월 3일로 하기로 했습니다."),
        ("보라", "그럼 다음 회의는 12월 16일 여섯 시로 하겠습니다."),
        ("진호", "네, 그때 뵙겠습니다."),
    ],
    "en": [
        ("Rosa", "The last meeting ended at three."),
        ("Hugh", "I'll send the draft of the poster by Friday."),
        ("Mina", "We decided to release on December 3."),
        ("Rosa", "Then we meet again on December 16, same place."),
        ("Hugh", "See you then."),
    ],
}
LABEL = {"ko": "[다음 회의 · 2026-12-16] **보라**", "en": "[next meeting · 2026-12-16] **Rosa**"}


def told(question: str, lines: int = 5) -> tuple[str, QuotedAnswer]:
    language = "en" if question.isascii() else "ko"
    said = utterances([{"speaker": who, "text": text} for who, text in LINES[language][:lines]])
    return language, answer(question, utterances=said, language=language)


@cases
def test_when_people_meet_next_is_told_by_who_named_it(question: str) -> None:
    language, reply = told(question)
    assert reply.certainty == "answer"
    assert 4 in reply.evidence
    assert LABEL[language] in reply.text


@cases
def test_what_only_looks_like_it_is_not_answered_with_the_next_meeting(question: str) -> None:
    language, reply = told(question)
    assert LABEL[language] not in reply.text


@pytest.mark.parametrize("question", ["다음 회의 언제야?", "When is the next meeting?"])
def test_where_nobody_named_it_nothing_is_sure(question: str) -> None:
    _, reply = told(question, lines=3)
    assert reply.certainty != "answer"


@pytest.mark.parametrize("question", ["다음 홍보 회의는 언제야?", "When is the next marketing meeting?"])
def test_another_meeting_than_that_which_was_named_is_another_one(question: str) -> None:
    language, reply = told(question)
    assert LABEL[language] not in reply.text


@pytest.mark.parametrize(
    ("named", "questions"),
    [
        (
            "다음 모임은 십이월 칠일 저녁 여섯 시에 마을회관에서 합시다.",
            ("다음 모임은 어디에서 하나요?", "다음 모임 장소가 어디예요?", "다음에 어디서 만나?"),
        ),
        (
            "We meet again on the fourteenth of December, at seven, at Ruth's place.",
            ("Where is the next meeting?", "Where do we meet next?", "At which place is our next meeting?"),
        ),
    ],
    ids=["ko", "en"],
)
def test_where_people_meet_next_is_told_by_who_named_it_and_by_nobody_else(
    named: str, questions: tuple[str, ...]
) -> None:
    language = "ko" if named[0] >= "가" else "en"
    lines = [*LINES[language][:3], ("Z", named)]
    said = utterances([{"speaker": who, "text": text} for who, text in lines])
    for question in questions:
        reply = answer(question, utterances=said, language=language)
        assert (reply.certainty, reply.evidence) == ("answer", (4,)), question


@pytest.mark.parametrize(
    "question", ["다음 회의는 어디서 해?", "Where is the next meeting?", "Where do we meet next?"]
)
def test_where_no_place_was_named_the_day_is_no_answer(question: str) -> None:
    language, reply = told(question)
    assert LABEL[language] not in reply.text
