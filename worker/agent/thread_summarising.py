"""One summary of the agent's thread, by the language model or, where none is configured, extractively.

A model that fails or is late leaves the job FAILED: its turns go into prompts raw meanwhile, and the next
turn that ends tries again (seed 003). Where nothing that the model wrote stands in the messages, the
extractive summary takes its place and says so (`engine`). Never raises, but for being cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import structlog

from context.budget import EstimateTokenizer, ModelBudget, budget_for
from context.budgets.configuration import BudgetConfig
from context.budgets.sent import sent
from context.effects import SummariseThread
from context.events import ThreadSummaryFailed, ThreadSummaryReady
from context.models import PromptRecord
from context.ports import ChatMessage, PortError, Tokenizer
from context.thread.writing import EXTRACTIVE, MAX_SUMMARY_TOKENS, NothingStands, Unreadable, generate_summary
from worker.agent.calling import CalledModel, Deadlines
from worker.clock import monotonic_s
from worker.monitoring.labels import Check

PURPOSE: Final = "thread_summary"
_MARGIN_TOKENS: Final = 512
"""For the schema and the message frames."""

NOTHING: Final = "there was nothing to summarise"
"""Why there is no summary of messages without a sentence in them: trying again changes nothing."""

log = structlog.get_logger(__name__)


class ThreadSummariser:
    """Carries out `SummariseThread` effects of any meeting."""

    def __init__(
        self,
        model: CalledModel | None = None,
        *,
        tokenizer: Tokenizer | None = None,
        budget: ModelBudget | None = None,
        budgets: BudgetConfig | None = None,
        deadlines: Deadlines | None = None,
        clock: Callable[[], float] = monotonic_s,
    ) -> None:
        """Without a `model` the thread's own sentences are its summary. `budget`: the model's;
        `budgets`: how its prompt is shared out.
        """
        self._model = model
        self._tokenizer = tokenizer or EstimateTokenizer()
        window = (budget or budget_for(model.name if model is not None else "")).window
        room = window - MAX_SUMMARY_TOKENS - _MARGIN_TOKENS
        self._shares = (budgets or BudgetConfig()).shares("thread_summary", room)
        self._deadlines = deadlines or Deadlines()
        self._clock = clock

    async def summarise(
        self, effect: SummariseThread, *, language: str = "auto", at_ms: int = 0
    ) -> ThreadSummaryReady | ThreadSummaryFailed:
        """The summary, or why there is none."""
        began_s = self._clock()
        prompts: list[PromptRecord] = []
        try:
            async with asyncio.timeout(self._deadlines.summary_s):
                text, engine = await self.summary_node(effect, language, prompts)
        except TimeoutError:
            if self._model is not None:
                self._model.gave_up(PURPOSE)
            return self._failed(effect, f"no summary within {self._deadlines.summary_s:g} s", prompts)
        except PortError as error:
            return self._failed(effect, str(error), prompts)
        except Exception as error:
            # Whatever goes wrong with one summary, the last one stands and the thread goes on.
            log.exception("thread_summary_broken", version=effect.version)
            return self._failed(effect, type(error).__name__, prompts)
        if not text:
            return self._failed(effect, NOTHING, prompts)
        return ThreadSummaryReady(
            version=effect.version,
            turns=effect.turns,
            text=text,
            original_chars=effect.original_chars,
            compression_rate=effect.compression_rate,
            engine=engine,
            latency_ms=round((self._clock() - began_s) * 1000),
            at_ms=at_ms,
            prompts=tuple(prompts),
        )

    async def summary_node(
        self, effect: SummariseThread, language: str, prompts: list[PromptRecord]
    ) -> tuple[str, str]:
        """Seed 001's summary step: the text and who wrote it. `prompts` gets what a model was sent.

        Raises as `generate_summary` does, and waits for as long as the model takes.
        """

        def told(messages: Sequence[ChatMessage], shown: Mapping[str, str]) -> None:
            prompts.append(sent(PURPOSE, messages, self._tokenizer, shown))

        write = partial(
            generate_summary,
            effect.messages,
            effect.target_chars,
            previous=effect.previous,
            merge=effect.purpose == "merge",
            language=language,
            tokenizer=self._tokenizer,
            most=effect.original_chars,
            shares=self._shares,
            on_prompt=told,
        )
        if self._model is not None:
            try:
                text = await write(model=self._model)
            except Unreadable:
                self._checked(self._model, "json", passed=False)
                raise
            except NothingStands as error:
                self._checked(self._model, "json", passed=True)
                self._checked(self._model, "evidence", passed=False)
                log.warning("thread_summary_degraded", version=effect.version, error=str(error))
            else:
                self._checked(self._model, "json", passed=True)
                self._checked(self._model, "evidence", passed=True)
                return text, self._model.name
        return await write(), EXTRACTIVE

    def _checked(self, model: CalledModel, check: Check, *, passed: bool) -> None:
        model.checked(PURPOSE, check, passed=passed)
        if not passed:
            model.missed(PURPOSE, "useless")

    def _failed(
        self, effect: SummariseThread, why: str, prompts: Sequence[PromptRecord]
    ) -> ThreadSummaryFailed:
        log.warning("thread_summary_failed", version=effect.version, turns=effect.turns, error=why)
        return ThreadSummaryFailed(version=effect.version, error=why[:300], prompts=tuple(prompts))
