"""What little is said still answers: who goes instead, a reason of two words, "next time"; what only looks so doesn't."""

from __future__ import annotations

import pytest

from context.answers import answer
from context.quoting.look import names_nothing
from context.retrieval.questions import coverage, gives, take_apart
from tests.unit.context.test_other_words import talk


@pytest.mark.parametrize(
    ("lines", "question", "told", "not_told"),
    [
        (
            (
                "A: Go and get the freezer, then.",
                "B: I can't lift a freezer.",
                "C: I'll take the trailer on Monday.",
            ),
            "Who fetches the freezer?",
            3,
            2,
        ),
        (
            (
                "가람: 냉동고를 옮겨야죠.",
                "나리: 저는 냉동고 못 들어요.",
                "다온: 제가 월요일에 트럭으로 갈게요.",
            ),
            "냉동고는 누가 옮겨?",
            3,
            2,
        ),
    ],
)
def test_whoever_cannot_is_not_who_does_it(
    lines: tuple[str, ...], question: str, told: int, not_told: int
) -> None:
    evidence = answer(question, utterances=talk(*lines)).evidence
    assert told in evidence
    assert not_told not in evidence


@pytest.mark.parametrize(
    ("lines", "question", "told"),
    [
        (("가: 결과 통보는 미루죠.", "나: 그날 송년회잖아요."), "통보는 왜 미뤄?", 2),
        (("A: The results come a week later.", "B: Because of flu."), "Why do the results come later?", 2),
        (
            ("A: The translators want to be in the credits.", "B: They should.", "A: Next time."),
            "Do the translators get into the credits?",
            3,
        ),
        (
            (
                "가: 감점된다는 말을 메일에 넣어도 돼요?",
                "나: 감점 규정이 메일로 온 것 같은데.",
                "다: 그럼 그 말은 빼고 보내요.",
            ),
            "메일에 감점된다는 말 넣기로 했어?",
            3,
        ),
    ],
)
def test_few_words_answer(lines: tuple[str, ...], question: str, told: int) -> None:
    assert told in answer(question, utterances=talk(*lines)).evidence


@pytest.mark.parametrize(
    ("question", "given", "not_given"),
    [
        ("마이크는 어디서 고장 났어?", "지하 1층에 있어요", "3월에 고장 났어요"),
        ("회의는 어느 방에서 해?", "2층에서 해요", "오후에 해요"),
    ],
)
def test_a_time_is_no_place(question: str, given: str, not_given: str) -> None:
    asked = take_apart(question)
    assert gives(asked, given)
    assert not gives(asked, not_given)


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (("가: 지금 등급이 연봉의 20프로예요.", "나: 네."), "이도현 연봉이 얼마야?"),
        (("A: The bonus is at three of the salary steps.", "B: Right."), "What's the salary?"),
    ],
)
def test_a_share_is_no_sum(lines: tuple[str, ...], question: str) -> None:
    assert answer(question, utterances=talk(*lines)).declined


def test_a_verb_is_known_by_its_other_forms() -> None:
    assert coverage(take_apart("When is the field mown?"), "mow the field on Friday") > 0.8
    assert coverage(take_apart("목록은 누가 만들어?"), "리스트를 누가 좀 만들어 줘요") > 0.8


def test_what_points_at_something_said_names_nothing() -> None:
    assert names_nothing("그럼 그 말은 빼고 보내요")
    assert not names_nothing("그럼 광고는 빼고 보내요")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("축제 날짜를 왜 옮겼어?", "why"),
        ("Why did the deadline move?", "why"),
        ("축제 날짜가 언제야?", "when"),
        ("Why and when did it move?", "when"),
    ],
)
def test_why_is_asked_of_a_day(question: str, kind: str) -> None:
    assert take_apart(question).kind == kind


def test_what_is_going_to_be_done_is_no_place() -> None:
    asked = take_apart("워크숍은 어디로 가?")
    assert gives(asked, "제주도로 가죠")
    assert gives(asked, "거기로 합시다")
    assert not gives(asked, "둘이 들어가기로 했습니다")
    assert not gives(asked, "면접 두 번으로 합시다")
