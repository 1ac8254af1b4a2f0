"""Meetings over HTTP: want, list, search, show, export, correct, end; and what the agent keeps of one.

The latter are `/v1/meetings/{id}/thread` (earlier questions and their summaries), `/budget` (what models were
sent) and `/rate` (how short the summaries are).
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from aiohttp import web
from pydantic import BeforeValidator, Field

from context.corpora.passage import Passage, Query
from context.corpora.search_hits import Excerpt, excerpt
from context.export.guest_view import for_guests
from context.ports import Refused
from context.primitives.text import one_line
from context.thread.summaries import HIGHEST_RATE, LOWEST_RATE
from context.topics.titles import is_unnamed
from worker.meeting.correcting import Correction, shown
from worker.messages import to_one_line
from worker.names import name_fault
from worker.ports import MeetingRow, Taken
from worker.record.restoring import exported, load_document
from worker.web.backends import api_of
from worker.web.bodies import (
    Body,
    CorrectMeeting,
    ExportMeeting,
    ListMeetings,
    PersonId,
    QueryString,
    RenameMeeting,
    WantMeeting,
    read_body,
    read_query,
)
from worker.web.json_answers import ApiError, json_response
from worker.web.viewers import actor_of, viewer_of

EXPORTS_AT_ONCE: Final = 4
_MAX_MEETINGS_WITH_OVERVIEW: Final = 50
"""How many meetings a page has at most where each comes with its overview."""
_TYPES: Final = {  # by the format of an export
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "vtt": "text/vtt",
    "srt": "application/x-subrip",
}
_MEETING: Final = web.RequestKey("meeting", MeetingRow)
_TOKENS: Final = 20_000
"""The budget of a search: more tokens than the longest list of hits has, so that none is cut."""


async def want(request: web.Request) -> web.Response:
    """Handle `POST /v1/meetings` (202), as `moim dispatch`: the same open room or id again is one meeting."""
    body = await read_body(request, WantMeeting)
    try:
        row = await api_of(request).meetings.want(
            body.room, meeting_id=body.meeting_id, title=body.title, key=body.e2ee_key
        )
    except Taken as error:
        raise ApiError(409, str(error), field="meeting_id", value=body.meeting_id) from error
    return json_response({"meeting_id": row.id, "room": row.room, "status": row.status}, status=202)


async def list_some(request: web.Request) -> web.Response:
    """Handle `GET /v1/meetings`: one page of them, newest first; `next` is None on the last page."""
    body, api = read_query(request, ListMeetings), api_of(request)
    statuses = (body.status,) if body.status is not None else ()
    if body.after is not None and await api.meetings.get(body.after) is None:
        raise ApiError(404, "there is no such meeting to go on from", field="after", value=body.after)
    limit = min(body.limit, _MAX_MEETINGS_WITH_OVERVIEW) if body.overview else body.limit
    rows = await api.meetings.list_page(limit=limit, statuses=statuses, after=body.after)
    more = rows[-1].id if len(rows) == limit else None
    overviews = await api.overviews.of([row.id for row in rows]) if body.overview else {}
    listed = [
        row.shown() | (overviews[row.id].model_dump(mode="json") if row.id in overviews else {})
        for row in rows
    ]
    return json_response({"meetings": listed, "next": more})


class SearchQuery(QueryString):
    """The query string of a search."""

    q: Annotated[str, BeforeValidator(to_one_line)] = Field(
        min_length=1, max_length=400, description="words, or a question"
    )
    limit: int = Field(20, ge=1, le=50)


async def search(request: web.Request) -> web.Response:
    """Handle `GET /v1/search`: passages, the best first; `degraded` names what could not be searched."""
    body = read_query(request, SearchQuery)
    query = Query(
        text=body.q, corpora=("earlier", "document"), asker=viewer_of(request).reads_as(), is_search=True
    )
    return await _search_response(request, query, body.limit)


async def search_one(request: web.Request) -> web.Response:
    """Handle `GET /v1/meetings/{id}/search`, as `search`, within one meeting.

    Of a live one the last minutes are not found yet. Whoever may see the meeting may search it.
    """
    row, body = await meeting_of(request), read_query(request, SearchQuery)
    asker = viewer_of(request).reads_as()
    query = Query(text=body.q, meeting_id=row.id, corpora=("meeting",), asker=asker, is_search=True)
    return await _search_response(request, query, body.limit)


async def _search_response(request: web.Request, query: Query, limit: int) -> web.Response:
    result = await api_of(request).retriever.retrieve(query, k=limit, budget_tokens=_TOKENS)
    shown = [_hit(passage, excerpt(passage, query.text)) for passage in result.passages]
    return json_response({"hits": shown, "degraded": list(result.degraded)})


def _hit(passage: Passage, excerpt: Excerpt) -> dict[str, Any]:
    return {
        "kind": "document" if passage.corpus == "document" else "meeting",
        "id": passage.source_id,
        "title": passage.title or passage.source_id,
        "text": excerpt.text,
        "marks": [list(mark) for mark in excerpt.marks],
        "utterance": excerpt.utterance,
        "topic": "" if is_unnamed(passage.topic) else passage.topic,
        "speakers": list(passage.speakers),
        "first_utterance": passage.first,
        "last_utterance": passage.last,
        "page": passage.page,
        "said_at": passage.said_at.isoformat() if passage.said_at is not None else None,
    }


async def show(request: web.Request) -> web.Response:
    """Handle `GET /v1/meetings/{id}`: show a meeting's row in the registry."""
    return json_response((await meeting_of(request)).shown())


async def export(request: web.Request) -> web.Response:
    """Handle `GET /v1/meetings/{id}/export`, as `moim export`; 409 where nothing is on record."""
    form = read_query(request, ExportMeeting).format
    row, api = await meeting_of(request), api_of(request)
    with api.quotas.place(request, "exports", EXPORTS_AT_ONCE):
        if (shape := await load_document(api.store, row, api.settings)) is None:
            raise nothing_yet(row)
        if viewer_of(request).meeting_id is not None:
            shape = for_guests(shape)
        text = await exported(shape, form, api.settings)
    return web.Response(text=text, content_type=_TYPES[form], charset="utf-8")


async def correct(request: web.Request) -> web.Response:
    """Handle `PATCH /v1/meetings/{id}` (202): viewers see the correction as soon as it is on the record."""
    row = await meeting_of(request)
    body = await read_body(request, CorrectMeeting)
    correction = Correction(by=actor_of(request, body.by).shown, fix=body.fix)
    try:
        id_ = await api_of(request).corrections.correct(row, correction)
    except Refused as error:
        raise ApiError(409, str(error), field="meeting_id", value=row.id) from error
    return json_response(shown(correction, id_), status=202)


async def rename(request: web.Request) -> web.Response:
    """Handle `PUT /v1/meetings/{id}/title`: every list and page has the new title, whoever looks sees it."""
    row, body, api = await meeting_of(request), await read_body(request, RenameMeeting), api_of(request)
    await api.meetings.rename(row.id, body.title)
    await api.following.tell(row.id, "title", {"title": body.title})
    return json_response({"meeting_id": row.id, "title": body.title})


async def end(request: web.Request) -> web.Response:
    """Handle `POST /v1/meetings/{id}/end` (202), as `moim end`: its holder ends it within seconds."""
    row = await meeting_of(request)
    if not await api_of(request).meetings.request_end(row.id):
        raise ApiError(409, f"it is {row.status} already", field="meeting_id", value=row.id)
    return json_response({"meeting_id": row.id, "ending": True}, status=202)


async def meeting_of(request: web.Request) -> MeetingRow:
    """Give the meeting that the path names, if this viewer may see it. Raises `ApiError` (404).

    It is looked up once for each request.
    """
    found: MeetingRow | None = request.get(_MEETING)
    if found is not None:
        return found
    id_ = request.match_info["meeting_id"]
    for known_as in dict.fromkeys((id_, one_line(id_))):  # an older one may not be in its canonical form
        storable = len(known_as) <= 200 and name_fault(known_as) is None
        if storable and viewer_of(request).meeting_id in {None, known_as}:
            row = await api_of(request).meetings.get(known_as)
            if row is not None:
                request[_MEETING] = row
                return row
    mend = "there is no such meeting: GET /v1/meetings lists them"
    raise ApiError(404, mend, field="meeting_id", value=id_)


def nothing_yet(row: MeetingRow) -> ApiError:
    """Make the error (409) for a meeting that has nothing on record yet."""
    if row.status == "wanted":
        mend = "nothing is on record, no worker has it yet: ask again once its status is live"
    else:
        mend = f"nothing is on record: the meeting is {row.status}"
    return ApiError(409, mend, field="meeting_id", value=row.id)


class SetRate(Body):
    """How short the summaries of the agent's thread are to be, from the next one on."""

    rate: float = Field(ge=LOWEST_RATE, le=HIGHEST_RATE, description="share that is kept")
    by: PersonId = Field("", description="who says so")


async def thread(request: web.Request) -> web.Response:
    """Handle `GET /v1/meetings/{id}/thread`, as `moim thread --json`; guests see what is of this meeting."""
    row, alone = await meeting_of(request), viewer_of(request).meeting_id is not None
    return json_response(await api_of(request).panels.thread(row, here_alone=alone))


async def budget(request: web.Request) -> web.Response:
    """Handle `GET /v1/meetings/{id}/budget`, as `moim thread --budget --json`."""
    return json_response(await api_of(request).panels.budget(await meeting_of(request)))


async def set_rate(request: web.Request) -> web.Response:
    """Handle `PUT /v1/meetings/{id}/rate` (202): the holder sets it within a second."""
    row = await meeting_of(request)
    body = await read_body(request, SetRate)
    try:
        await api_of(request).panels.set_rate(row, body.rate, actor_of(request, body.by).shown)
    except Refused as error:
        raise ApiError(409, str(error), field="meeting_id", value=row.id) from error
    return json_response({"meeting_id": row.id, "rate": body.rate}, status=202)
