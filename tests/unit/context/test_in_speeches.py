"""Answers out of long speeches: what stands near the subject, not whatever else the speaker said."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from context.answers import answer
from context.models import Utterance

ENGLISH = (
    "I am speaking for the northern district today.",
    "My colleagues have worked on this day and night.",
    "The last three hearings were a disgrace for everybody.",
    "Nobody in this hall can be proud of them.",
    "The chair knows that very well.",
    "The card statements show two payments on one evening at the hotel.",
    "The hospitality limit stands at 2200 a month.",
    "The hospitality limit was exceeded by 2000 on average.",
    "Thank you for the figures that your office sent.",
    "On another matter, the buses were late again.",
    "Children waited in the rain for an hour.",
    "I will come back to that next week.",
)
KOREAN = (
    "저는 북부 지역을 대표해서 말씀드립니다.",
    "동료들이 밤낮으로 이 일에 매달렸습니다.",
    "지난 청문회 세 번은 모두에게 부끄러운 자리였습니다.",
    "이 자리의 누구도 자랑스러워할 수 없습니다.",
    "의장님도 그 점을 잘 아실 겁니다.",
    "카드 내역을 보면 하루 저녁에 호텔에서 두 번 결제했습니다.",
    "접대비 한도는 월 220만 원입니다.",
    "접대비 한도를 평균 200만 원가량 초과했습니다.",
    "보내 주신 수치에 감사드립니다.",
    "다른 문제인데 버스가 또 늦었습니다.",
    "아이들이 비를 맞으며 한 시간을 기다렸습니다.",
    "그 얘기는 다음 주에 다시 하겠습니다.",
)


@pytest.mark.parametrize(
    ("sentences", "question", "name"),
    [
        (ENGLISH, "How was the hospitality limit exceeded?", "Ana"),
        (KOREAN, "접대비 한도를 어떻게 초과했나요?", "노종면"),
    ],
)
def test_of_a_speech_only_what_stands_near_the_subject_is_quoted(
    sentences: tuple[str, ...], question: str, name: str
) -> None:
    speech = Utterance(
        id=1,
        speaker_id=name,
        speaker_name=name,
        text=" ".join(sentences),
        start_ms=0,
        end_ms=60_000,
        absolute_timestamp=datetime(2026, 3, 2, 9, 0, tzinfo=UTC),
    )
    told = answer(question, utterances=[speech])
    assert sentences[7].rstrip(".") in told.text
    for far in (*sentences[:4], *sentences[10:]):
        assert far.rstrip(".") not in told.text
