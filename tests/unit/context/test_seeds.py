"""What `context.seeds` offers is called as its design document shows."""

from __future__ import annotations

import json
from typing import Final

import pytest

from context import (
    ContextBuilder,
    ContextConfig,
    ContextManager,
    Participant,
    TopicDetector,
    Utterance,
    format_context_as_system_prompt,
)
from tests.fakes.llm import ScriptedModel
from tests.fakes.store import FakeStore
from tests.unit.context.samples import utter

SAID: Final = {
    "ko": ("배포는 언제 합니까?", "월요일에 합니다.", "다음 안건으로 넘어가죠."),
    "en": ("When do we deploy?", "On Monday.", "Let's move on to hiring."),
}
each_language = pytest.mark.parametrize("language", ["ko", "en"])


def lines(language: str) -> list[Utterance]:
    speakers = ("minji", "junho", "minji")
    return [
        utter(number, who, text)
        for number, (who, text) in enumerate(zip(speakers, SAID[language], strict=True), 1)
    ]


@each_language
async def test_a_manager_stands_alone(language: str) -> None:
    store = FakeStore()
    epoch = store.record.open_meeting("meeting-1")
    manager = ContextManager("meeting-1", ContextConfig(), store=store, epoch=epoch)
    for utterance in lines(language):
        await manager.add_utterance(utterance)
    assert [u.text for u in manager.get_l0_utterances(limit=2)] == list(SAID[language][1:])
    assert manager.speaker_context.interaction_matrix == {("minji", "junho"): 1, ("junho", "minji"): 1}
    buffers = manager.speaker_context.speaker_buffers
    assert {who: [u.id for u in said] for who, said in buffers.items()} == {"minji": [1, 3], "junho": [2]}
    await manager._sync_to_db()
    again = ContextManager("meeting-1", store=store, epoch=epoch)
    assert await again.restore_from_db()
    assert again.get_l0_utterances() == manager.get_l0_utterances()
    assert again.speaker_context.speaker_buffers == buffers


@each_language
async def test_a_detector_is_asked(language: str) -> None:
    verdict = {
        "topic_changed": True,
        "current_topic": "채용" if language == "ko" else "hiring",
        "confidence": 0.9,
    }
    detector = TopicDetector(config=ContextConfig(), llm=ScriptedModel([json.dumps(verdict)]))
    assert [detector.quick_check(text) for text in SAID[language]] == [False, False, True]
    result = await detector.detect(recent_utterances=lines(language), previous_topic_summary="")
    assert (result.topic_changed, result.current_topic) == (True, verdict["current_topic"])
    assert (await TopicDetector().detect(lines(language))).reason == "no_change_detected"


@each_language
async def test_a_context_is_written_out(language: str) -> None:
    manager = ContextManager(meeting_id="meeting-1")
    for utterance in lines(language):
        await manager.add_utterance(utterance)
    people = [Participant(user_id="minji", name="김민지")]
    context = ContextBuilder().build_context("IMMEDIATE_RESPONSE", manager, participants=people)
    text = format_context_as_system_prompt(context, language=language)
    assert "meeting-1" in text
    assert "- 김민지 (observer)" in text
    assert all(said in text for said in SAID[language])
