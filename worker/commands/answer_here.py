"""Answers a question about a meeting in this process, where no dispatcher runs: it loads what that takes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack, aclosing
from typing import Any

from context.budgets.tokens import EstimateTokenizer
from context.question import Question
from worker.agent.calls.deadlines import VECTORS_IN_A_COMMAND_S, Deadlines
from worker.bootstrap.database import Database
from worker.bootstrap.embedders import embedder
from worker.bootstrap.language_models import tokenizer_of
from worker.bootstrap.streams import bus_if_any
from worker.bootstrap.thinking import thinking
from worker.clock import SystemClock
from worker.commands.audit import noted
from worker.commands.record_access import from_record, meeting_row
from worker.configuration.settings import Settings
from worker.errors import InputError, warn
from worker.meeting.asker import Asker, NothingOnRecord, reply_deadline_s
from worker.monitoring.metrics import process_metrics
from worker.passages.indexers import MeetingIndexers
from worker.passages.retrieving import CorporaRetriever

Piece = str | dict[str, Any]


def answer_here(
    settings: Settings, meeting_id: str, question: Question, show: Callable[[Piece], None]
) -> None:
    """Give `show` the pieces of the answer's text, and at last the whole reply.

    A live meeting's holder answers, where there is a Redis. Raises `InputError` where there is no such
    meeting, or nothing on record of it, and `PortError`.
    """
    with noted(settings, "ask", meeting=meeting_id, person=None):
        from_record(settings, lambda tables: _answer(tables, meeting_id, question, settings, show))


async def _answer(
    tables: Database, meeting_id: str, question: Question, settings: Settings, show: Callable[[Piece], None]
) -> None:
    row = await meeting_row(tables, meeting_id)
    async with AsyncExitStack() as stack:
        bus = await stack.enter_async_context(bus_if_any(settings))
        if row.status == "live" and bus is None:
            warn("REDIS_URL is not set: answering from the record, not by the holder")
        elif row.status == "live" and row.holder is None:
            seconds = f"{reply_deadline_s(settings):.0f} s"
            warn(f"nobody holds {row.id!r} at the moment: waiting {seconds} at most for a worker")
        if row.status != "live" or bus is None:
            warn("no dispatcher of these meetings runs on this machine: loading what answers takes seconds")
        encoder = await stack.enter_async_context(embedder(settings, alone=True))
        indexers = MeetingIndexers(encoder, tables.passages)
        # Without a model nobody counts tokens but us, and to load what counts exactly takes half a second.
        exact = settings.llm.engine != "extractive"
        tokenizer = tokenizer_of(settings) if exact else EstimateTokenizer()
        retriever = CorporaRetriever(
            tables.passages,
            tokenizer,
            embedder=encoder,
            tiers=settings.budgets.cache_levels,
        )
        made = thinking(
            settings,
            process_metrics(),
            embedder=encoder,
            retriever=retriever,
            encoder=indexers,
            deadlines=Deadlines(encoder_s=VECTORS_IN_A_COMMAND_S),
            tokenizer=tokenizer,
        )
        thinker = await stack.enter_async_context(made)
        asker = Asker(
            tables.record, thinker, settings, bus=bus, clock=SystemClock(), take_up=indexers.take_up
        )
        try:
            async with aclosing(asker.ask(row, question)) as pieces:
                async for piece in pieces:
                    await asyncio.to_thread(show, piece)
        except NothingOnRecord:
            raise InputError(
                f"nothing is on record of meeting {row.id!r}: `moim meetings` shows whether it is live"
            ) from None
