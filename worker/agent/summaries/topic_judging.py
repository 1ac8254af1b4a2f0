"""A language model's verdict on whether the topic changed, asked for where the detectors are unsure."""

from __future__ import annotations

import asyncio

import structlog

from context.budgets.tokens import EstimateTokenizer
from context.events.effects import JudgeTopic
from context.events.topic_events import TopicJudged
from context.models import PromptRecord
from context.ports import PortError, Tokenizer
from context.topic_detector import (
    PURPOSE,
    REPLY_TOKENS,
    SHOWN_TOKENS,
    TopicChangeResult,
    TopicVerdict,
    detection_messages,
    weighed,
)
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadlines
from worker.agent.calls.structured import Unusable, ask

log = structlog.get_logger(__name__)


class TopicJudge:
    """Carries out `JudgeTopic` effects: asks a model whether the topic has changed."""

    def __init__(
        self,
        model: CalledModel | None,
        *,
        tokenizer: Tokenizer | None = None,
        prompt_tokens: int = SHOWN_TOKENS,
        deadlines: Deadlines | None = None,
        timestamps: bool = True,
        language: str = "auto",
    ) -> None:
        """`prompt_tokens`: the most that the model is shown, as `tokenizer` (or an estimate) counts.

        `timestamps`: whether the utterances tell their times of day. `language`: of the prompt, `ko`, `en`,
        or `auto` for that of the utterances.
        """
        self._model = model
        self._tokenizer = tokenizer or EstimateTokenizer()
        self._prompt_tokens = prompt_tokens
        self._deadlines = deadlines or Deadlines()
        self._timestamps, self._language = timestamps, language

    async def judge(self, effect: JudgeTopic, *, by_rules: bool = False) -> TopicJudged | None:
        """The model's verdict as an event; None without a model. Never raises, but when cancelled.

        Where the model failed, is not sure or, `by_rules`, is not to be asked, the topic counts as unchanged,
        and `reason` says why.
        """
        if self._model is None:
            return None
        if by_rules:
            unchanged = TopicChangeResult(topic_changed=False)
            return TopicJudged(
                at_utterance=effect.at_utterance,
                changed=False,
                name=unchanged.current_topic,
                confidence=unchanged.confidence,
                reason="tokens_spent",
            )
        verdict, why, prompts = await self._asked(effect, self._model)
        # Weighed before it is recorded: the record says what held, and an old one folds as it did.
        held = weighed(verdict)
        return TopicJudged(
            at_utterance=effect.at_utterance,
            changed=held.topic_changed,
            name=held.current_topic,
            confidence=held.confidence,
            reason=why or held.reason,
            prompts=prompts,
        )

    async def _asked(
        self, effect: JudgeTopic, model: CalledModel
    ) -> tuple[TopicChangeResult, str, tuple[PromptRecord, ...]]:
        """What the model says, why it said nothing ("" where it did), and what it was asked."""
        messages = detection_messages(
            effect.recent,
            effect.previous_topic_summary,
            tokens=self._prompt_tokens,
            tokenizer=self._tokenizer,
            timestamps=self._timestamps,
            at=effect.at_utterance,
            language=self._language,
        )
        prompts: list[PromptRecord] = []
        verdict, why = TopicChangeResult(topic_changed=False), ""
        try:
            async with asyncio.timeout(self._deadlines.judge_s):
                verdict_draft = await ask(
                    model,
                    messages,
                    TopicVerdict,
                    name=PURPOSE,
                    max_tokens=REPLY_TOKENS,
                    tokenizer=self._tokenizer,
                    on_prompt=prompts.append,
                )
            verdict = TopicChangeResult(**verdict_draft.model_dump())
        except TimeoutError:
            model.gave_up(PURPOSE)
            why = "timeout"
        except PortError as error:
            log.warning("topic_judge_failed", error=str(error))
            why = "parse_error" if isinstance(error, Unusable) else "unavailable"
        return verdict, why, tuple(prompts)
