"""Answers one question: by a language model that cites, or in the meeting's own words.

Theory of operation. The answer is made by one run of the graph (`graph`). Here the run is given
what it works with, its end is looked after, and what it left behind becomes the reply. Deadlines cover
everything: `Deadlines.first_token_s` runs from the question to the first words that the asker sees,
`answer_s` to the end. Without a model the answer made of quotes is the answer, and nothing is degraded.

Evidence on the stream: an answer made of quotes knows its evidence when it opens the stream; a model's
answer opens with `()` and gives the true ids to `close(evidence=…)`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import cached_property
from typing import Any

import structlog

from context.manager import ContextManager
from context.models import Reply
from context.question import Question
from worker.agent.graph import responding
from worker.agent.graph.run import AnswerMeans, Run
from worker.agent.graph.stages import STAGES
from worker.agent.graph.state import AgentState
from worker.agent.question.question_context import QuestionContext
from worker.agent.question.question_reading import QuestionReader
from worker.agent.reply.speaking import CLOSE_S, ReplyOpener, Speech
from worker.outlets import Stage

log = structlog.get_logger(__name__)


class Answerer(AnswerMeans):
    """Answers questions to any meeting; holds no state of one."""

    @cached_property
    def reader(self) -> QuestionReader:
        """Reads questions where they come in."""
        return QuestionReader(self.context_settings.encoder, self.features, within_s=self.deadlines.encoder_s)

    async def answer(
        self,
        question: Question,
        manager: ContextManager,
        opener: ReplyOpener,
        *,
        now_ms: Callable[[], int],
        on_begin: Callable[[str, Stage], None] = lambda _step, _stage: None,
    ) -> Reply:
        """Stream the answer; gives the reply for the record. `now_ms`: now, in meeting time.

        A question that nobody has read (it is of an older record) is read first. `on_begin` is told the
        name of each step as it begins, and what it is to people.

        Cancelled (superseded, or the meeting ends), it closes the stream with a mark and is cancelled; but
        where all was said it is an answer, and the reply comes. What the context itself raises is raised
        after the asker was told.
        """
        # LangGraph takes a second or two to load: a worker has it from its start (`worker.process.preload`,
        # `worker.bootstrap`), a command that never asks is spared it.
        from worker.agent.graph.graph import run_turn

        question = await self.reader.read(question, manager.meeting, recorded=True)
        question_context = self.context_settings.question_context(question, manager)
        run = self._run(question, question_context, opener, on_begin)
        try:
            await run.weigh()
            if self.deadlines.encoder_s is None:
                run.begin()  # a replay, which is to be the same on a slow machine
            await run_turn(AgentState(user_text=question.text, query=question.matter), run)
            await responding.add_notices(run)
        except asyncio.CancelledError:
            await responding.end(run, "superseded")
            raise
        except Exception:
            await responding.end(run, "no_answer")
            raise
        await _to_its_end(run.speech.close(evidence=run.answer.evidence))
        reply = run.reply(now_ms=now_ms())
        assert reply.run is not None
        run_fields = reply.run.model_dump(exclude={"steps", "notes", "prompts"})
        log.info("answered", invocation=question.id, **run_fields)
        return reply

    def _run(
        self,
        question: Question,
        question_context: QuestionContext,
        opener: ReplyOpener,
        on_begin: Callable[[str, Stage], None] = lambda _step, _stage: None,
    ) -> Run:
        return Run(
            means=self,
            question=question,
            question_context=question_context,
            speech=Speech(question, opener),
            features=self.reader.flags(question),
            # What somebody missed is looked up, not written: a model is shown more than their gap, and does
            # not know where it lies. What it wrote of the topics is in the catch-up.
            model=self.model if question.intent != "catch_up" else None,
            on_begin=lambda step: on_begin(step, STAGES[step]),
        )


async def _to_its_end(closing: Coroutine[Any, Any, None]) -> None:
    """Close the stream of an answer that is all said, even if cancelled: else it would be said again."""
    task = asyncio.ensure_future(closing)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        if task.cancelled():
            raise
        await asyncio.wait({task}, timeout=CLOSE_S)
    finally:
        task.cancel()
