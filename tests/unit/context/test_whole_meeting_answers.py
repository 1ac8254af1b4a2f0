"""Questions of the whole meeting: who was there, what is open, what one does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from context.answers import answer
from context.attendance import Attendee
from context.models import Utterance

BEGAN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def told(*lines: tuple[str, str]) -> list[Utterance]:
    """One utterance per line, ten seconds apart."""
    return [
        Utterance(
            id=place,
            speaker_id=speaker,
            speaker_name=speaker,
            text=text,
            start_ms=10_000 * place,
            end_ms=10_000 * place + 4_000,
            absolute_timestamp=BEGAN + timedelta(seconds=10 * place),
        )
        for place, (speaker, text) in enumerate(lines, 1)
    ]


KOREAN = told(
    ("정해율", "주차장 얘기부터 하죠."),
    ("민서진", "업체 두 곳에서 견적이 왔어요. 비교표는 제가 금요일까지 만들게요."),
    ("정해율", "어느 업체로 할지는 다음 회의 때 정하죠."),
    ("민서진", "네."),
)
ENGLISH = told(
    ("Ana", "Let's talk about the car park."),
    ("Ben", "Two firms sent quotes. I'll write the comparison by Friday."),
    ("Ana", "Let's decide which firm next week."),
    ("Ben", "Okay."),
)
PEOPLE = (
    Attendee(user_id="a", name="Ana"),
    Attendee(user_id="c", name="오승리", present=False, joined_at_ms=60_000, left_at_ms=300_000),
)


@pytest.mark.parametrize(
    "question",
    [
        "누가 참석했어?",
        "참석자 알려줘",
        "지금 회의에 누가 있어?",
        "Who attended?",
        "who's in this meeting?",
        "who was there?",
    ],
)
def test_who_attended_is_answered_from_the_roster_with_times(question: str) -> None:
    for said in (KOREAN, ENGLISH):
        given = answer(question, utterances=said, people=PEOPLE)
        assert not given.declined
        assert "Ana" in given.text
        assert "오승리" in given.text
        assert "09:01:00" in given.text
        assert "09:05:00" in given.text


def test_without_a_roster_those_who_spoke_are_named_as_no_more_than_that() -> None:
    assert "발언한 사람" in answer("누가 참석했어?", utterances=KOREAN).text
    english = answer("who attended?", utterances=ENGLISH)
    assert "Those who spoke" in english.text
    assert "Ben" in english.text


@pytest.mark.parametrize(
    "question",
    [
        "박람회에 누가 참석했어?",
        "누가 열쇠를 가지고 왔어?",
        "who attended the fair?",
        "who left the keys?",
        "who was there at the fair?",
    ],
)
def test_who_came_to_something_else_is_no_question_of_the_roster(question: str) -> None:
    for said in (KOREAN, ENGLISH):
        assert "오승리" not in answer(question, utterances=said, people=PEOPLE).text


def test_where_a_fair_is_talked_of_attending_means_the_fair() -> None:
    said = told(("민서진", "박람회에는 백 명이 참석했어요."), ("정해율", "많이 왔네요."))
    assert "오승리" not in answer("몇 명 참석했어?", utterances=said, people=PEOPLE).text
    assert "오승리" in answer("이 회의에 누가 참석했어?", utterances=said, people=PEOPLE).text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("아직 안 정해진 게 뭐야?", KOREAN),
        ("남은 안건이 뭐야?", KOREAN),
        ("what is still open?", ENGLISH),
        ("what's left to decide?", ENGLISH),
    ],
)
def test_what_is_open_is_what_was_put_off(question: str, said: list[Utterance]) -> None:
    given = answer(question, utterances=said)
    assert given.evidence == (3,)
    assert not given.declined


def test_of_another_subject_nothing_is_open() -> None:
    assert answer("휴가는 아직 안 정해진 게 뭐야?", utterances=KOREAN).evidence == ()
    assert answer("what is still undecided about the wedding?", utterances=ENGLISH).evidence == ()


def test_one_persons_tasks_and_the_askers_own() -> None:
    assert answer("민서진 님이 맡은 일이 뭐야?", utterances=KOREAN).evidence == (2,)
    assert answer("what does Ben have to do?", utterances=ENGLISH).evidence == (2,)
    assert answer("내 할 일 뭐야?", utterances=KOREAN, asker="민서진").evidence == (2,)
    assert answer("what do I have to do?", utterances=ENGLISH, asker="Ben").evidence == (2,)
    assert answer("what does Ana have to do?", utterances=ENGLISH).declined
    assert answer("정해율 님이 맡은 일이 뭐야?", utterances=KOREAN).declined
