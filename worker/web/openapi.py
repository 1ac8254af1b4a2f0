"""The API's own description, made from the models that check its requests."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

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
from worker.web.meetings import SetRate
from worker.web.searching import SearchWish
from worker.web.sharing import JoinMeeting, MakeLink
from worker.web.signing_in import SignIn

_ERROR: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["field", "value", "mend"],
            "properties": {
                "field": {"type": ["string", "null"]},
                "value": {"type": ["string", "number", "boolean", "null"]},
                "mend": {"type": "string"},
            },
        }
    },
}
_MEANING: Final = {
    400: "the request is wrong; `field`, `value` and `mend` say where",
    401: "the bearer token is missing or wrong",
    403: "this session may not, or another site's page sent it",
    404: "no such meeting",
    408: "the body did not come in time",
    409: "the meeting is over, or not that far",
    413: "the body is too large",
    415: "the body is no JSON in UTF-8",
    429: "too much at once; see Retry-After",
    503: "a part of Moim is out of reach; see Retry-After",
}
_MEETING: Final = {
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
    """One operation of the API, as its description tells it: address, method, body and result."""

    method: str
    path: str
    summary: str
    status: int = 200
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    errors: tuple[int, ...] = ()
    result: dict[str, Any] | None = None
    upload: bool = False
    """The body is a file."""
    content: tuple[str, ...] = ("application/json",)


OPERATIONS: Final = (
    Operation(
        "post", "/v1/meetings", "want a worker in a room; the same open room again is the same meeting", 202,
        body=WantMeeting, errors=(409,),
        result={"type": "object", "required": ["meeting_id", "room", "status"], "properties": {
            "meeting_id": {"type": "string"}, "room": {"type": ["string", "null"]},
            "status": {"type": "string"}}},
    ),
    Operation(
        "get", "/v1/meetings", "meetings, newest first", query=ListMeetings, errors=(404,),
        result={"type": "object", "required": ["meetings", "next"], "properties": {
            "meetings": {"type": "array", "items": {"$ref": "#/components/schemas/Meeting"}},
            "next": {"type": ["string", "null"], "description": "`after` of the next page"}}},
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}", "one meeting", errors=(404,),
        result={"$ref": "#/components/schemas/Meeting"},
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/export", "the meeting from its record", query=ExportMeeting,
        errors=(404, 409, 429),
        content=("application/json", "text/markdown", "text/vtt", "application/x-subrip"),
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/end", "end it as if everybody had left", 202, errors=(404, 409)
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/ask",
        'ask about it; with `stream` the first event is {"metadata":{"conversationId":…}}',
        body=AskMeeting, errors=(404, 409, 429), content=("application/json", "text/event-stream"),
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/events",
        "the meeting as it goes on: its document, then each change under the number of its event;"
        " Last-Event-ID goes on behind one",
        query=WatchMeeting, errors=(404, 429), content=("text/event-stream",),
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/join", "a token to speak in its room; where MOIM_JOIN_URL is set",
        body=JoinMeeting, errors=(404, 409),
        result={"type": "object", "required": ["url", "token", "identity", "room"], "properties": {
            "url": {"type": "string"}, "token": {"type": "string"}, "identity": {"type": "string"},
            "room": {"type": "string"}}},
    ),
    Operation(
        "patch", "/v1/meetings/{meeting_id}",
        "put something right: words, a name, a topic, a statement; what rests on it is made again", 202,
        body=CorrectMeeting, errors=(403, 404, 409),
        result={"type": "object", "required": ["id", "by", "fix"], "properties": {
            "id": {"type": "string"}, "by": {"type": "string"}, "fix": {"type": "object"}}},
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/consent",
        "somebody agrees to be heard, or does not; programs tell for anybody, people for themselves", 202,
        body=TellConsent, errors=(403, 404, 409),
        result={"type": "object", "required": ["person", "agreed"]},
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/erasures",
        "take words out of a meeting for good: some turns, a person's, or all; a receipt follows", 202,
        body=EraseInMeeting, errors=(403, 404, 409), result=RECEIPT,
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/retention",
        "a legal hold, and how long this meeting's words are kept", body=SetRetention, errors=(403, 404),
        result={"type": "object", "required": ["meeting_id"]},
    ),
    Operation(
        "get", "/v1/audit", "who did what, without content, the newest first; for programs",
        query=ReadAudit, errors=(403,),
        result={"type": "object", "required": ["entries"], "properties": {
            "entries": {"type": "array", "items": {
                "type": "object", "required": ["at", "who", "how", "action"]}}}},
    ),
    Operation(
        "get", "/v1/people/{person}", "everything of one person: words, questions, consents",
        errors=(403,),
        result={"type": "object", "required": ["person", "meetings", "utterances", "questions", "consents"]},
    ),
    Operation(
        "post", "/v1/erasures", "take a person's words out of every meeting", 202,
        body=ErasePerson, errors=(403,), result=RECEIPT,
    ),
    Operation(
        "get", "/v1/erasures/{erasure_id}", "how far an erasure has come: its receipt, without a word of it",
        errors=(403, 404), result=RECEIPT,
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/links", "a link to this meeting's page, told once", 201,
        body=MakeLink, errors=(403, 404), result={**_LINK, "required": [*_LINK["required"], "path"]},
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/links", "the links that open this meeting", errors=(403, 404),
        result={"type": "object", "required": ["links"], "properties": {
            "links": {"type": "array", "items": _LINK}}},
    ),
    Operation(
        "delete", "/v1/meetings/{meeting_id}/links/{link_id}", "withdraw a link", errors=(403, 404),
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/thread", "the agent's thread: rate, summaries, what they save",
        errors=(404,),
        result={"type": "object", "required": ["compression_rate", "summary_history", "statistics"]},
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/budget", "what models were sent, the last prompt by producer",
        errors=(404,),
        result={"type": "object", "required": [
            "total_budget", "used", "remaining", "usage_percent", "per_agent", "compression_mode", "next",
            "compression_share", "per_purpose", "last"]},
    ),
    Operation(
        "put", "/v1/meetings/{meeting_id}/rate", "how short the summaries are from the next one on", 202,
        body=SetRate, errors=(404, 409),
        result={"type": "object", "required": ["meeting_id", "rate"]},
    ),
    Operation(
        "post", "/v1/documents",
        "add a document, its file as the body; a file of the same name is replaced", 201,
        query=AddDocument, upload=True, errors=(403, 429), result=_DOCUMENT,
    ),
    Operation(
        "get", "/v1/documents", "the documents that this viewer may read, newest first", errors=(403,),
        result={"type": "object", "required": ["documents"], "properties": {
            "documents": {"type": "array", "items": _DOCUMENT}}},
    ),
    Operation("delete", "/v1/documents/{document_id}", "forget a document", errors=(403, 404)),
    Operation(
        "get", "/v1/search", "over all meetings and documents, by words and by meaning", query=SearchWish,
        errors=(403,),
        result={"type": "object", "required": ["hits", "degraded"], "properties": {
            "hits": {"type": "array", "items": _HIT},
            "degraded": {"type": "array", "items": {"type": "string"}}}},
    ),
    Operation(
        "post", "/v1/session", "sign in: a cookie for the pages", body=SignIn, errors=(403, 429),
        result=_SESSION,
    ),
    Operation("get", "/v1/session", "what this viewer may", result=_SESSION),
    Operation("delete", "/v1/session", "sign out", errors=(403,)),
    Operation(
        "post", "/v1/summarize", "summarise a conversation on top of its last summary; nothing is kept",
        body=Summarize, errors=(429,),
        result={"type": "object", "required": ["summary", "engine"], "properties": {
            "summary": {"type": "string"}, "engine": {"type": "string"},
            "original_chars": {"type": "integer"}, "summary_chars": {"type": "integer"},
            "covered_message_count": {"type": "integer"}, "latency_ms": {"type": "integer"}}},
    ),
)  # fmt: skip


def document() -> dict[str, Any]:
    """Describe the API in OpenAPI 3.1."""
    bodies = [operation.body for operation in OPERATIONS if operation.body is not None]
    _, schemas = models_json_schema(
        [(body, "validation") for body in bodies], ref_template="#/components/schemas/{model}"
    )
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Moim", "version": _version()},
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": _ERROR, "Meeting": _MEETING, **schemas.get("$defs", {})},
        },
    }


def _described(operation: Operation) -> dict[str, Any]:
    sent = (408, 413, 415) if operation.body else (408, 413) if operation.upload else ()
    codes = {400, 401, 429, 503, *operation.errors, *sent}
    if operation.method != "get":
        codes.add(403)
    failing = {
        str(code): {
            "description": _MEANING[code],
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
        for code in sorted(codes)
    }
    done = {"description": "asked for" if operation.status == 202 else "done"}
    content = {kind: {"schema": operation.result or {}} for kind in operation.content}
    described: dict[str, Any] = {
        "summary": operation.summary,
        "responses": {str(operation.status): {**done, "content": content}, **failing},
    }
    if parameters := _parameters(operation):
        described["parameters"] = parameters
    if operation.body is not None:
        ref = {"$ref": f"#/components/schemas/{operation.body.__name__}"}
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": ref}}}
    if operation.upload:
        file = {"schema": {"type": "string", "format": "binary"}}
        described["requestBody"] = {"required": True, "content": {"application/octet-stream": file}}
    return described


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if "{meeting_id}" in operation.path:
        found.append({"name": "meeting_id", "in": "path", "required": True, "schema": {"type": "string"}})
    found += [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in ("link_id", "document_id", "erasure_id", "person")
        if f"{{{name}}}" in operation.path
    ]
    if operation.query is not None:
        described = operation.query.model_json_schema()
        for name, schema in described["properties"].items():
            needed = name in described.get("required", ())
            found.append({"name": name, "in": "query", "required": needed, "schema": schema})
    return found


def _version() -> str:
    try:
        return version("moim")
    except PackageNotFoundError:
        return "0"
