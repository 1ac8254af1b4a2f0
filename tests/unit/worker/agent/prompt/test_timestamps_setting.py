"""`CONTEXT_L0_INCLUDE_TIMESTAMPS=0`: no line that a model is shown tells its time, whatever it is asked for.

Through `Thinking`, as it is wired.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from context.budgets.tokens import ExactTokenizer
from context.events.effects import JudgeTopic
from context.ports import ChatMessage
from tests.unit.worker.agent.meetings import LINES, Room, asked, meeting_of, said
from worker.agent.calls.calling import CalledModel
from worker.bootstrap.language_models import LanguageModels
from worker.bootstrap.thinking import Thinking
from worker.configuration.settings import Settings

QUESTION = {"ko": "결제 테스트 계획은 언제 공유하나요?", "en": "Who orders the server?"}
ANSWER = {
    "ko": "결제 테스트 계획은 금요일까지 공유합니다. [#4]\n",
    "en": "Ben orders the server tomorrow and reports on Thursday. [#4]\n",
}
GRADE = {"completeness_score": 9, "overall_quality": 0.9}
VERDICTS = {"verdicts": [{"claim": 1, "verdict": "supported"}]}
TIMED = re.compile(r"^\[#\d+\] \(\d\d:\d\d:\d\d\) ", re.MULTILINE)


class ByPurpose:
    """A model that answers by what it is asked for, and keeps what it was shown for it."""

    name = "by purpose"

    def __init__(self, language: str) -> None:
        self._answer = ANSWER[language]
        self.shown: dict[str, str] = {}

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncIterator[str]:
        self.shown[name] = messages[-1].content
        yield self._answer

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        self.shown[name] = messages[-1].content
        return json.dumps({"quality": GRADE, "verification": VERDICTS}.get(name, {"topic_changed": False}))


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize("language", ["ko", "en"])
async def test_every_prompt_tells_times_as_the_setting_says(language: str, shown: bool) -> None:
    settings = Settings.from_env(
        {
            "LLM_ENGINE": "openai",
            "LLM_MODEL": "m",
            "LLM_BASE_URL": "http://localhost:1/v1",
            "CONTEXT_L0_INCLUDE_TIMESTAMPS": str(int(shown)),
            "MOIM_FEATURE_LLM_BASED_QUALITY_CHECK": "1",
        }
    )
    model = ByPurpose(language)
    called = CalledModel(model)
    thinks = Thinking(LanguageModels(called, called, called), ExactTokenizer(), settings)
    recent = said(LINES[language])
    await thinks.judge(JudgeTopic(at_utterance=4, recent=recent, previous_topic_summary=""))
    manager = meeting_of(LINES[language], config=settings.context)
    reply = await thinks.answer(asked(QUESTION[language]), manager, Room().open_reply, now_ms=lambda: 9999)
    assert reply.evidence == (4,)
    timed = {purpose: bool(TIMED.search(prompt)) for purpose, prompt in model.shown.items()}
    assert timed == dict.fromkeys(("topic_detection", "answer", "quality", "verification"), shown)
