"""The slow work beside the fold: summaries, verdicts, answers, by whichever engine is configured."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import tzinfo
from zoneinfo import ZoneInfo

from context import effects, events
from context.budget import ExactTokenizer, encoding_for
from context.models import Invocation
from context.ports import Tokenizer
from worker.agent.answering import Answerer
from worker.agent.calling import CalledModel
from worker.agent.closing import closing_summary
from worker.agent.desk import MeetingDesks
from worker.agent.judging import TopicJudge
from worker.agent.metered import MeteredModel
from worker.agent.summarising import Summariser
from worker.metrics import Metrics
from worker.session import Session
from worker.settings import Settings


class Thinking:
    """A `Thinker`; holds no state of any meeting."""

    def __init__(
        self,
        model: CalledModel | None,
        tokenizer: Tokenizer,
        settings: Settings,
        *,
        zone: tzinfo | None = None,
        on_prompt: Callable[[int], None] = lambda _tokens: None,
    ) -> None:
        """`zone`: of the times of day that are told; by default the settings'. `on_prompt`: see desks."""
        self.tokenizer = tokenizer
        self._zone = zone or ZoneInfo(settings.agent.time_zone)
        self._model, self._language = model, settings.agent.language
        self._summariser = Summariser(
            model, tokenizer=tokenizer, max_tokens=settings.context.l1_summary_max_tokens
        )
        self._judge = TopicJudge(model)
        desks = MeetingDesks(
            tokenizer,
            model_name=model.name if model else None,
            wake_words=settings.agent.wake_words,
            zone=self._zone,
            on_prompt=on_prompt,
        )
        self._answerer = Answerer(model, desks, zone=self._zone)

    @property
    def judges(self) -> bool:
        """Is there a model that breaks ties between the cheap detectors?"""
        return self._model is not None

    def degraded(self) -> list[str]:
        """What works less well than configured."""
        resting = self._model is not None and self._model.is_resting
        return ["llm: resting after failures, answers are extractive"] if resting else []

    async def summarise(self, effect: effects.Summarise) -> events.SummaryReady | events.SummaryFailed:
        """Carry out a summary job; never raises."""
        return await self._summariser.summarise(effect, language=self._language)

    async def judge(self, effect: effects.JudgeTopic) -> events.TopicJudged | None:
        """Give a verdict, or none."""
        return await self._judge.judge(effect)

    async def answer(
        self, invocation: Invocation, session: Session
    ) -> events.AnswerGiven | events.AnswerDropped:
        """Answer into the session's outlet."""
        reply = await self._answerer.answer(
            invocation, session.manager, session.outlet.open_reply, now_ms=session.now_ms
        )
        return events.AnswerGiven(reply=reply)

    def closing_text(self, session: Session) -> str:
        """The closing summary, from what is known now."""
        return closing_summary(session.manager.meeting, self._language, zone=self._zone)


@asynccontextmanager
async def thinking(
    settings: Settings, metrics: Metrics, *, zone: tzinfo | None = None
) -> AsyncIterator[Thinking]:
    """The configured engine, its connections closed at the end."""
    llm = settings.llm
    tokenizer = ExactTokenizer(encoding_for(llm.model))
    if llm.engine == "extractive":
        yield Thinking(None, tokenizer, settings, zone=zone)
        return
    from worker.adapters.openai_llm import OpenAILanguageModel, Usage

    def count(usage: Usage) -> None:
        metrics.llm_usage(prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens)

    model = OpenAILanguageModel(
        base_url=llm.base_url or None, api_key=llm.api_key, model=llm.model, on_usage=count
    )
    try:
        called = CalledModel(MeteredModel(model, metrics))
        yield Thinking(called, tokenizer, settings, zone=zone, on_prompt=metrics.context_tokens)
    finally:
        await model.aclose()
