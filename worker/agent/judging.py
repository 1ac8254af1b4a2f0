"""A language model's verdict on whether the topic changed, asked for where the cheap detectors disagree."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog
from pydantic import BaseModel, field_validator

from context.budget import EstimateTokenizer, shared
from context.budgets.configuration import BudgetConfig
from context.effects import JudgeTopic
from context.events import TopicJudged
from context.models import PromptRecord
from context.ports import ChatMessage, PortError, Tokenizer
from context.text import inert_name
from context.topic_detector import TOPIC_DETECTION_PROMPT
from worker.agent.calling import CalledModel, Deadlines
from worker.agent.quoting import quoted, utterance_line
from worker.agent.structured import Unusable, ask

log = structlog.get_logger(__name__)

PURPOSE: Final = "topic_detection"
SHOWN_TOKENS: Final = sum(BudgetConfig().shares(PURPOSE).values())
"""Tokens that a judge of topics is shown by default: 8K hold them with rules, verdict and repair."""
SURE: Final = 0.5
"""The least confidence of a change that counts (the seeds name none): less is a guess."""


class TopicVerdict(BaseModel):
    """A model's answer to seed 000's detection prompt (`TOPIC_DETECTION_PROMPT`); `confidence` is 0 to 1."""

    topic_changed: bool
    previous_topic: str | None = None
    current_topic: str | None = None
    confidence: float = 0.0
    reason: str = ""

    @field_validator("confidence")
    @classmethod
    def _within_bounds(cls, value: float) -> float:
        # A model that says 95 means percent.
        return min(1.0, max(0.0, value / 100 if value > 1 else value))


class TopicJudge:
    """Carries out `JudgeTopic` effects: asks a model whether the topic has changed."""

    def __init__(
        self,
        model: CalledModel | None,
        *,
        tokenizer: Tokenizer | None = None,
        prompt_tokens: int = SHOWN_TOKENS,
        deadlines: Deadlines | None = None,
    ) -> None:
        """`prompt_tokens`: the most that the model is shown, as `tokenizer` (or an estimate) counts."""
        self._model = model
        self._tokenizer = tokenizer or EstimateTokenizer()
        self._prompt_tokens = prompt_tokens
        self._deadlines = deadlines or Deadlines()

    async def judge(self, effect: JudgeTopic) -> TopicJudged | None:
        """The model's verdict as an event; None without a model. Never raises, but when cancelled.

        Where the model failed or is not sure the topic counts as unchanged, and `reason` says why.
        """
        if self._model is None:
            return None
        prompts: list[PromptRecord] = []
        verdict, why = TopicVerdict(topic_changed=False), ""
        try:
            async with asyncio.timeout(self._deadlines.judge_s):
                verdict = await ask(
                    self._model,
                    self._messages(effect),
                    TopicVerdict,
                    name=PURPOSE,
                    max_tokens=300,
                    tokenizer=self._tokenizer,
                    on_prompt=prompts.append,
                )
        except TimeoutError:
            self._model.gave_up(PURPOSE)
            why = "timeout"
        except PortError as error:
            log.warning("topic_judge_failed", error=str(error))
            why = "parse_error" if isinstance(error, Unusable) else "unavailable"
        name = inert_name(verdict.current_topic or "")[:60]
        # Weighed before it is recorded: the record says what held, and an old one folds as it did.
        unsure = verdict.topic_changed and verdict.confidence < SURE
        return TopicJudged(
            at_utterance=effect.at_utterance,
            changed=verdict.topic_changed and not unsure,
            name=name or None,
            confidence=verdict.confidence,
            reason=why or ("not sure: " if unsure else "") + verdict.reason[:300],
            prompts=tuple(prompts),
        )

    def _messages(self, effect: JudgeTopic) -> list[ChatMessage]:
        before, *lines = shared(
            [quoted(effect.previous_topic_summary), *(utterance_line(said) for said in effect.recent)],
            self._prompt_tokens,
            self._tokenizer,
        )
        prompt = TOPIC_DETECTION_PROMPT.format(
            previous_topic_summary=before or "(첫 토픽 / first topic)", recent_utterances="\n".join(lines)
        )
        return [ChatMessage(role="user", content=prompt)]
