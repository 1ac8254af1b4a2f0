"""One word in two scripts."""

from __future__ import annotations

import pytest

from context.answers import answer
from context.retrieval.loanwords import same_word
from tests.unit.context.test_whole_meeting_answers import told


@pytest.mark.parametrize(
    ("korean", "latin"),
    [
        ("릴리스는", "release"),
        ("대시보드", "dashboard"),
        ("클라이언트", "client"),
        ("스크린샷이랑", "screenshot"),
        ("템플릿", "template"),
        ("컨퍼런스", "conference"),
        ("서버", "server"),
        ("예산은", "budget"),
    ],
)
def test_a_loanword_is_its_english_word(korean: str, latin: str) -> None:
    assert same_word(korean, latin)


@pytest.mark.parametrize(
    ("korean", "latin"),
    [("버그", "book"), ("버그", "back"), ("회의는", "hang"), ("화면이", "home"), ("대시보드", "dispatch")],
)
def test_what_sounds_a_little_alike_is_not(korean: str, latin: str) -> None:
    assert not same_word(korean, latin)


def test_a_question_finds_what_was_said_in_the_other_script() -> None:
    english = told(("Ana", "The dashboard is slow because of the chart library."), ("Ben", "I see."))
    assert answer("대시보드는 왜 느려?", utterances=english).evidence == (1,)
    korean = told(("가온", "대시보드는 차트 라이브러리 때문에 느려요."), ("소라", "그렇군요."))
    assert answer("dashboard는 왜 느려?", utterances=korean).evidence == (1,)
    assert answer("마이그레이션은 왜 느려?", utterances=english).declined
    assert answer("why is the migration slow?", utterances=korean).declined
