"""Questions to the agent as a base speech model writes them."""

from __future__ import annotations

from context.language.questions import asked
from tests.unit.cases import cases
from worker.room.orders import VoiceCalls


@cases
def test_asked(heard: str, question: str) -> None:
    assert asked(heard) == question


@cases
def test_nothing_is_asked(heard: str) -> None:
    assert asked(heard) is None


def test_a_garbled_call_reaches_the_agent() -> None:
    calls = VoiceCalls(["모임", "Moim"])
    assert calls.hear("seoyeon", "모임아 조실이 안제로 결정받지", 0, 3000) == "조실이 언제로 결정받지"
    assert calls.hear("minji", "조실이 안제로 결정받지", 4000, 7000) is None, "nobody was called"
