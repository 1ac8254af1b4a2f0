"""`POST /v1/meetings/{id}/ask`: the whole reply as JSON, or as server-sent events while it grows.

The events are those that seed 003's front end reads, each one line of JSON behind `data: `:

    {"metadata": {"conversationId": "<the meeting's id>"}}        first, before any text
    {"choices": [{"index": 0, "delta": {"content": "…"}}]}        pieces of the text
    {"reply": {…}}                                                last: the reply, as in `moim export`
    {"error": {…}}                                                instead, where no answer comes

The reply counts where it differs from its pieces: an answer may be corrected once while it is checked.

`POST /v1/summarize` (seed 003): a summary of a conversation that lives elsewhere. Nothing is kept.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from typing import Any, Final

import structlog
from aiohttp import web

from context.effects import SummariseThread
from context.events import ThreadSummaryFailed
from context.language.commands import command
from context.ports import Unavailable
from context.thread.turn import Message, chars_of
from worker.agent.thread_summarising import NOTHING
from worker.meeting.asking import NothingOnRecord, Pieces, Question
from worker.ports import MeetingRow
from worker.web.backends import EVENT_STREAM, api_of, place
from worker.web.bodies import AskMeeting, Summarize, read_body
from worker.web.errors import ApiError, away, of
from worker.web.meetings import answered, found, nothing_yet
from worker.web.viewers import Viewer, viewer_of

log = structlog.get_logger(__name__)

ASKS_AT_ONCE: Final = 32
_OF_THIS_MEETING: Final = {
    "include_evidence": "0",
    "include_profile": "0",
    "response_cache_enabled": "0",
}
_REFUSED_WITHIN_S: Final = 0.5
_ALIVE_EVERY_S: Final = 10.0
"""A comment for proxies that end what is silent."""


async def ask(request: web.Request) -> web.StreamResponse:
    """Answer a question, as `moim ask` does."""
    wish = await read_body(request, AskMeeting)
    _demand_question(wish.text)
    row = await found(request)
    async with place(request, "questions", ASKS_AT_ONCE):
        question = _asked(wish, viewer_of(request))
        async with aclosing(api_of(request).parts.answers.ask(row, question)) as pieces:
            if wish.stream:
                return await _streamed(request, row, pieces)
            return answered({**await _whole(row, pieces), "conversationId": row.id})


def _asked(wish: AskMeeting, viewer: Viewer) -> Question:
    """Who came by a link is answered from its meeting alone, and who may only look leaves nothing in it."""
    by_link = viewer.meeting_id is not None
    return Question(
        text=wish.text,
        by=viewer.reads_as(wish.by),
        features={**wish.features, **(_OF_THIS_MEETING if by_link else {})},
        private=wish.private or not viewer.may_edit,
        within=wish.within(),
    )


async def _whole(row: MeetingRow, pieces: Pieces) -> dict[str, Any]:
    try:
        async for piece in pieces:
            if isinstance(piece, dict):
                return piece
    except NothingOnRecord:
        raise nothing_yet(row) from None
    raise Unavailable("no answer came about")


async def _streamed(request: web.Request, row: MeetingRow, pieces: Pieces) -> web.StreamResponse:
    response = web.StreamResponse(headers=EVENT_STREAM)
    growing = _Growing(pieces)
    try:
        # What is refused at once has a status of its own; from here on it is 200.
        piece = await growing.next(_REFUSED_WITHIN_S)
        await response.prepare(request)
        await _send(response, {"metadata": {"conversationId": row.id}})
        await _send_each(response, piece, growing)
        await response.write_eof()
    except NothingOnRecord:
        raise nothing_yet(row) from None
    except ConnectionError:
        log.info("asker_gone", meeting_id=row.id)  # a live meeting's answer is on the record all the same
    finally:
        await growing.aclose()
    return response


async def _send_each(
    response: web.StreamResponse, piece: str | dict[str, Any] | None, growing: _Growing
) -> None:
    while not isinstance(piece, dict):
        if piece is None:
            await response.write(b": alive\n\n")
        elif piece:
            await _send(response, {"choices": [{"index": 0, "delta": {"content": piece}}]})
        try:
            piece = await growing.next(_ALIVE_EVERY_S)
        except Exception as error:  # noqa: BLE001 - the stream has begun: it ends with the fault, not with silence
            await _send(response, of(error).body())
            return
    await _send(response, {"reply": piece})


class _Growing:
    """The pieces, with a look at the clock between them: a wait that ends early loses none."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._coming: asyncio.Future[str | dict[str, Any]] | None = None

    async def next(self, patience_s: float) -> str | dict[str, Any] | None:
        """The next one, None where it takes longer. Raises `Unavailable` where there is no more."""
        if self._coming is None:
            self._coming = asyncio.ensure_future(_piece(self._pieces))
        done, _ = await asyncio.wait({self._coming}, timeout=patience_s)
        if not done:
            return None
        coming, self._coming = self._coming, None
        return coming.result()

    async def aclose(self) -> None:
        """Wait for no more."""
        if self._coming is not None:
            self._coming.cancel()
            await asyncio.gather(self._coming, return_exceptions=True)


async def _piece(pieces: Pieces) -> str | dict[str, Any]:
    try:
        return await anext(pieces)
    except StopAsyncIteration:
        raise Unavailable("no answer came about") from None


async def _send(response: web.StreamResponse, event: dict[str, Any]) -> None:
    # ASCII alone: what is no line break for JSON is one for some readers of events.
    await response.write(f"data: {json.dumps(event, allow_nan=False)}\n\n".encode())


def _demand_question(text: str) -> None:
    order = command(text, addressed=False)
    if order is not None and order.name != "me":
        raise ApiError(
            400, "this is an order, not a question: orders are given in the room", field="text", value=text
        )


SUMMARIES_AT_ONCE: Final = 8


async def summarise(request: web.Request) -> web.Response:
    """The previous summary and the new messages in one, never longer than they are together.

    By the summaries' model where there is one, else extracted.
    """
    viewer_of(request).demand_all()
    wish = await read_body(request, Summarize)
    messages = tuple(
        Message(role=message.role, content=message.content, name=message.name) for message in wish.messages
    )
    original = chars_of(messages) + len(wish.previous_summary)
    target = min(wish.max_chars, original)
    async with place(request, "summaries", SUMMARIES_AT_ONCE):
        made = await api_of(request).parts.summaries.summarise_thread(
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
