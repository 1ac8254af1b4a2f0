"""Seed 002's memory in the prompt that a model is sent: the asker's profile, and three tiers by their shares."""

from __future__ import annotations

import pytest

from context.budget import EstimateTokenizer
from context.manager import ContextManager
from tests.fakes.llm import ScriptedModel
from tests.unit.agent.meetings import LINES, answered, meeting_of, put
from worker.agent.answering import Answerer
from worker.agent.calling import CalledModel
from worker.agent.desk import DeskSettings
from worker.agent.graph.parts import AnswerParts
from worker.agent.remembering import EntityPacks, ThreadMemory, packs_named

SAID = {
    "ko": ("저는 페니실린 알레르기가 있어요.", "혹시 와파린 드시는 분 계세요?", "딸이 천식이 있어요."),
    "en": ("I am allergic to penicillin.", "Does anyone take warfarin?", "My daughter has asthma."),
}
QUESTION = {"ko": "출시일이 언제로 결정됐어요?", "en": "When will a second server be added?"}
ANSWER = {"ko": "출시일은 십이월 이십이일입니다. [#3]", "en": "A second server is added this week. [#3]"}


def _meeting(language: str, turns: int) -> ContextManager:
    manager = meeting_of(LINES[language], people={"hana": "Hana Choi"})
    filler = "점심은 뭐예요?" if language == "ko" else "What is for lunch?"
    for number, text in enumerate([*SAID[language], *([filler] * turns)], 1):
        answered(manager, text, f"음 {number}.", by="hana")
    return manager


@pytest.mark.parametrize("tiers", ["1", "0"])
@pytest.mark.parametrize("language", ["ko", "en"])
async def test_profile_and_tiers_are_in_the_prompt_that_is_sent(language: str, tiers: str) -> None:
    model = ScriptedModel([ANSWER[language]])
    answerer = Answerer(
        CalledModel(model),
        DeskSettings(EstimateTokenizer()),
        parts=AnswerParts(
            memory=ThreadMemory(EntityPacks(packs_named(["meeting", "medical"])), EstimateTokenizer())
        ),
    )
    features = {"hierarchical_memory_enabled": tiers}
    await put(answerer, _meeting(language, 12), QUESTION[language], "hana", features=features)
    prompt = "\n".join(message.content for message in model.calls[0])
    assert "Hana Choi" in prompt
    assert ("allergies: Hana Choi: penicillin (×1)" in prompt) == (tiers == "1"), "semantic"
    assert ("Q1-5: " in prompt) == (tiers == "1"), "compressed"
    assert ("Q15: " in prompt) == (tiers == "1"), "working"
    told = prompt[prompt.index("<asker>") : prompt.index("</asker>")]
    told += "\n".join(line for line in prompt.splitlines() if line.startswith(("allergies:", "medications:")))
    assert "penicillin" in told
    assert "warfarin" not in told, "a question is nobody's fact"
    assert "asthma" not in told, "a daughter's asthma is not the asker's"
