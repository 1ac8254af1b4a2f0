"""Who asks to what something was changed gets that, also where no decision was; of other changes, nothing."""

from __future__ import annotations

import pytest

from context.plain.answer import QuotedAnswer
from tests.languages import BOTH
from tests.training.meetings import utterances
from tests.unit.context.asked import answer

SNACK = {
    "ko": [
        ("수아", "회비는 그대로 두죠."),
        ("진호", "간식은 김밥이 남아서 버렸잖아요."),
        ("보라", "간식은 팝콘으로 바꿔요."),
        ("수아", "기계는 제가 빌려올게요."),
    ],
    "en": [
        ("Rosa", "Let's leave the fee as it is."),
        ("Hugh", "We threw the sandwiches away last time."),
        ("Mina", "I would change the snack to popcorn."),
        ("Rosa", "I can borrow the machine."),
    ],
}
MOVED = {
    "ko": [
        ("보라", "출시일은 십이월 십오일로 결정했습니다."),
        ("진호", "출시일은 십오일이 아니라 십이월 이십이일로 변경하기로 결정하겠습니다."),
    ],
    "en": [
        ("Rosa", "We decided that the release date is May the third."),
        ("Hugh", "We decided that the release date moves to May the tenth."),
    ],
}
ASKED = {"ko": "간식은 뭘로 바꾸기로 했어?", "en": "What did we change the snack to?"}
POPCORN = {"ko": "팝콘", "en": "popcorn"}


def told(question: str, language: str, *lines: tuple[str, str]) -> QuotedAnswer:
    said = utterances([{"speaker": who, "text": text} for who, text in lines])
    return answer(question, utterances=said, language=language, intent="changed")


def whole(language: str) -> list[tuple[str, str]]:
    first, later = MOVED[language]
    return [first, *SNACK[language], later]


@BOTH
def test_a_change_that_is_no_decision_is_looked_up(language: str) -> None:
    reply = told(ASKED[language], language, *SNACK[language])
    assert not reply.declined
    assert POPCORN[language] in reply.text


@BOTH
def test_a_change_of_something_else_is_no_answer(language: str) -> None:
    reply = told(ASKED[language], language, *whole(language))
    assert POPCORN[language] in reply.text
    assert reply.evidence != (1, 6)


@BOTH
def test_a_change_of_what_is_asked_about_is_listed(language: str) -> None:
    asked = {"ko": "출시일은 언제로 바뀌었어?", "en": "What did the release date change to?"}
    for question in (asked[language], {"ko": "뭐가 바뀌었어?", "en": "What changed?"}[language]):
        assert told(question, language, *whole(language)).evidence == (1, 6)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("ko", "번복된 결정이 뭐야?"),
        ("ko", "변경 사항 알려줘"),
        ("en", "Which decisions were reversed?"),
        ("en", "Any changes?"),
    ],
)
def test_words_for_changing_name_no_subject(language: str, question: str) -> None:
    assert told(question, language, *whole(language)).evidence == (1, 6)
