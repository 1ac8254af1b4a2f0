"""Greetings, headings and announcements are no key points; short facts are."""

from __future__ import annotations

import pytest

from context.extractive import summarise
from context.extractive.openings import says_nothing
from context.models import Summary
from tests.unit.context.test_decisions import utter

GREETINGS = [
    "Good morning everyone, thanks for joining.",
    "First, onboarding.",
    "Intro",
    "Right, item three.",
    "Let me share my screen.",
    "먼저 신입 교육.",
    "안녕하세요 여러분.",
    "자, 그럼 시작하겠습니다.",
    "오늘 안건은 세 가지입니다.",
    "마지막으로 보안.",
    "Fine with me.",
    "Sounds good.",
    "오늘은 여기까지 할게요.",
    "네, 그게 낫겠어요.",
]
FACTS = [
    "The server was down for two hours.",
    "First we lost the database in the night.",
    "Next week is a public holiday.",
    "서버가 두 시간 동안 내려가 있었습니다.",
    "먼저 서버가 내려갔어요.",
    "다음 주에 배포가 있습니다.",
    "오늘 회의 자료에 오류가 있었어요.",
    "Good weather is forecast for Friday.",
    "좋은 자리가 두 개 남았어요.",
]


@pytest.mark.parametrize("text", GREETINGS)
def test_a_greeting_or_a_heading_is_no_key_point(text: str) -> None:
    assert says_nothing(text)
    summary = summarise(Summary(), [utter(1, "a", text), utter(2, "b", FACTS[0]), utter(3, "b", FACTS[3])])
    told = [point.text for point in (*summary.key_points, *summary.sentences)]
    assert told
    assert not any(text.strip(".") in point for point in told)


@pytest.mark.parametrize("text", FACTS)
def test_a_short_fact_is_one(text: str) -> None:
    assert not says_nothing(text)
    assert [point.text for point in summarise(Summary(), [utter(1, "a", text)]).key_points] == [text]
