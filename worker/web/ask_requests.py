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
import uuid
from contextlib import aclosing
from typing import Any, Final

import structlog
from aiohttp import web

from context.events.effects import SummariseThread
from context.events.events import ThreadSummaryFailed
from context.events.message import Message, chars_of
from context.export.guest_view import reply_for_guests
from context.features import OF_THIS_MEETING
from context.language.commands import command_in
from context.ports import Unavailable
from context.question import Question
from worker.agent.summaries.thread_summarising import NOTHING
from worker.meeting.asker import NothingOnRecord, Pieces
from worker.messages import FOLLOWED_PREFIX
from worker.ports import MeetingRow
from worker.web.backends import EVENT_STREAM, api_of
from worker.web.bodies import AskMeeting, Summarize, read_body
from worker.web.json_answers import ApiError, as_api_error, json_response, out_of_reach
from worker.web.meetings import meeting_of, nothing_yet
from worker.web.viewers import viewer_of

log = structlog.get_logger(__name__)

ASKS_AT_ONCE: Final = 32
SUMMARIES_AT_ONCE: Final = 8
_REFUSED_WITHIN_S: Final = 0.5
"""A refusal that comes this soon is answered with its own status, before the stream begins."""
_ALIVE_EVERY_S: Final = 10.0
"""How often a silent stream gets a comment, for proxies that close silent connections."""


async def ask(request: web.Request) -> web.StreamResponse:
    """Handle `POST /v1/meetings/{id}/ask`: answer a question, as `moim ask` does.

    A viewer who came by a link is answered from that meeting alone. The question of one who may only look is
    private: it leaves nothing in the meeting.
    """
    body, viewer = await read_body(request, AskMeeting), viewer_of(request)
    command = command_in(body.text, addressed=False)
    if command is not None and command.name != "me" and viewer.operator is None:
        mend = "this is a command, not a question: commands are given in the room"
        raise ApiError(400, mend, field="text", value=body.text)
    row = await meeting_of(request)
    question = Question(
        id=f"{FOLLOWED_PREFIX}{uuid.uuid4().hex}",
        by=viewer.reads_as(body.by),
        via="http" if viewer.operator is None else "cli",
        text=body.text,
        features={**body.features, **(OF_THIS_MEETING if viewer.meeting_id is not None else {})},
        private=body.private or not viewer.may_edit,
        at_ms=0,  # when that is in the meeting, whoever answers knows
    )
    api = api_of(request)
    with api.quotas.place(request, "questions", ASKS_AT_ONCE, api.quotas.quota.questions):
        async with (
            aclosing(api.answers.ask(row, question, body.within())) as answer,
            aclosing(_as_seen(answer, here_alone=viewer.meeting_id is not None)) as pieces,
        ):
            return await _answered(request, row, pieces, stream=body.stream)


async def _answered(
    request: web.Request, row: MeetingRow, pieces: Pieces, *, stream: bool
) -> web.StreamResponse:
    try:
        if stream:
            return await _streamed(request, row, pieces)
        while not isinstance(piece := await _next(pieces), dict):
            pass
    except NothingOnRecord:
        raise nothing_yet(row) from None
    return json_response({**piece, "conversationId": row.id})


async def _as_seen(pieces: Pieces, *, here_alone: bool) -> Pieces:
    """Give the pieces as this viewer may see them; who sees this meeting alone was answered from it."""
    async for piece in pieces:
        yield reply_for_guests(piece) if here_alone and isinstance(piece, dict) else piece


async def _next(pieces: Pieces) -> str | dict[str, Any]:
    try:
        return await anext(pieces)
    except StopAsyncIteration:
        raise Unavailable("no answer came about") from None


async def _streamed(request: web.Request, row: MeetingRow, pieces: Pieces) -> web.StreamResponse:
    """Send the answer as it grows. Once the stream has begun (200), a fault is its last event."""
    response = web.StreamResponse(headers=EVENT_STREAM)
    coming = asyncio.ensure_future(_next(pieces))
    try:
        await asyncio.wait({coming}, timeout=_REFUSED_WITHIN_S)
        if coming.done():
            coming.result()
        await response.prepare(request)
        await _send(response, {"metadata": {"conversationId": row.id}})
        while True:
            try:
                await asyncio.wait({coming}, timeout=_ALIVE_EVERY_S)
                piece = coming.result() if coming.done() else None
            except Exception as error:  # noqa: BLE001 - the stream has begun: it ends with the fault, not with silence
                await _send(response, as_api_error(error).body)
                break
            if piece is None:
                await response.write(b": alive\n\n")
                continue
            if isinstance(piece, dict):
                await _send(response, {"reply": piece})
                break
            if piece:
                await _send(response, {"choices": [{"index": 0, "delta": {"content": piece}}]})
            coming = asyncio.ensure_future(_next(pieces))
        await response.write_eof()
    except ConnectionError:
        log.info("asker_gone", meeting_id=row.id)  # a live meeting's answer is on the record all the same
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)
    return response


async def _send(response: web.StreamResponse, event: dict[str, Any]) -> None:
    # ASCII alone: what is no line break for JSON is one for some readers of events.
    await response.write(f"data: {json.dumps(event, allow_nan=False)}\n\n".encode())


async def summarise(request: web.Request) -> web.Response:
    """Handle `POST /v1/summarize`: merge the previous summary and the new messages, no longer than both.

    The model for summaries makes it where there is one, else its sentences are extracted.
    """
    body = await read_body(request, Summarize)
    messages = tuple(Message(**message.model_dump()) for message in body.messages)
    original = chars_of(messages) + len(body.previous_summary)
    target = min(body.max_chars, original)
    effect = SummariseThread(
        version=1,
        purpose="merge",
        turns=(1,),
        messages=messages,
        previous=body.previous_summary,
        original_chars=original,
        target_chars=target,
        compression_rate=min(1.0, target / original),
    )
    api = api_of(request)
    with api.quotas.place(request, "summaries", SUMMARIES_AT_ONCE):
        made = await api.summaries.summarise_thread(effect, at_ms=0)
    if isinstance(made, ThreadSummaryFailed):
        if made.error == NOTHING:
            mend = "nothing in them can be summarised: send what somebody said"
            raise ApiError(400, mend, field="messages")
        raise out_of_reach(f"no summary came about: {made.error}")
    return json_response(
        {
            "summary": made.text,
            "engine": made.engine,
            "original_chars": original,
            "summary_chars": len(made.text),
            "covered_message_count": len(messages),
            "latency_ms": made.latency_ms,
        }
    )
