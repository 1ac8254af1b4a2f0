"""`POST /v1/summarize` (seed 003): a summary of a conversation that lives elsewhere. Nothing is kept."""

from __future__ import annotations

import asyncio
from typing import Final

from aiohttp import web

from context.effects import SummariseThread
from context.events import ThreadSummaryFailed
from context.thread.messages import Message, chars_of
from worker.agent.thread_summarising import NOTHING
from worker.web.backends import TextShortener
from worker.web.bodies import Summarize, read_body
from worker.web.errors import ApiError, away, busy
from worker.web.meetings import answered
from worker.web.viewers import viewer_of

SUMMARIES_AT_ONCE: Final = 8


class SummaryPage:
    """The handler, and how many it serves at once."""

    def __init__(self, summaries: TextShortener) -> None:
        self._summaries = summaries
        self._summarising = asyncio.Semaphore(SUMMARIES_AT_ONCE)

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Make it known."""
        router.add_post("/summarize", self.summarise)

    async def summarise(self, request: web.Request) -> web.Response:
        """The previous summary and the new messages in one, never longer than they are together.

        By the summaries' model where there is one, else extracted.
        """
        viewer_of(request).demand_all()
        wish = await read_body(request, Summarize)
        messages = tuple(
            Message(role=message.role, content=message.content, name=message.name)
            for message in wish.messages
        )
        if self._summarising.locked():
            raise busy("summaries", SUMMARIES_AT_ONCE)
        original = chars_of(messages) + len(wish.previous_summary)
        target = min(wish.max_chars, original)
        async with self._summarising:
            made = await self._summaries.summarise_thread(
                SummariseThread(
                    version=1,
                    purpose="merge",
                    turns=(1,),
                    messages=messages,
                    previous=wish.previous_summary,
                    original_chars=original,
                    target_chars=target,
                    compression_rate=min(1.0, target / original),
                ),
                at_ms=0,
            )
        if isinstance(made, ThreadSummaryFailed):
            if made.error == NOTHING:
                raise ApiError(
                    400,
                    "nothing in them can be summarised: send what somebody said",
                    field="messages",
                )
            raise away(ApiError(503, f"no summary came about: {made.error}"))
        return answered(
            {
                "summary": made.text,
                "engine": made.engine,
                "original_chars": original,
                "summary_chars": len(made.text),
                "covered_message_count": len(messages),
                "latency_ms": made.latency_ms,
            }
        )
