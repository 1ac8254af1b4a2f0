"""The API's operations in one table: where each is, who carries it out, what it takes and gives back.

`worker.web.api` makes the routes of it, `worker.web.auditing` the names in the audit log, and
`worker.web.openapi` the description that everybody can read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web
from pydantic import BaseModel

from worker.web import asking, auditing, erasing, library, live, meetings, sharing, signing_in
from worker.web.auditing import ReadAudit
from worker.web.bodies import (
    AskMeeting,
    CorrectMeeting,
    ExportMeeting,
    ListMeetings,
    Summarize,
    WantMeeting,
    WatchMeeting,
)
from worker.web.erasing import RECEIPT, EraseInMeeting, ErasePerson, SetRetention, TellConsent
from worker.web.library import AddDocument
from worker.web.meetings import SearchWish, SetRate
from worker.web.sharing import JoinMeeting, MakeLink
from worker.web.signing_in import SignIn

MEETING: Final = {
    "type": "object",
    "required": ["id", "room", "title", "status", "started_at", "ended_at", "epoch", "holder", "standby"],
    "properties": {
        "id": {"type": "string"},
        "room": {"type": ["string", "null"]},
        "title": {"type": ["string", "null"]},
        "status": {"enum": ["wanted", "live", "ended", "failed"]},
        "started_at": {"type": ["string", "null"], "format": "date-time"},
        "ended_at": {"type": ["string", "null"], "format": "date-time"},
        "epoch": {"type": "integer"},
        "holder": {"type": ["object", "null"]},
        "standby": {"type": ["object", "null"]},
        "failure": {"type": "string"},
        "reason": {"type": "string", "description": "why nothing came of it: failed, or nobody came"},
        "people": {
            "type": "array",
            "items": {"type": "string"},
            "description": "with `overview`, as all below",
        },
        "length_ms": {"type": "integer"},
        "topics": {"type": "array", "items": {"type": "string"}},
        "decisions": {"type": "array", "items": {"type": "string"}},
    },
}
_LINK: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["id", "meeting_id", "may_edit", "made_at", "expires_at"],
    "properties": {
        "id": {"type": "string"},
        "meeting_id": {"type": "string"},
        "may_edit": {"type": "boolean"},
        "made_at": {"type": "string", "format": "date-time"},
        "expires_at": {"type": "string", "format": "date-time"},
        "path": {
            "type": "string",
            "description": "the page's address behind the host, told once",
        },
    },
}
_HIT: Final = {
    "type": "object",
    "required": ["kind", "id", "title", "text", "first_utterance", "page"],
    "properties": {
        "kind": {"enum": ["meeting", "document"]},
        "id": {"type": "string"},
        "title": {"type": "string"},
        "text": {"type": "string"},
        "topic": {"type": "string"},
        "speakers": {"type": "array", "items": {"type": "string"}},
        "first_utterance": {"type": ["integer", "null"]},
        "last_utterance": {"type": ["integer", "null"]},
        "page": {"type": ["integer", "null"]},
        "said_at": {"type": ["string", "null"], "format": "date-time"},
    },
}
_DOCUMENT: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["id", "title", "kind", "bytes", "pages", "passages", "access", "added_at"],
    "properties": {
        "id": {"type": "string"},
        "title": {"type": "string"},
        "kind": {"type": "string"},
        "bytes": {"type": "integer"},
        "pages": {"type": ["integer", "null"]},
        "passages": {"type": "integer"},
        "access": {
            "type": "array",
            "items": {"type": "string"},
            "description": "who may read it; empty: all",
        },
        "added_at": {"type": "string", "format": "date-time"},
        "replaced": {"type": "boolean"},
    },
}
_SESSION: Final = {
    "type": "object",
    "required": ["meeting_id", "may_edit", "may_join", "person", "kept_days"],
    "properties": {
        "meeting_id": {"type": ["string", "null"], "description": "the one meeting that a link lets in to"},
        "may_edit": {"type": "boolean"},
        "may_join": {"type": "boolean"},
        "person": {"type": ["string", "null"], "description": "who a proxy has signed in"},
        "kept_days": {
            "type": ["integer", "null"],
            "description": "words are erased so long after the end",
        },
    },
}


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API."""

    method: str
    path: str
    handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    summary: str
    status: int = 200
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    errors: tuple[int, ...] = ()
    result: dict[str, Any] | None = None
    upload: bool = False
    """The body is a file."""
    content: tuple[str, ...] = ("application/json",)
    audit: str = ""
    """Its name in the audit log; what has none shows no words of a meeting and changes none."""
    public: bool = False
    """For who is nobody yet."""
    joins: bool = False
    """Only where browsers can reach LiveKit (MOIM_JOIN_URL)."""


OPERATIONS: Final = (
    Operation(
        "post", "/v1/meetings", meetings.want,
        "want a worker in a room; the same open room again is the same meeting", 202,
        body=WantMeeting, errors=(409,),
        result={"type": "object", "required": ["meeting_id", "room", "status"], "properties": {
            "meeting_id": {"type": "string"}, "room": {"type": ["string", "null"]},
            "status": {"type": "string"}}}, audit="dispatch",
    ),
    Operation(
        "get", "/v1/meetings", meetings.list_some,
        "meetings, newest first", query=ListMeetings, errors=(404,),
        result={"type": "object", "required": ["meetings", "next"], "properties": {
            "meetings": {"type": "array", "items": {"$ref": "#/components/schemas/Meeting"}},
            "next": {"type": ["string", "null"], "description": "`after` of the next page"}}},
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}", meetings.show, "one meeting", errors=(404,),
        result={"$ref": "#/components/schemas/Meeting"}, audit="read",
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/export", meetings.export,
        "the meeting from its record", query=ExportMeeting,
        errors=(404, 409, 429),
        content=("application/json", "text/markdown", "text/vtt", "application/x-subrip"), audit="export",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/end", meetings.end,
        "end it as if everybody had left", 202, errors=(404, 409), audit="end",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/ask", asking.ask,
        'ask about it; with `stream` the first event is {"metadata":{"conversationId":…}}',
        body=AskMeeting, errors=(404, 409, 429), content=("application/json", "text/event-stream"),
        audit="ask",
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/events", live.events,
        "the meeting as it goes on: its document, then each change under the number of its event;"
        " Last-Event-ID goes on behind one",
        query=WatchMeeting, errors=(404, 429), content=("text/event-stream",), audit="read",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/join", sharing.join,
        "a token to speak in its room; where MOIM_JOIN_URL is set",
        body=JoinMeeting, errors=(404, 409),
        result={"type": "object", "required": ["url", "token", "identity", "room"], "properties": {
            "url": {"type": "string"}, "token": {"type": "string"}, "identity": {"type": "string"},
            "room": {"type": "string"}}}, audit="join", joins=True,
    ),
    Operation(
        "patch", "/v1/meetings/{meeting_id}", meetings.correct,
        "put something right: words, a name, a topic, a statement; what rests on it is made again", 202,
        body=CorrectMeeting, errors=(403, 404, 409),
        result={"type": "object", "required": ["id", "by", "fix"], "properties": {
            "id": {"type": "string"}, "by": {"type": "string"}, "fix": {"type": "object"}}},
        audit="correction",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/consent", erasing.tell_consent,
        "somebody agrees to be heard, or does not; programs tell for anybody, people for themselves", 202,
        body=TellConsent, errors=(403, 404, 409),
        result={"type": "object", "required": ["person", "agreed"]}, audit="consent",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/erasures", erasing.erase_in_meeting,
        "take words out of a meeting for good: some turns, a person's, or all; a receipt follows", 202,
        body=EraseInMeeting, errors=(403, 404, 409), result=RECEIPT, audit="erasure",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/retention", erasing.set_retention,
        "a legal hold, and how long this meeting's words are kept", body=SetRetention, errors=(403, 404),
        result={"type": "object", "required": ["meeting_id"]}, audit="retention",
    ),
    Operation(
        "get", "/v1/audit", auditing.read, "who did what, without content, the newest first; for programs",
        query=ReadAudit, errors=(403,),
        result={"type": "object", "required": ["entries"], "properties": {
            "entries": {"type": "array", "items": {
                "type": "object", "required": ["at", "who", "how", "action"]}}}}, audit="audit_read",
    ),
    Operation(
        "get", "/v1/people/{person}", erasing.show_person,
        "everything of one person: words, questions, consents",
        errors=(403,),
        result={"type": "object", "required": ["person", "meetings", "utterances", "questions", "consents"]},
        audit="person_export",
    ),
    Operation(
        "post", "/v1/erasures", erasing.erase_person, "take a person's words out of every meeting", 202,
        body=ErasePerson, errors=(403,), result=RECEIPT, audit="erasure",
    ),
    Operation(
        "get", "/v1/erasures/{erasure_id}", erasing.show_receipt,
        "how far an erasure has come: its receipt, without a word of it",
        errors=(403, 404), result=RECEIPT,
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/links", sharing.make,
        "a link to this meeting's page, told once", 201,
        body=MakeLink, errors=(403, 404), result={**_LINK, "required": [*_LINK["required"], "path"]},
        audit="link",
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/links", sharing.list_standing,
        "the links that open this meeting", errors=(403, 404),
        result={"type": "object", "required": ["links"], "properties": {
            "links": {"type": "array", "items": _LINK}}},
    ),
    Operation(
        "delete", "/v1/meetings/{meeting_id}/links/{link_id}", sharing.withdraw,
        "withdraw a link", errors=(403, 404), audit="link_withdrawn",
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/thread", meetings.thread,
        "the agent's thread: rate, summaries, what they save",
        errors=(404,),
        result={"type": "object", "required": ["compression_rate", "summary_history", "statistics"]},
        audit="read",
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/budget", meetings.budget,
        "what models were sent, the last prompt by producer",
        errors=(404,),
        result={"type": "object", "required": [
            "total_budget", "used", "remaining", "usage_percent", "per_agent", "compression_mode", "next",
            "compression_share", "per_purpose", "last"]},
    ),
    Operation(
        "put", "/v1/meetings/{meeting_id}/rate", meetings.set_rate,
        "how short the summaries are from the next one on", 202,
        body=SetRate, errors=(404, 409),
        result={"type": "object", "required": ["meeting_id", "rate"]},
    ),
    Operation(
        "post", "/v1/documents", library.add,
        "add a document, its file as the body; a file of the same name is replaced", 201,
        query=AddDocument, upload=True, errors=(403, 429), result=_DOCUMENT, audit="document_added",
    ),
    Operation(
        "get", "/v1/documents", library.list_some,
        "the documents that this viewer may read, newest first", errors=(403,),
        result={"type": "object", "required": ["documents"], "properties": {
            "documents": {"type": "array", "items": _DOCUMENT}}},
    ),
    Operation(
        "delete", "/v1/documents/{document_id}", library.remove, "forget a document",
        errors=(403, 404), audit="document_removed",
    ),
    Operation(
        "get", "/v1/search", meetings.search,
        "over all meetings and documents, by words and by meaning", query=SearchWish,
        errors=(403,),
        result={"type": "object", "required": ["hits", "degraded"], "properties": {
            "hits": {"type": "array", "items": _HIT},
            "degraded": {"type": "array", "items": {"type": "string"}}}}, audit="search",
    ),
    Operation(
        "post", "/v1/session", signing_in.sign_in,
        "sign in: a cookie for the pages", body=SignIn, errors=(403, 429), result=_SESSION, public=True,
    ),
    Operation("get", "/v1/session", signing_in.show_session, "what this viewer may", result=_SESSION),
    Operation("delete", "/v1/session", signing_in.sign_out, "sign out", errors=(403,)),
    Operation(
        "post", "/v1/summarize", asking.summarise,
        "summarise a conversation on top of its last summary; nothing is kept",
        body=Summarize, errors=(429,),
        result={"type": "object", "required": ["summary", "engine"], "properties": {
            "summary": {"type": "string"}, "engine": {"type": "string"},
            "original_chars": {"type": "integer"}, "summary_chars": {"type": "integer"},
            "covered_message_count": {"type": "integer"}, "latency_ms": {"type": "integer"}}},
    ),
)  # fmt: skip
