"""Carries out `SummariseThread`: by the language model or, where none is configured, extractively.

A model that fails or is late leaves the job FAILED: its turns go into prompts raw meanwhile, and the next
turn that ends tries again (seed 003). Where nothing that the model wrote stands in the messages, the
extractive summary takes its place and says so (`engine`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import structlog

from context.budgets.configuration import BudgetConfig
from context.budgets.sent import sent
from context.budgets.tokens import EstimateTokenizer, ModelBudget, budget_for
from context.events.effects import SummariseThread
from context.events.events import ThreadSummaryFailed, ThreadSummaryReady
from context.models import PromptRecord
from context.ports import ChatMessage, PortError, Tokenizer
from context.statements.verdicts import NothingStands
from context.thread.writing import EXTRACTIVE, MAX_SUMMARY_TOKENS, NoSummary, generate_summary
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadlines
from worker.clock import monotonic_s

PURPOSE: Final = "thread_summary"
_MARGIN_TOKENS: Final = 512
"""What the schema and the message frames take of the window."""

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
    ) -> None:
        """Without a `model` the thread's own sentences are its summary.

        `budget`: the model's window, by default as its name says. `budgets`: how its prompt is shared out.
        """
        self._model = model
        self._tokenizer = tokenizer or EstimateTokenizer()
        window = (budget or budget_for(model.name if model is not None else "")).window
        room = window - MAX_SUMMARY_TOKENS - _MARGIN_TOKENS
        self._shares = (budgets or BudgetConfig()).shares("thread_summary", room)
        self._within_s = (deadlines or Deadlines()).summary_s

    async def summarise(
        self, effect: SummariseThread, *, language: str = "auto", at_ms: int = 0, by_rules: bool = False
    ) -> ThreadSummaryReady | ThreadSummaryFailed:
        """The thread's next summary, or why there is none. Never raises, but when cancelled.

        `language`: `ko`, `en`, or `auto` for that of the messages. `at_ms`: the present moment, meeting time.
        `by_rules`: no model is asked.
        """
        began_s = monotonic_s()
        prompts: list[PromptRecord] = []
        try:
            async with asyncio.timeout(self._within_s):
                text, engine = await self.summary_node(effect, language, prompts, by_rules=by_rules)
            if text:
                return ThreadSummaryReady(
                    version=effect.version,
                    turns=effect.turns,
                    text=text,
                    original_chars=effect.original_chars,
                    compression_rate=effect.compression_rate,
                    engine=engine,
                    latency_ms=round((monotonic_s() - began_s) * 1000),
                    at_ms=at_ms,
                    prompts=tuple(prompts),
                )
            why = NOTHING
        except TimeoutError:
            if self._model is not None:
                self._model.gave_up(PURPOSE)
            why = f"no summary within {self._within_s:g} s"
        except PortError as error:
            why = str(error)
        except Exception as error:
            # Whatever goes wrong with one summary, the last one stands and the thread goes on.
            log.exception("thread_summary_broken", version=effect.version)
            why = type(error).__name__
        log.warning("thread_summary_failed", version=effect.version, turns=effect.turns, error=why)
        return ThreadSummaryFailed(version=effect.version, error=why[:300], prompts=tuple(prompts))

    async def summary_node(
        self,
        effect: SummariseThread,
        language: str,
        prompts: list[PromptRecord],
        *,
        by_rules: bool = False,
    ) -> tuple[str, str]:
        """Seed 001's summary step: the text, and the model or `extractive`, whichever wrote it.

        What a model was sent is added to `prompts`. Raises as `generate_summary` does, and waits for as long
        as the model takes.
        """

        def told(messages: Sequence[ChatMessage], shown: Mapping[str, str]) -> None:
            prompts.append(sent(PURPOSE, messages, self._tokenizer, shown))

        model = None if by_rules else self._model
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
        if model is None:
            return await write(), EXTRACTIVE
        try:
            text = await write(model=model)
        except NoSummary:
            model.checked(PURPOSE, "json", passed=False)
            model.missed(PURPOSE, "useless")
            raise
        except NothingStands as error:
            model.checked(PURPOSE, "json", passed=True)
            model.checked(PURPOSE, "evidence", passed=False)
            model.missed(PURPOSE, "useless")
            log.warning("thread_summary_degraded", version=effect.version, error=str(error))
            return await write(), EXTRACTIVE
        model.checked(PURPOSE, "json", passed=True)
        model.checked(PURPOSE, "evidence", passed=True)
        return text, model.name
