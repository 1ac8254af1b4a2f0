"""The API's operations in one table: method and path, handler, what each takes and gives back.

`worker.web.api` makes the routes of it, with the rights that they need and their rows in the audit log;
`worker.web.openapi` makes the public description of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from pydantic import BaseModel

from worker.ports import ReasonCode
from worker.web import asking, auditing, erasing, library, live, meetings, recordings, sharing, signing_in
from worker.web.auditing import ReadAudit
from worker.web.bodies import (
    AskMeeting,
    CorrectMeeting,
    ExportMeeting,
    ListMeetings,
    RenameMeeting,
    Summarize,
    WantMeeting,
    WatchMeeting,
)
from worker.web.erasing import (
    EraseInMeeting,
    ErasePerson,
    SetRetention,
    ShowPerson,
    ShowReach,
    ShowWords,
    TellConsent,
)
from worker.web.errors import Handler
from worker.web.library import AddDocument
from worker.web.meetings import SearchWish, SetRate
from worker.web.recordings import AddRecording
from worker.web.sharing import JoinMeeting, MakeLink
from worker.web.signing_in import ShowSession, SignIn
from worker.web.viewers import Right

_TEXT: Final = {"type": "string"}
_TEXT_OR_NONE: Final = {"type": ["string", "null"]}
_NUMBER: Final = {"type": "integer"}
_NUMBER_OR_NONE: Final = {"type": ["integer", "null"]}
_FLAG: Final = {"type": "boolean"}
_TIME: Final = {"type": "string", "format": "date-time"}
_TIME_OR_NONE: Final = {"type": ["string", "null"], "format": "date-time"}
_OBJECT: Final = {"type": "object"}
_SESSIONS: Final = "a session shows no words; what is done in it has rows of its own"
_OBJECT_OR_NONE: Final = {"type": ["object", "null"]}


def _having(*fields: str) -> dict[str, Any]:
    """The JSON Schema of an object that has these fields, of any type."""
    return {"type": "object", "required": list(fields)}


def _list_of(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _described(schema: Mapping[str, Any], meaning: str) -> dict[str, Any]:
    return {**schema, "description": meaning}


def _object(always: Mapping[str, Any], sometimes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The JSON Schema of an object with these fields; those of `sometimes` may be missing."""
    return {"type": "object", "required": [*always], "properties": {**always, **(sometimes or {})}}


MEETING: Final = _object(
    {
        "id": _TEXT,
        "room": _TEXT_OR_NONE,
        "title": _TEXT_OR_NONE,
        "status": {"enum": ["wanted", "live", "ended", "failed"]},
        "started_at": _TIME_OR_NONE,
        "ended_at": _TIME_OR_NONE,
        "epoch": _NUMBER,
        "holder": _OBJECT_OR_NONE,
        "standby": _OBJECT_OR_NONE,
    },
    {
        "failure": _TEXT,
        "waiting_ms": _described(
            {"type": "integer"},
            "how much speech has no text yet: its lines come late; not there where none waits",
        ),
        "reason": _described(_TEXT, "why nothing came of it: failed, or nobody came"),
        "reason_code": _described(
            {"enum": list(get_args(ReasonCode))}, "the same as a word, for a page's own language"
        ),
        "people": _described(_list_of(_TEXT), "with `overview`, as all below"),
        "length_ms": _NUMBER,
        "topics": _list_of(_TEXT),
        "decisions": _list_of(_TEXT),
    },
)
_KIND: Final = {"enum": ["transcript", "sound"]}
_RECORDING: Final = _object(
    {
        "meeting_id": _TEXT,
        "name": _TEXT,
        "kind": _KIND,
        "bytes": _NUMBER,
        "total": _described(_NUMBER, "lines, or ms of sound as the file tells its length; 0: it does not"),
        "done": _described(_NUMBER, "of them"),
        "state": {"enum": ["waiting", "reading", "failed"]},
        "fault": _described(
            _TEXT_OR_NONE, "why it failed, as a word; the meeting's `failure` says it in a line"
        ),
        "fault_value": _TEXT_OR_NONE,
        "added_at": _TIME,
    }
)
_MEETING: Final = {"$ref": "#/components/schemas/Meeting"}
_LINK: Final = {"id": _TEXT, "meeting_id": _TEXT, "may_edit": _FLAG, "made_at": _TIME, "expires_at": _TIME}
_PATH: Final = {"path": _described(_TEXT, "the page's address behind the host, told once")}
_HIT: Final = _object(
    {
        "kind": {"enum": ["meeting", "document"]},
        "id": _TEXT,
        "title": _TEXT,
        "text": _described(_TEXT, "the passage, from the line on that was hit"),
        "marks": _described(
            _list_of(_list_of(_NUMBER)), "where the words stand in `text`: from and behind which character"
        ),
        "utterance": _described(_NUMBER_OR_NONE, "the line's utterance"),
        "first_utterance": _NUMBER_OR_NONE,
        "page": _NUMBER_OR_NONE,
    },
    {
        "topic": _TEXT,
        "speakers": _list_of(_TEXT),
        "last_utterance": _NUMBER_OR_NONE,
        "said_at": _TIME_OR_NONE,
    },
)
_HITS: Final = _object({"hits": _list_of(_HIT), "degraded": _list_of(_TEXT)})
_DOCUMENT: Final = _object(
    {
        "id": _TEXT,
        "title": _TEXT,
        "kind": _TEXT,
        "bytes": _NUMBER,
        "pages": _NUMBER_OR_NONE,
        "passages": _NUMBER,
        "access": _described(_list_of(_TEXT), "who may read it; empty: all"),
        "added_at": _TIME,
    },
    {"replaced": _FLAG},
)
_BESIDE: Final = _having("meeting_id", "utterances", "merged", "moved_here", "moved_away")
_RECEIPT: Final = _object(
    {
        "id": _TEXT,
        "target": _OBJECT,
        "by": _TEXT,
        "asked_at": _TEXT,
        "steps": _list_of(_having("meeting_id", "done_at", "counts")),
        "done": _FLAG,
        "not_reached": _described(_list_of(_TEXT), "what no erasure of Moim's reaches"),
    },
    {
        "reaches": _described(
            _list_of(_BESIDE),
            "of a person, for administrators: what is theirs, and what is only said to be: to be confirmed",
        )
    },
)
_SESSION: Final = _object(
    {
        "meeting_id": _described(_TEXT_OR_NONE, "the one meeting that a link opens"),
        "may_edit": _FLAG,
        "may_join": _FLAG,
        "person": _described(_TEXT_OR_NONE, "whom a proxy has signed in"),
        "administrator": _described(_FLAG, "may do what concerns others' words"),
        "kept_days": _described(_NUMBER_OR_NONE, "how many days after a meeting's end its words are erased"),
        "own_minutes": _described(_FLAG, "minutes in Markdown are in the form of MOIM_MINUTES_TEMPLATE"),
        "packaged_speech": _described(_FLAG, "speech is recognised by the small model that comes with Moim"),
    },
    {"identity": _described(_TEXT_OR_NONE, "the participant that this viewer is in the meeting's room")},
)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API: a row of `OPERATIONS`."""

    method: str
    path: str
    handler: Handler
    summary: str
    status: int = 200
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    right: Right = "look"
    """The right that a viewer needs for it, who may have come by a link to one meeting."""
    errors: tuple[int, ...] = ()
    """Statuses of errors that its handler answers with, beside those that follow from the other fields."""
    result: dict[str, Any] | None = None
    """The JSON Schema of what a success gives back."""
    upload: bool = False
    """The body is a file."""
    content: tuple[str, ...] = ("application/json",)
    audit: str = ""
    """The action's name in the audit log, for all that shows words (a title's, too) or changes anything."""
    no_audit: str = ""
    """Why it has no row in the audit log, where it has none."""
    administrator: bool = False
    """It is for administrators alone."""
    public: bool = False
    """It is open to those who have not signed in."""
    by_commands: bool = False
    """Commands of `moim` use it by the dispatcher's socket on their machine (`worker.web.local_socket`)."""


OPERATIONS: Final = (
    Operation(
        "post", "/v1/meetings", meetings.want,
        "want a worker in a room; the same open room again is the same meeting", 202,
        body=WantMeeting, right="all", errors=(409,), audit="dispatch",
        result=_object({"meeting_id": _TEXT, "room": _TEXT_OR_NONE, "status": _TEXT}),
    ),
    Operation(
        "get", "/v1/meetings", meetings.list_some, "meetings, newest first",
        query=ListMeetings, right="all", errors=(404,), audit="list",
        result=_object(
            {"meetings": _list_of(_MEETING), "next": _described(_TEXT_OR_NONE, "`after` of the next page")}
        ),
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}", meetings.show, "one meeting", result=_MEETING, audit="read",
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/export", meetings.export, "the meeting from its record",
        query=ExportMeeting, errors=(409, 429), audit="export",
        content=("application/json", "text/markdown", "text/vtt", "application/x-subrip"),
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/end", meetings.end, "end it as if everybody had left", 202,
        right="edit", errors=(409,), audit="end",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/ask", asking.ask,
        'ask about it; with `stream` the first event is {"metadata":{"conversationId":…}}',
        body=AskMeeting, errors=(409, 429), audit="ask", by_commands=True,
        content=("application/json", "text/event-stream"),
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/events", live.events,
        "the meeting as it goes on: its document, then each change under the number of its event;"
        " Last-Event-ID goes on behind one",
        query=WatchMeeting, errors=(429,), content=("text/event-stream",), audit="read",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/join", sharing.join,
        "a token to speak in its room; 409 where MOIM_JOIN_URL is not set",
        body=JoinMeeting, right="edit", errors=(409,), audit="join",
        result=_object({"url": _TEXT, "token": _TEXT, "identity": _TEXT, "room": _TEXT}),
    ),
    Operation(
        "patch", "/v1/meetings/{meeting_id}", meetings.correct,
        "put something right: words, a name, a topic, a statement; what rests on it is made again", 202,
        body=CorrectMeeting, right="edit", errors=(409,), audit="correction",
        result=_object({"id": _TEXT, "by": _TEXT, "fix": _OBJECT}),
    ),
    Operation(
        "put", "/v1/meetings/{meeting_id}/title", meetings.rename, "give it another title",
        body=RenameMeeting, right="edit", audit="renamed",
        result=_object({"meeting_id": _TEXT, "title": _TEXT}),
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/consent", erasing.tell_consent,
        "somebody agrees to be heard, or does not; programs tell for anybody, people for themselves", 202,
        body=TellConsent, errors=(409,), audit="consent",
        result=_having("person", "agreed"),
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/erasures", erasing.erase_in_meeting,
        "take words out of a meeting for good: some turns, a person's, or all; a receipt follows", 202,
        body=EraseInMeeting, errors=(403, 409), result=_RECEIPT, audit="erasure",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/shown", erasing.show_again,
        "show turns again that somebody's /off has hidden: one's own, or an administrator all", 202,
        body=ShowWords, errors=(403, 409), result=_RECEIPT, audit="shown",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/retention", erasing.set_retention,
        "a legal hold, and how long this meeting's words are kept",
        body=SetRetention, right="all", administrator=True, audit="retention",
        result=_having("meeting_id"),
    ),
    Operation(
        "get", "/v1/audit", auditing.read, "who did what, without content, the newest first",
        query=ReadAudit, administrator=True, audit="audit_read",
        result=_object({"entries": _list_of(_having("at", "who", "how", "action"))}),
    ),
    Operation(
        "get", "/v1/people/{person}", erasing.show_person,
        "everything of one person: words, questions, consents",
        query=ShowPerson, errors=(403,), audit="person_export",
        result=_having("person", "meetings", "utterances", "questions", "consents"),
    ),
    Operation(
        "get", "/v1/people/{person}/reach", erasing.show_reach,
        "what an erasure of a person takes, and what is only said to be theirs", query=ShowReach,
        administrator=True, audit="person_reach",
        result=_object({"person": _TEXT, "reaches": _list_of(_BESIDE)}),
    ),
    Operation(
        "post", "/v1/erasures", erasing.erase_person, "take a person's words out of every meeting", 202,
        body=ErasePerson, right="all", administrator=True, result=_RECEIPT, audit="erasure",
    ),
    Operation(
        "get", "/v1/erasures/{erasure_id}", erasing.show_receipt,
        "how far an erasure has come: its receipt, without a word of it",
        right="all", result=_RECEIPT, no_audit="a receipt has no word of what was said",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/links", sharing.make,
        "a link to this meeting's page, told once", 201,
        body=MakeLink, right="all", result=_object({**_LINK, **_PATH}), audit="link",
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/links", sharing.list_standing,
        "the links that open this meeting", right="all",
        result=_object({"links": _list_of(_object(_LINK, _PATH))}),
        no_audit="a link is shown without its secret",
    ),
    Operation(
        "delete", "/v1/meetings/{meeting_id}/links/{link_id}", sharing.withdraw, "withdraw a link",
        right="all", audit="link_withdrawn",
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/thread", meetings.thread,
        "the agent's thread: rate, summaries, what they save", audit="read",
        result=_having("compression_rate", "summary_history", "statistics"),
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/budget", meetings.budget,
        "what models were sent, the last prompt by producer",
        result=_having(
            "total_budget", "used", "remaining", "usage_percent", "per_agent", "compression_mode", "next",
            "compression_share", "hour", "per_purpose", "last",
        ),
        no_audit="numbers alone",
    ),
    Operation(
        "put", "/v1/meetings/{meeting_id}/rate", meetings.set_rate,
        "how short the summaries are from the next one on", 202,
        body=SetRate, right="edit", errors=(409,), audit="rate",
        result=_having("meeting_id", "rate"),
    ),
    Operation(
        "post", "/v1/documents", library.add,
        "add a document, its file as the body; a file of the same name is replaced", 201,
        query=AddDocument, upload=True, right="all", errors=(429,), result=_DOCUMENT, audit="document_added",
    ),
    Operation(
        "get", "/v1/documents", library.list_some,
        "the documents that this viewer may read, newest first", right="all", audit="documents",
        result=_object({"documents": _list_of(_DOCUMENT)}),
    ),
    Operation(
        "delete", "/v1/documents/{document_id}", library.remove, "forget a document",
        right="all", audit="document_removed",
    ),
    Operation(
        "post", "/v1/recordings", recordings.add,
        "a recording or a transcript, its file as the body, becomes a meeting: a worker reads it", 202,
        query=AddRecording, upload=True, right="all", errors=(415,), audit="recording_added",
        result=_object(
            {"meeting_id": _TEXT, "name": _TEXT, "kind": _KIND, "bytes": _NUMBER, "total": _NUMBER}
        ),
    ),
    Operation(
        "get", "/v1/recordings", recordings.list_some,
        "the files that wait or are read, and those that failed within a day; one that is done is a meeting",
        right="all", no_audit="names of files alone; whoever opens the meeting is noted",
        result=_object(
            {"recordings": _list_of(_RECORDING), "largest_mb": _NUMBER, "longest_hours": {"type": "number"}}
        ),
    ),
    Operation(
        "get", "/v1/search", meetings.search,
        "over all meetings and documents, by words and by meaning",
        query=SearchWish, right="all", audit="search", result=_HITS,
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/search", meetings.search_one,
        "within one meeting, of a live one without its last minutes",
        query=SearchWish, audit="search", result=_HITS,
    ),
    Operation(
        "post", "/v1/session", signing_in.sign_in, "sign in: a cookie for the pages",
        body=SignIn, errors=(429,), result=_SESSION, public=True, no_audit=_SESSIONS,
    ),
    Operation(
        "get", "/v1/session", signing_in.show_session, "what this viewer may",
        query=ShowSession, result=_SESSION, no_audit=_SESSIONS,
    ),
    Operation("delete", "/v1/session", signing_in.sign_out, "sign out", no_audit=_SESSIONS),
    Operation(
        "post", "/v1/summarize", asking.summarise,
        "summarise a conversation on top of its last summary; nothing is kept",
        body=Summarize, right="all", errors=(429,),
        no_audit="the words are the sender's own, and nothing is kept",
        result=_object(
            {"summary": _TEXT, "engine": _TEXT},
            {"original_chars": _NUMBER, "summary_chars": _NUMBER, "covered_message_count": _NUMBER,
             "latency_ms": _NUMBER},
        ),
    ),
)  # fmt: skip
