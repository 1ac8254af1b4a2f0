"""One invocation, answered: by a language model that cites, or in the meeting's own words.

Theory of operation. The answer is made by one run of the graph (`worker.agent.graph`); here it is given
what it works with, its end is looked after, and what it left behind becomes the reply. One deadline covers
everything: `Deadlines.first_token_s` runs from the question to the first words that the asker sees,
`answer_s` to the end. Without a model the extractive answer is the answer, and nothing is degraded.

Evidence on the stream: an extractive answer knows its evidence when it opens the stream; a model's
answer opens with `()` and gives the true ids to `close(evidence=…)`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import tzinfo
from typing import Any, Final, cast

import structlog

from context.budgets.configuration import BudgetConfig
from context.features import FeatureError, Features
from context.manager import ContextManager
from context.models import Invocation, Reply
from worker.agent.calling import CalledModel, Deadline, Deadlines
from worker.agent.desk import Desk, DeskSettings, weighed
from worker.agent.graph import telling
from worker.agent.graph.parts import AnswerParts
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState
from worker.agent.speaking import ReplyOpener, Speech
from worker.agent.verifying import Verifier
from worker.clock import monotonic_s

log = structlog.get_logger(__name__)


_LAST_CLOSE_S: Final = 1.0
"""A cancelled answer whose words are all said has so long to close its stream."""


async def _to_its_end(closing: Coroutine[Any, Any, None]) -> None:
    """All has been said: who is cancelled now closes the stream and goes on, or it would be said again."""
    task = asyncio.ensure_future(closing)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        if task.cancelled():
            raise
        await asyncio.wait({task}, timeout=_LAST_CLOSE_S)
    finally:
        task.cancel()


_JUDGED_TOKENS: Final = 4_000
"""What a window of 8K holds beside rules, verdict and repair."""


class Answerer:
    """Answers invocations of any meeting; holds no state of one."""

    def __init__(
        self,
        model: CalledModel | None,
        desk_settings: DeskSettings,
        *,
        deadlines: Deadlines | None = None,
        max_tokens: int = 1000,
        zone: tzinfo | None = None,
        clock: Callable[[], float] = monotonic_s,
        features: Features | None = None,
        parts: AnswerParts | None = None,
        judge: CalledModel | None = None,
        judged_tokens: int = _JUDGED_TOKENS,
        budgets: BudgetConfig | None = None,
        verifier: Verifier | None = None,
        on_step: Callable[[str, float], None] = lambda _step, _took_s: None,
    ) -> None:
        """`max_tokens`: of an answer. `judge`: the model that plans and grades; without one, words do.
        `judged_tokens`: of what its window holds beside its rules; `budgets`: how that is shared out.
        `verifier`: of what the model says; without one that stays unverified, and says so.

        `zone`: the time zone that times of day are told in. `on_step` is told each step and its seconds.
        """
        self._model = model
        self._judge, self._judged_tokens = judge, judged_tokens
        self._budgets = budgets or BudgetConfig()
        self._verifier = verifier
        self._desk_settings = desk_settings
        self._deadlines = deadlines or Deadlines()
        self._max_tokens = max_tokens
        self._zone = zone
        self._clock = clock
        self._features = features or Features()
        self._parts = parts or AnswerParts()
        self._on_step = on_step

    async def answer(
        self, invocation: Invocation, manager: object, opener: ReplyOpener, *, now_ms: Callable[[], int]
    ) -> Reply:
        """The reply, after it was streamed. `now_ms`: the present moment in meeting time.

        Cancelled (superseded, or the meeting ends): closes the stream with a mark and lets the
        cancellation go on; but with all of it said it is an answer, and the reply comes. What the context
        itself raises goes on too, after the asker was told.
        """
        # LangGraph takes a second or two to load: a worker has it from its start (`worker.process.preload`,
        # `worker.bootstrap`), a command that never asks is spared it.
        from worker.agent.graph.graph import run_turn

        desk = self._desk_settings.desk(invocation, cast("ContextManager", manager))
        await weighed(desk, invocation.text, self._deadlines.encoder_s)
        run = self._run(invocation, manager, opener, desk)
        state = AgentState(user_text=invocation.text, query=invocation.text, call_type=run.desk.call_type)
        try:
            await run_turn(state, run)
        except asyncio.CancelledError:
            await telling.end(run, "superseded")
            raise
        except Exception:
            await telling.end(run, "no_answer")
            raise
        await _to_its_end(run.speech.close(evidence=run.outcome.evidence))
        recorded = run.recorded()
        log.info(
            "answered", invocation=invocation.id, **recorded.model_dump(exclude={"steps", "notes", "prompts"})
        )
        return run.reply(recorded, now_ms=now_ms())

    def _run(self, invocation: Invocation, manager: object, opener: ReplyOpener, desk: Desk) -> Run:
        # What somebody missed is looked up, not written: a model is shown more than their gap, and does not
        # know where it lies. What it wrote of the topics is in the catch-up.
        missed = desk.request.wish == "catch_up"
        return Run(
            invocation=invocation,
            manager=manager,
            desk=desk,
            speech=Speech(invocation, desk.call_type, opener),
            features=self._flags(invocation),
            parts=self._parts,
            model=None if missed else self._model,
            judge=self._judge,
            judged_tokens=self._judged_tokens,
            budgets=self._budgets,
            verifier=self._verifier,
            verify_s=self._deadlines.verify_s,
            encoder_s=self._deadlines.encoder_s,
            first=Deadline(self._deadlines.first_token_s, self._clock),
            whole=Deadline(self._deadlines.answer_s, self._clock),
            max_tokens=self._max_tokens,
            zone=self._zone,
            clock=self._clock,
            on_step=self._on_step,
            began_s=self._clock(),
            question=invocation.text,
        )

    def _flags(self, invocation: Invocation) -> Features:
        """The process's flags with this question's own; such as do not exist were refused at the door."""
        if not invocation.features:
            return self._features
        try:
            return self._features.with_overrides(invocation.features)
        except FeatureError as error:
            log.warning("feature_overrides_ignored", invocation=invocation.id, error=str(error))
            return self._features
