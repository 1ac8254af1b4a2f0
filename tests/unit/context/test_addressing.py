"""The agent hears its name however it is garbled, and leaves alone what is said to others."""

from __future__ import annotations

import pytest

from context.language.addressing import ChatMode, command, for_agent, wake
from context.language.questions import is_question

WAKE = ("모임", "Moim")
NAMES = ("김민지", "박준호", "Ben Carter", "Alice Moreau")


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("모임아, 출시일이 언제로 결정됐지?", "출시일이 언제로 결정됐지?"),
        ("모임아 조실이 언제로 결정받지", "조실이 언제로 결정받지"),
        ("모이마 오늘 뭐 했지", "오늘 뭐 했지"),
        ("모님아 정리해 줘", "정리해 줘"),
        ("모 임아 요약해 줘", "요약해 줘"),
        ("저기 모임님 요약해 주세요", "요약해 주세요"),
        ("모임, 출시일 알려줘", "출시일 알려줘"),
        ("출시일이 언제였지 모임아", "출시일이 언제였지"),
        ("모임아", ""),
        ("Moim, what did we decide?", "what did we decide?"),
        ("moym what did we decide", "what did we decide"),
        ("Mo im, list actions", "list actions"),
        ("Hey Moim, summarize", "summarize"),
        ("What did we decide, Moim?", "What did we decide"),
    ],
)
def test_the_wake_word_is_heard_and_taken_off(text: str, rest: str) -> None:
    assert wake(text, WAKE) == rest


@pytest.mark.parametrize(
    "text",
    [
        "모임은 몇 시에 시작하나요",
        "모임이 언제죠",
        "모임 장소는 어디예요",
        "내일 다 같이 모이자",
        "우리 모임",
        "Mom, can you hear me",
        "more servers would help",
        "",
    ],
)
def test_what_only_looks_like_the_wake_word_is_not(text: str) -> None:
    assert wake(text, WAKE) is None


def test_the_garbled_question_is_still_a_question() -> None:
    rest = wake("모임아 조실이 언제로 결정받지", WAKE)
    assert rest is not None
    assert is_question(rest)


@pytest.mark.parametrize(
    "text",
    [
        "출시일이 언제로 결정됐지?",
        "요약해 줘",
        "민지 님이 뭐라고 했지?",
        "박준호가 맡은 일은 뭐야?",
        "what did we decide about the second server?",
        "What did Ben say?",
        "list the action items",
        "/me 출시일은?",
        "모임아 그냥 인사야",
    ],
)
def test_chat_for_the_agent(text: str) -> None:
    assert for_agent(text, wake_words=WAKE, participant_names=NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "@Ben can you?",
        "민지님, 언제 하나요?",
        "준호 씨는 언제 시작하나요?",
        "준호야 언제 와?",
        "언제 하나요, 민지님?",
        "Ben, can you send it?",
        "Ben can you do it?",
        "Can you do it, Ben?",
        "Everyone, can you hear me?",
        "넘어가죠",
        "hello all",
        "",
    ],
)
def test_chat_for_somebody_else_or_nobody(text: str) -> None:
    assert not for_agent(text, wake_words=WAKE, participant_names=NAMES)


@pytest.mark.parametrize(
    ("mode", "text", "taken"),
    [
        ("mentions", "출시일이 언제야?", False),
        ("mentions", "Moim, when is it?", True),
        ("all", "출시는 금요일입니다", True),
        ("all", "Ben, nice work", False),
    ],
)
def test_modes(mode: ChatMode, text: str, taken: bool) -> None:
    assert for_agent(text, mode=mode, wake_words=WAKE, participant_names=NAMES) is taken


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("/pause", "pause"),
        ("/RESUME ", "resume"),
        ("/leave", "leave"),
        ("잠깐 멈춰", "pause"),
        ("녹음 중지해 줘", "pause"),
        ("stop listening", "pause"),
        ("can you pause the recording?", "pause"),
        ("다시 시작해", "resume"),
        ("resume", "resume"),
        ("please leave the meeting", "leave"),
        ("회의에서 나가 주세요", "leave"),
    ],
)
def test_orders(text: str, name: str) -> None:
    order = command(text)
    assert order is not None
    assert order.name == name


@pytest.mark.parametrize(
    "text",
    [
        "서버가 멈췄습니다",
        "다음 안건으로 넘어가겠습니다",
        "leave it for the next meeting",
        "/nope",
        "",
        "We stop the sale in May.",
    ],
)
def test_no_orders(text: str) -> None:
    assert command(text) is None


def test_me_keeps_its_question_and_words_need_an_address() -> None:
    order = command("/me 출시일은?")
    assert order is not None
    assert (order.name, order.rest) == ("me", "출시일은?")
    assert command("stop listening", addressed=False) is None
