"""What is an answer about being recorded, in both languages; whoever says something else is not taken to agree."""

from __future__ import annotations

import pytest

from context.language.commands import Command
from context.language.consenting import answer, answer_of_oneself, answer_to
from worker.participants.room_commands import VoiceCalls


@pytest.mark.parametrize(
    "text",
    [
        "no", "NO.", "nope", "no thank you", "no, thanks", "never", "refuse", "I refuse", "I don't agree", "not ok", "stop",
        "don't record", "Don’t record me.", "please do not record me", "stop recording me", "leave me out", "no 🙏", "ｎｏ", "Ｎｏ",
        "no, I don't want to be recorded", "yes, don't record me",
        "아니오", "아니요", "아뇨", "아니에요", "싫어", "싫어요", "싫습니다", "거부합니다", "거부해요", "거절합니다", "동의 안 함", "동의하지 않아요",
        "동의하지 않음", "안 돼요", "기록하지 마", "기록하지 말아 주세요", "녹음하지 마", "녹음 거부", "저는 빼 주세요", "제 말은 기록하지 마세요",
        "아니요, 기록하지 마세요", "네, 기록하지 마세요", "아니오, 감사합니다",
    ],
)  # fmt: skip
def test_a_refusal_is_understood(text: str) -> None:
    assert answer(text) == (False, False)


@pytest.mark.parametrize(
    "text",
    [
        "no erase", "no please erase", "erase, no", "no and erase all", "no, delete everything please", "no erase my words please",
        "don't record me and delete what I said", "아니오 지우기", "싫어요, 제 말도 삭제해 주세요", "기록하지 마 삭제해 줘",
        "거부합니다. 지금까지 한 말도 삭제해 주세요",
    ],
)  # fmt: skip
def test_a_refusal_may_take_back_what_was_said(text: str) -> None:
    assert answer(text) == (False, True)


@pytest.mark.parametrize(
    "text", ["yes", "Okay!", "네", "동의합니다", "나 기록해도 돼", "you may record me again"]
)
def test_an_agreement_is_understood(text: str) -> None:
    assert answer(text) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "no?", "no decision on the budget yet?", "did we say no, delete the old one?", "nonstop", "아니오 버튼은 누가 삭제했지?",
        "아니 그거 말고", "예산은 얼마야", "기록", "me", "제 말", "what did I miss", "delete",
    ],
)  # fmt: skip
def test_anything_else_is_no_answer(text: str) -> None:
    assert answer(text) is None


@pytest.mark.parametrize(
    ("text", "agreed", "erase"),
    [
        ("Moim, don't record me.", False, False), ("Moim, don't record me and delete what I said.", False, True),
        ("Moim, you may record me again.", True, False), ("모임아 내 말은 기록하지 마", False, False), ("모임아 나 기록해도 돼", True, False),
        ("모임, 제 말은 녹음하지 마세요.", False, False),
    ],
)  # fmt: skip
def test_by_voice_somebody_says_that_it_is_about_them(text: str, agreed: bool, erase: bool) -> None:
    told = answer_to(text, ("모임", "Moim"))
    assert told is not None
    assert answer_of_oneself(told) == (agreed, erase)
    heard = VoiceCalls(("모임", "Moim")).hear("ben", text, 0, 1_000)
    assert isinstance(heard, Command)
    assert heard.name == "me"


@pytest.mark.parametrize(
    "text", ["모임, 기록 멈춰 줘", "모임아 기록하지 마", "Moim, stop recording.", "Moim, don't listen"]
)
def test_what_is_about_everybody_is_no_answer_of_ones_own(text: str) -> None:
    assert answer_to(text, ("모임", "Moim")) is None
    heard = VoiceCalls(("모임", "Moim")).hear("ben", text, 0, 1_000)
    assert isinstance(heard, Command)
    assert heard.name == "pause"
