"""Work that somebody takes on in passing, in both languages, with when."""

from __future__ import annotations

import pytest

from context.extractive import summarise
from context.models import Summary
from tests.unit.context.test_reversals import said


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("I can ring Caldwell's this afternoon.", "this afternoon"),
        ("I'll tell the scaffolders.", None),
        ("I'll have the retry logic up by Friday.", "by Friday"),
        ("I can have it done by the 20th.", "by the 20th"),
        ("I'll need to let the bus contractor know before May 1st.", "before May 1st"),
        ("그건 내가 찍어 줄게.", None),
        ("네, 제가 업체에 다시 전화해 보겠습니다.", None),
        ("작가분들께는 제가 내일까지 다 연락드려 보겠습니다.", "내일까지"),
        ("그건 제가 할게요, 금요일쯤?", "금요일"),
        ("그럼 제가 서버 설정 바꿔 놓겠습니다. 다음 배포 때요.", "다음 배포"),
        ("You'll have the new price list tonight.", "tonight"),
        ("I'll pair them up with Jo's lot, if Jo doesn't mind.", None),
        ("I'll break it to the caterers.", None),
        ("I'll fill the form in.", None),
        ("I'll give Ann Roberts a ring.", None),
        ("제가 하죠 뭐, 2주면.", None),
        ("네, 오늘 올릴게요.", "오늘"),
    ],
)
def test_a_promise_is_a_task_of_its_speaker(text: str, due: str | None) -> None:
    (task,) = summarise(Summary(), said([("b", "음, right."), ("a", text)])).pending
    assert (task.owner, task.due) == ("a", due)


@pytest.mark.parametrize(
    ("asked", "answer", "due"),
    [("Could you draft the letter to the parents?", "Happy to. Give me until Thursday.", "until Thursday")],
)
def test_who_is_happy_to_has_the_task(asked: str, answer: str, due: str) -> None:
    (task,) = summarise(Summary(), said([("a", asked), ("b", answer)])).pending
    assert (task.owner, task.due) == ("b", due)


def test_what_one_can_do_is_theirs_once_somebody_thanks_for_it() -> None:
    talk = [
        ("a", "수요일은 자리가 비어요."),
        ("b", "이틀이면 제가 할 수 있어요."),
        ("a", "고마워요. 그럼 부탁해요."),
    ]
    (task,) = summarise(Summary(), said(talk)).pending
    assert task.owner == "b"


@pytest.mark.parametrize(
    "text",
    [
        "I'll tell you what happened.",
        "Let me tell you about it.",
        "제가 말씀드려 볼게요.",
        "한번 가 보겠습니다.",
    ],
)
def test_what_is_done_in_saying_it_is_no_task(text: str) -> None:
    assert summarise(Summary(), said([("b", "음, right."), ("a", text)])).pending == ()
