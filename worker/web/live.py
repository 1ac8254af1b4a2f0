"""`GET /v1/meetings/{id}/events`: a meeting as it goes on, as server-sent events.

First `document` (the document of `moim export`), then `utterance`, `topic`, `gap`, `reply`, `status`,
`participants` and `off_the_record` with the document's own fields. Of the changes that an event on the record
made, the last has that event's number as its id: a browser that comes back says the last id, and gets what it
has missed, or the document again. `interim`, `degraded` and `doing`, which are on no record, have no id.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any, Final

from aiohttp import web

from context.ports import PortError
from worker.ports import MeetingRow
from worker.web.backends import EVENT_STREAM, api_of
from worker.web.bodies import WatchMeeting, read_query
from worker.web.following import Change, Passing
from worker.web.json_answers import ApiError
from worker.web.meetings import meeting_of
from worker.web.viewers import viewer_of

WATCHING_AT_ONCE: Final = 1_000
_LOOK_EVERY_S: Final = 1.0
"""How soon a stream sees that its viewer has left, or that this process is to stop."""
_COMMENT_EVERY_LOOKS: Final = 10
"""How many looks without news there are between two comments, for proxies that close silent connections."""


async def events(request: web.Request) -> web.StreamResponse:
    """Handle `GET /v1/meetings/{id}/events`: stream what happens in a meeting until the viewer leaves."""
    after = read_query(request, WatchMeeting).after
    if last := request.headers.get("Last-Event-ID", ""):
        if not (last.isascii() and last.isdigit() and len(last) < 16):
            raise ApiError(400, "give the id of an event, a whole number", field="Last-Event-ID", value=last)
        after = int(last)
    row = await meeting_of(request)
    if request.method == "HEAD":  # a stream behind it would be read as the next answer
        return web.Response(headers=EVENT_STREAM)
    api = api_of(request)
    with api.quotas.place(request, "streams", WATCHING_AT_ONCE, api.quotas.quota.streams):
        return await _streamed(request, row, after)


async def _streamed(request: web.Request, row: MeetingRow, after: int | None) -> web.StreamResponse:
    async with api_of(request).following.watching(row) as followed:
        response = web.StreamResponse(headers=EVENT_STREAM)
        await response.prepare(request)
        async with aclosing(followed.changes(after, row)) as changes:
            with followed.passing() as passing, suppress(ConnectionError):  # the viewer has left
                await _send_each(request, response, changes, passing)
    return response


async def _send_each(
    request: web.Request,
    response: web.StreamResponse,
    changes: AsyncGenerator[Change, None],
    passing: asyncio.Queue[Passing],
) -> None:
    """Send until the viewer leaves, their link is withdrawn or cannot be looked up, or this process stops.

    It also ends where the meeting cannot be followed any more: the browser comes again.
    """
    api = api_of(request)
    coming: asyncio.Future[Change] = asyncio.ensure_future(anext(changes))
    news = asyncio.ensure_future(passing.get())
    silent = 0
    try:
        while not api.stopping and request.transport is not None and not request.transport.is_closing():
            both: set[asyncio.Future[Any]] = {coming, news}
            done, _ = await asyncio.wait(both, timeout=_LOOK_EVERY_S, return_when=asyncio.FIRST_COMPLETED)
            try:
                stands = await api.session_validity.of(viewer_of(request))
            except PortError:  # an error's answer would break off in the middle of the stream
                return
            if not stands:
                return
            if coming in done:
                if isinstance(coming.exception(), StopAsyncIteration):
                    return
                change = coming.result()
                alone = viewer_of(request).meeting_id is not None
                await response.write(change.for_guests if alone else change.event)
                coming, silent = asyncio.ensure_future(anext(changes)), 0
            if news in done:  # without a number: nobody goes on behind it
                await response.write(news.result())
                news = asyncio.ensure_future(passing.get())
            if not done and (silent := silent + 1) % _COMMENT_EVERY_LOOKS == 0:
                await response.write(b": alive\n\n")
    finally:
        coming.cancel()
        news.cancel()
        await asyncio.gather(coming, news, return_exceptions=True)
