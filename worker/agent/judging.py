"""Did the topic change? A language model's verdict, where the cheap detectors disagree."""

from __future__ import annotations

import asyncio

import structlog
from pydantic import BaseModel, field_validator

from context.effects import JudgeTopic
from context.events import TopicJudged
from context.ports import ChatMessage, PortError
from worker.agent.calling import CalledModel
from worker.agent.deadline import Deadlines
from worker.agent.quoting import QUOTED_SPEECH_RULE, block, quoted, utterance_block
from worker.agent.structured import Unusable, ask

log = structlog.get_logger(__name__)

_INSTRUCTION = """\
You judge whether the topic of a meeting changed. 최근 발화를 보고 회의 주제가 바뀌었는지 판단하세요.
{rule}

Criteria / 분석 기준:
1. Was the topic clearly changed (e.g. "다음 안건으로 넘어가죠", "let's move on to the budget")?
2. Did the thing under discussion change (project A to project B)?
3. Did a question get settled and a new one begin?
A detail, an example or a joke within the same matter is no change.

Answer in JSON: topic_changed, previous_topic, current_topic (a short noun phrase in the language of the
utterances), confidence (0.0 to 1.0), reason."""


class TopicVerdict(BaseModel):
    """Seed 000's answer to the detection prompt."""

    topic_changed: bool
    previous_topic: str | None = None
    current_topic: str | None = None
    confidence: float = 0.0
    reason: str = ""

    @field_validator("confidence")
    @classmethod
    def _within_bounds(cls, value: float) -> float:
        # A model that says 95 means percent; either way the verdict itself is what counts.
        return min(1.0, max(0.0, value / 100 if value > 1 else value))


class TopicJudge:
    """Answers `JudgeTopic` effects."""

    def __init__(self, model: CalledModel | None, *, deadlines: Deadlines | None = None) -> None:
        self._model = model
        self._deadlines = deadlines or Deadlines()

    async def judge(self, effect: JudgeTopic) -> TopicJudged | None:
        """The verdict; "unchanged" with the reason where the model failed; None without a model."""
        if self._model is None:
            return None
        try:
            async with asyncio.timeout(self._deadlines.judge_s):
                verdict = await ask(
                    self._model, _messages(effect), TopicVerdict, name="topic_change", max_tokens=300
                )
        except TimeoutError:
            self._model.gave_up()
            return _unjudged(effect, "timeout")
        except PortError as error:
            log.warning("topic_judge_failed", error=str(error))
            return _unjudged(effect, "parse_error" if isinstance(error, Unusable) else "unavailable")
        name = " ".join((verdict.current_topic or "").split())[:60]
        return TopicJudged(
            at_utterance=effect.at_utterance,
            changed=verdict.topic_changed,
            name=name or None,
            confidence=verdict.confidence,
            reason=verdict.reason[:300],
        )


def _messages(effect: JudgeTopic) -> list[ChatMessage]:
    previous = block("previous_summary", quoted(effect.previous_topic_summary) or "(첫 토픽 / first topic)")
    return [
        ChatMessage(role="system", content=_INSTRUCTION.format(rule=QUOTED_SPEECH_RULE)),
        ChatMessage(role="user", content=f"{previous}\n\n{utterance_block(effect.recent)}"),
    ]


def _unjudged(effect: JudgeTopic, why: str) -> TopicJudged:
    return TopicJudged(at_utterance=effect.at_utterance, changed=False, reason=why)
