"""Questions to the agent as a base speech model writes them."""

from __future__ import annotations

import pytest

from context.language.questions import asked
from worker.room.orders import VoiceCalls


@pytest.mark.parametrize(
    ("heard", "question"),
    [
        ("조실이 언제로 결정받지", "조실이 언제로 결정받지"),
        ("조실이 안제로 결정받지", "조실이 언제로 결정받지"),
        ("조실이 한 제로 결정받지", "조실이 언제로 결정받지"),
        ("예산은 알마였지", "예산은 얼마였지"),
        ("한 제품만 내기로 결정했지", "한 제품만 내기로 결정했지"),
        ("그 안 제가 설명했지", "그 안 제가 설명했지"),
        ("출시일이 엔제야", "출시일이 언제야"),
        ("캐시 도입은 결정됐지", "캐시 도입은 결정됐지"),
        ("what did we decide about the second server", "what did we decide about the second server"),
    ],
)
def test_asked(heard: str, question: str) -> None:
    assert asked(heard) == question


@pytest.mark.parametrize(
    "heard",
    [
        "그렇지",
        "그렇죠",
        "고마워요",
        "수고했어요",
        "이제 회의를 시작하죠",
        "이제 시작하겠습니다",
        "thank you",
        "",
    ],
)
def test_nothing_is_asked(heard: str) -> None:
    assert asked(heard) is None


def test_a_garbled_call_reaches_the_agent() -> None:
    calls = VoiceCalls(["모임", "Moim"])
    assert calls.hear("seoyeon", "모임아 조실이 안제로 결정받지", 0, 3000) == "조실이 언제로 결정받지"
    assert calls.hear("minji", "조실이 안제로 결정받지", 4000, 7000) is None, "nobody was called"
