"""Puts together who does a meeting's slow work: summaries, verdicts and answers, by the configured engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import tzinfo
from typing import Final
from zoneinfo import ZoneInfo

import structlog

from context.answer_cache.kept_answers import LookUp
from context.budgets.compression import Compression
from context.budgets.tokens import ModelBudget
from context.corpora.passage import Retriever
from context.events import effects, events
from context.events.topic_events import SummaryFailed, SummaryReady, TopicJudged
from context.fold.meeting import Meeting
from context.manager import ContextManager
from context.plain.answer_inputs import Thresholds
from context.ports import Embedder, Tokenizer
from context.thread.summaries import ThreadPolicy
from context.thread.thread import Thread
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadlines
from worker.agent.calls.hourly_tokens import HourlyTokens
from worker.agent.calls.verifying import Verifier
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.prompt.compressing import PassageCompressor
from worker.agent.question.answer_memory import CachedAnswers
from worker.agent.question.encoder import Encoder
from worker.agent.question.question_context import QuestionContextSettings, read_up
from worker.agent.question.remembering import EntityPacks, ThreadMemory
from worker.agent.summaries.closing_summary import closing_summary
from worker.agent.summaries.summarising import Summariser
from worker.agent.summaries.thread_summarising import ThreadSummariser
from worker.agent.summaries.topic_judging import TopicJudge
from worker.bootstrap.language_models import LanguageModels, language_models, model_budget, tokenizer_of
from worker.bootstrap.packs import packs_named
from worker.configuration.settings import Settings
from worker.monitoring.metrics import Metrics
from worker.record.restoring import minutes_url

log = structlog.get_logger(__name__)

_RULES_TOKENS: Final = 1_600
"""What a summary's rules and schema, and a wrong reply that is sent back, take of its prompt."""
_MIN_SPAN_TOKENS: Final = 300
"""Tokens of utterances that a summary's prompt shows at least, however small the window is."""
ANSWER_TOKENS: Final = 1_000
"""An answer is no longer than this, whatever its model could say."""


class Uncounted:
    """Stands in for the process's `Metrics` where nothing is counted: the rehearsal before the first job."""

    def context_tokens(self, tokens: int) -> None:
        """See `Metrics`."""

    def answer_step(self, step: str, took_s: float) -> None:
        """See `Metrics`."""

    def statement_dropped(self, fault: str) -> None:
        """See `Metrics`."""

    def budget_spent(self) -> None:
        """See `Metrics`."""


class Thinking:
    """The `Thinker` of a process, for all its meetings; holds no state of any."""

    def __init__(
        self,
        models: LanguageModels | None,
        tokenizer: Tokenizer,
        settings: Settings,
        *,
        metrics: Metrics | None = None,
        parts: AnswerParts | None = None,
        encoder: Encoder | None = None,
        deadlines: Deadlines | None = None,
    ) -> None:
        """Without `models` summaries and answers are made of quotes.

        `metrics`: None where nothing is counted. `parts`: what answers work with beside the meeting
        (`answer_parts`). `encoder`: see `QuestionContextSettings`.
        """
        self.tokenizer = tokenizer
        self._zone = ZoneInfo(settings.agent.time_zone)
        self._models, self._language = models, settings.agent.language
        self._settings = settings
        counted = metrics or Uncounted()
        answers, summaries, verdicts = models or (None, None, None)
        budgets = settings.budgets
        self._thread_summariser = ThreadSummariser(
            summaries, tokenizer=tokenizer, budget=_budget(settings, summaries), budgets=budgets
        )
        self._verifier = _verifier(verdicts, tokenizer, settings)
        self._judge = _topic_judge(verdicts, tokenizer, settings)
        self._summariser = _summariser(
            summaries, tokenizer, settings, self._verifier, on_dropped=counted.statement_dropped
        )
        budget = _budget(settings, answers)
        self._thread_policy = ThreadPolicy(**dict(settings.thread), share_tokens=budgets.thread_share(budget))
        context_settings = _context_settings(
            settings, tokenizer, budget, encoder, on_prompt=counted.context_tokens
        )
        self._hourly = HourlyTokens(settings.agent.tokens_per_hour, on_spent=counted.budget_spent)
        answerer = Answerer(
            answers,
            context_settings,
            max_tokens=min(ANSWER_TOKENS, budget.answer),
            features=settings.features.features(),
            judge=verdicts,
            judged_tokens=_budget(settings, verdicts).shown,
            parts=parts or AnswerParts(),
            on_step=counted.answer_step,
            deadlines=replace(deadlines or Deadlines(), verify_s=settings.agent.verify_s),
            verifier=self._verifier,
            hourly=self._hourly,
        )
        self.reader, self.answer = answerer.reader, answerer.answer
        """Read the questions, and answer them: see `Thinker.reader`, `SlowWork.answer`."""

    @property
    def judges(self) -> bool:
        """Whether there is a language model, which judges topics where the cheap detectors disagree."""
        return self._models is not None

    @property
    def missed_work(self) -> list[str]:
        """What was done without the configured models so far, and why, a line each."""
        return self._models.missed_work if self._models else []

    def degraded(self) -> list[str]:
        """What works less well than configured, a line each; empty where all is well."""
        troubles = self._models.troubles if self._models else []
        return [f"llm: {trouble}: its work is done without it" for trouble in troubles]

    def is_spent(self, meeting: Meeting, at_ms: int) -> bool:
        """See `SlowWork.is_spent`."""
        return self._models is not None and self._hourly.are_spent(meeting, at_ms)

    async def summarise(
        self, effect: effects.Summarise, *, by_rules: bool = False
    ) -> SummaryReady | SummaryFailed:
        """See `SlowWork.summarise`."""
        return await self._summariser.summarise(effect, language=self._language, by_rules=by_rules)

    def thread_tuning(self, thread: Thread) -> events.ThreadTuned | None:
        """The event that gives a thread this process's settings, but for its rate; None where it has them."""
        wanted = self._thread_policy.model_copy(update={"compression_rate": thread.policy.compression_rate})
        if wanted == thread.policy:
            return None
        return events.ThreadTuned(**wanted.model_dump(exclude={"compression_rate"}))

    async def summarise_thread(
        self, effect: effects.SummariseThread, *, at_ms: int, by_rules: bool = False
    ) -> events.ThreadSummaryReady | events.ThreadSummaryFailed:
        """See `SlowWork.summarise_thread`."""
        return await self._thread_summariser.summarise(
            effect, language=self._language, at_ms=at_ms, by_rules=by_rules
        )

    async def keep_read(self, manager: ContextManager, *, every_s: float = 1.0) -> None:
        """Keep the meeting's index of words up to date until cancelled, so that no asker waits for it.

        The first question after 300 utterances would read them all while its asker waits: 10 to 20 ms.
        """
        while True:
            await asyncio.sleep(every_s)
            try:
                await read_up(manager)
            except Exception:
                log.exception("index_not_read_up")  # a question tries again, and says so to its asker

    async def judge(self, effect: effects.JudgeTopic, *, by_rules: bool = False) -> TopicJudged | None:
        """See `SlowWork.judge`."""
        return await self._judge.judge(effect, by_rules=by_rules)

    def closing_text(self, meeting: Meeting) -> str:
        """See `Thinker.closing_text`."""
        url = minutes_url(self._settings, meeting.meeting_id)
        return closing_summary(meeting, self._language, zone=self._zone, minutes_url=url)


@asynccontextmanager
async def thinking(
    settings: Settings,
    metrics: Metrics,
    *,
    embedder: Embedder | None = None,
    retriever: Retriever | None = None,
    encoder: Encoder | None = None,
    deadlines: Deadlines | None = None,
    tokenizer: Tokenizer | None = None,
) -> AsyncIterator[Thinking]:
    """The `Thinking` of a process with its configured models, whose connections are closed at the end.

    What else it takes is for answers: see `Thinking` and `answer_parts`.
    """
    tokenizer = tokenizer or tokenizer_of(settings)
    async with language_models(settings, metrics) as models:
        yield Thinking(
            models,
            tokenizer,
            settings,
            metrics=metrics,
            encoder=encoder,
            deadlines=deadlines,
            parts=answer_parts(
                settings,
                tokenizer,
                models=models,
                zone=ZoneInfo(settings.agent.time_zone),
                embedder=embedder,
                retriever=retriever,
                on_look_up=metrics.cache_look_up,
                on_compression=metrics.compressed,
            ),
        )


def _context_settings(
    settings: Settings,
    tokenizer: Tokenizer,
    budget: ModelBudget,
    encoder: Encoder | None,
    *,
    on_prompt: Callable[[int], None],
) -> QuestionContextSettings:
    """Make what tells how the context of a question is put together, for a model of this budget."""
    return QuestionContextSettings(
        tokenizer,
        budget=budget,
        wake_words=settings.agent.wake_words,
        zone=ZoneInfo(settings.agent.time_zone),
        on_prompt=on_prompt,
        tenant=settings.process.tenant,
        encoder=encoder,
        thresholds=Thresholds(settings.agent.answer_sure, settings.agent.answer_closest),
        budgets=settings.budgets,
    )


def _verifier(model: CalledModel | None, tokenizer: Tokenizer, settings: Settings) -> Verifier:
    """Make what has a model verify statements and answers by what was said."""
    return Verifier(
        model,
        tokenizer=tokenizer,
        most_tokens=_budget(settings, model).shown,
        budgets=settings.budgets,
        zone=ZoneInfo(settings.agent.time_zone),
        timestamps=settings.context.l0_include_timestamps,
        wake_words=settings.agent.wake_words,
    )


def _topic_judge(model: CalledModel | None, tokenizer: Tokenizer, settings: Settings) -> TopicJudge:
    """Make what has a model judge topics where the cheap detectors disagree."""
    shares = settings.budgets.shares("topic_detection", _budget(settings, model).shown)
    return TopicJudge(
        model,
        tokenizer=tokenizer,
        prompt_tokens=sum(shares.values()),
        timestamps=settings.context.l0_include_timestamps,
        language=settings.agent.language,
    )


def _summariser(
    model: CalledModel | None,
    tokenizer: Tokenizer,
    settings: Settings,
    verifier: Verifier,
    *,
    on_dropped: Callable[[str], None],
) -> Summariser:
    """Make what summarises topics; `on_dropped` is told the fault of each statement that is left out."""
    most = settings.context.l1_summary_max_tokens
    # What a window leaves beside rules and the answer (three times a summary's text) bounds both.
    room = _budget(settings, model).window - 3 * most - _RULES_TOKENS
    shares = settings.budgets.shares("summary", room)
    return Summariser(
        model,
        tokenizer=tokenizer,
        max_tokens=most,
        shares={**shares, "transcript": max(_MIN_SPAN_TOKENS, shares["transcript"])},
        least_tokens=settings.agent.summary_least_tokens,
        verifier=verifier,
        on_dropped=on_dropped,
        wake_words=settings.agent.wake_words,
    )


def _budget(settings: Settings, model: CalledModel | None) -> ModelBudget:
    return model_budget(settings, model.name if model else "")


def answer_parts(
    settings: Settings,
    tokenizer: Tokenizer,
    *,
    models: LanguageModels | None,
    zone: tzinfo,
    embedder: Embedder | None = None,
    retriever: Retriever | None = None,
    on_look_up: Callable[[LookUp], None] = lambda _look_up: None,
    on_compression: Callable[[Compression], None] = lambda _made: None,
) -> AnswerParts:
    """The parts of a process for its answers: cache, compressor, entity packs, memory, and what is handed in.

    Nothing is connected or loaded before it is used, but MedCAT where it is configured. `zone`: the time zone
    in which the cache counts days. `on_look_up` is told how each look-up in the cache ended, `on_compression`
    what each compression came to.
    """
    packs = EntityPacks(packs_named(settings.agent.entity_packs, settings.agent.medical_concepts))
    summaries = models.summaries if models else None
    return AnswerParts(
        retriever=retriever,
        answers=CachedAnswers(
            embedder,
            maker=models.answers.name if models else "extractive",
            zone=zone,
            on_look_up=on_look_up,
        ),
        slots=packs,
        memory=ThreadMemory(packs, tokenizer),
        compressor=PassageCompressor(
            tokenizer,
            summaries,
            shares=settings.budgets.shares("compression", _budget(settings, summaries).shown),
            on_compression=on_compression,
        ),
    )
