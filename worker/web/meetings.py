"""Meetings over HTTP: want, list, look at, export, end.

`/v1/meetings/{id}/thread`, `/budget`, `/rate`: what the agent keeps in mind, and how short.
"""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, tzinfo
from typing import Any, Final

from aiohttp import web
from pydantic import Field

from context.ports import Refused
from context.thread.history import HIGHEST_RATE, LOWEST_RATE
from worker.errors import InputError
from worker.ports import MeetingRow, Overviews, Taken
from worker.record.restoring import written
from worker.web.backends import Documents, Meetings, ThreadPanels
from worker.web.bodies import Asker, Body, ExportMeeting, ListMeetings, WantMeeting, read_body, read_query
from worker.web.errors import ApiError, busy, no_meeting
from worker.web.viewers import viewer_of

EXPORTS_AT_ONCE: Final = 4
_WITH_OVERVIEW: Final = 50
_TYPES: Final = {
    "json": "application/json",
    "md": "text/markdown",
    "vtt": "text/vtt",
    "srt": "application/x-subrip",
}


class MeetingPages:
    """Handles meetings: wanting, listing, showing, exporting and ending them."""

    def __init__(
        self, meetings: Meetings, documents: Documents, overviews: Overviews, zone: tzinfo = UTC
    ) -> None:
        self._meetings, self._documents, self._zone = meetings, documents, zone
        self._overviews = overviews
        self._exporting = asyncio.Semaphore(EXPORTS_AT_ONCE)

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Register the routes."""
        router.add_post("/meetings", self.want)
        router.add_get("/meetings", self.list_some)
        router.add_get("/meetings/{meeting_id}", self.show)
        router.add_get("/meetings/{meeting_id}/export", self.export)
        router.add_post("/meetings/{meeting_id}/end", self.end)

    async def want(self, request: web.Request) -> web.Response:
        """As `moim dispatch`. The same open room or id again is the same meeting."""
        viewer_of(request).demand_all()
        wish = await read_body(request, WantMeeting)
        try:
            row = await self._meetings.want(wish.room, meeting_id=wish.meeting_id, title=wish.title)
        except Taken as error:
            raise ApiError(409, str(error), field="meeting_id", value=wish.meeting_id) from error
        return answered({"meeting_id": row.id, "room": row.room, "status": row.status}, status=202)

    async def list_some(self, request: web.Request) -> web.Response:
        """Newest first, a page at a time."""
        viewer_of(request).demand_all()
        wish = read_query(request, ListMeetings)
        statuses = (wish.status,) if wish.status is not None else ()
        if wish.after is not None and await self._meetings.get(wish.after) is None:
            raise ApiError(404, "there is no such meeting to go on from", field="after", value=wish.after)
        limit = min(wish.limit, _WITH_OVERVIEW) if wish.overview else wish.limit
        rows = await self._meetings.list_page(limit=limit, statuses=statuses, after=wish.after)
        more = rows[-1].id if len(rows) == limit else None
        told = await self._overviews.of([row.id for row in rows]) if wish.overview else {}
        shown = [
            row.shown() | (told[row.id].model_dump(mode="json") if row.id in told else {}) for row in rows
        ]
        return answered({"meetings": shown, "next": more})

    async def show(self, request: web.Request) -> web.Response:
        """One meeting."""
        return answered((await found(self._meetings, request)).shown())

    async def export(self, request: web.Request) -> web.Response:
        """Export a meeting, as `moim export` does."""
        form = read_query(request, ExportMeeting).format
        row = await found(self._meetings, request)
        if self._exporting.locked():
            raise busy("exports", EXPORTS_AT_ONCE)
        async with self._exporting:
            try:
                shape = await self._documents(row)
            except InputError:
                raise nothing_yet(row) from None
            text = await asyncio.to_thread(written, shape, form, zone=self._zone)
        return web.Response(text=text, content_type=_TYPES[form], charset="utf-8")

    async def end(self, request: web.Request) -> web.Response:
        """As `moim end`: asked for, done within seconds."""
        viewer_of(request).demand_edit()
        row = await found(self._meetings, request)
        if not await self._meetings.request_end(row.id):
            raise ApiError(409, f"it is {row.status} already", field="meeting_id", value=row.id)
        return answered({"meeting_id": row.id, "ending": True}, status=202)


async def found(meetings: Meetings, request: web.Request) -> MeetingRow:
    """The meeting that the path names, or 404."""
    meeting_id = request.match_info["meeting_id"]
    printable = 0 < len(meeting_id) <= 200 and all(
        ord(c) >= 0x20 and not 0xD800 <= ord(c) < 0xE000 for c in meeting_id
    )
    only = viewer_of(request).meeting_id
    row = await meetings.get(meeting_id) if printable and only in (None, meeting_id) else None
    if row is None:
        raise no_meeting(meeting_id)
    return row


def nothing_yet(row: MeetingRow) -> ApiError:
    """Make the error for a meeting with nothing on record yet (409)."""
    if row.status == "wanted":
        mend = "nothing is on record, no worker has it yet: ask again once its status is live"
    else:
        mend = f"nothing is on record: the meeting is {row.status}"
    return ApiError(409, mend, field="meeting_id", value=row.id)


def answered(shape: dict[str, Any], *, status: int = 200) -> web.Response:
    """JSON, with Korean as it is."""
    return web.Response(
        text=json.dumps(shape, ensure_ascii=False, allow_nan=False) + "\n",
        status=status,
        content_type="application/json",
    )


class SetRate(Body):
    """How short the thread's summaries are from the next one on."""

    rate: float = Field(ge=LOWEST_RATE, le=HIGHEST_RATE, description="share that is kept")
    by: Asker = Field("http", description="who says so")


class PanelPages:
    """Handles the panels of what the agent keeps in mind, and how short it keeps it."""

    def __init__(self, meetings: Meetings, panels: ThreadPanels) -> None:
        self._meetings, self._panels = meetings, panels

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Register the routes."""
        router.add_get("/meetings/{meeting_id}/thread", self.thread)
        router.add_get("/meetings/{meeting_id}/budget", self.budget)
        router.add_put("/meetings/{meeting_id}/rate", self.set_rate)

    async def thread(self, request: web.Request) -> web.Response:
        """Show the thread, as `moim thread --json` does."""
        return answered(await self._panels.thread(await found(self._meetings, request)))

    async def budget(self, request: web.Request) -> web.Response:
        """As `moim thread --budget --json`."""
        return answered(await self._panels.budget(await found(self._meetings, request)))

    async def set_rate(self, request: web.Request) -> web.Response:
        """Asked for; the holder sets it within a second."""
        viewer = viewer_of(request)
        viewer.demand_edit()
        row = await found(self._meetings, request)
        wish = await read_body(request, SetRate)
        try:
            await self._panels.set_rate(row, wish.rate, viewer.acts_as(wish.by))
        except Refused as error:
            raise ApiError(409, str(error), field="meeting_id", value=row.id) from error
        return answered({"meeting_id": row.id, "rate": wish.rate}, status=202)
