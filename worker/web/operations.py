"""The API's operations in one table: method and path, handler, what each takes and gives back.

`worker.web.api` makes the routes of it, with the rights that they need and their rows in the audit log;
`worker.web.openapi` makes the public description of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from worker.web import (
    ask_requests,
    auditing,
    document_requests,
    live,
    meetings,
    recordings,
    results,
    rights,
    sharing,
    signing_in,
)
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
from worker.web.document_requests import AddDocument
from worker.web.json_answers import Handler
from worker.web.meetings import SearchQuery, SetRate
from worker.web.recordings import AddRecording
from worker.web.rights import (
    EraseInMeeting,
    ErasePerson,
    SetRetention,
    ShowPerson,
    ShowReach,
    ShowWords,
    TellConsent,
)
from worker.web.sharing import JoinMeeting, MakeLink
from worker.web.signing_in import ShowSession, SignIn
from worker.web.viewers import Right

_SESSIONS: Final = "a session shows no words; what is done in it has rows of its own"


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
        result=results.WANTED,
    ),
    Operation(
        "get", "/v1/meetings", meetings.list_some, "meetings, newest first",
        query=ListMeetings, right="all", errors=(404,), audit="list",
        result=results.MEETINGS,
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}", meetings.show, "one meeting",
        result=results.MEETING_REFERENCE, audit="read",
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
        "post", "/v1/meetings/{meeting_id}/ask", ask_requests.ask,
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
        result=results.PLACE_IN_ROOM,
    ),
    Operation(
        "patch", "/v1/meetings/{meeting_id}", meetings.correct,
        "put something right: words, a name, a topic, a statement; what rests on it is made again", 202,
        body=CorrectMeeting, right="edit", errors=(409,), audit="correction",
        result=results.CORRECTION,
    ),
    Operation(
        "put", "/v1/meetings/{meeting_id}/title", meetings.rename, "give it another title",
        body=RenameMeeting, right="edit", audit="renamed",
        result=results.TITLE,
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/consent", rights.tell_consent,
        "somebody agrees to be heard, or does not; programs tell for anybody, people for themselves", 202,
        body=TellConsent, errors=(409,), audit="consent",
        result=results.CONSENT,
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/erasures", rights.erase_in_meeting,
        "take words out of a meeting for good: some turns, a person's, or all; a receipt follows", 202,
        body=EraseInMeeting, errors=(403, 409), result=results.RECEIPT, audit="erasure",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/shown", rights.show_again,
        "show turns again that somebody's /off has hidden: one's own, or an administrator all", 202,
        body=ShowWords, errors=(403, 409), result=results.RECEIPT, audit="shown",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/retention", rights.set_retention,
        "a legal hold, and how long this meeting's words are kept",
        body=SetRetention, right="all", administrator=True, audit="retention",
        result=results.RETENTION,
    ),
    Operation(
        "get", "/v1/audit", auditing.read, "who did what, without content, the newest first",
        query=ReadAudit, administrator=True, audit="audit_read",
        result=results.AUDIT,
    ),
    Operation(
        "get", "/v1/people/{person}", rights.show_person,
        "everything of one person: words, questions, consents",
        query=ShowPerson, errors=(403,), audit="person_export",
        result=results.PERSON,
    ),
    Operation(
        "get", "/v1/people/{person}/reach", rights.show_reach,
        "what an erasure of a person takes, and what is only said to be theirs", query=ShowReach,
        administrator=True, audit="person_reach",
        result=results.REACH,
    ),
    Operation(
        "post", "/v1/erasures", rights.erase_person, "take a person's words out of every meeting", 202,
        body=ErasePerson, right="all", administrator=True, result=results.RECEIPT, audit="erasure",
    ),
    Operation(
        "get", "/v1/erasures/{erasure_id}", rights.show_receipt,
        "how far an erasure has come: its receipt, without a word of it",
        right="all", result=results.RECEIPT, no_audit="a receipt has no word of what was said",
    ),
    Operation(
        "post", "/v1/meetings/{meeting_id}/links", sharing.make,
        "a link to this meeting's page, told once", 201,
        body=MakeLink, right="all", result=results.LINK, audit="link",
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/links", sharing.list_standing,
        "the links that open this meeting", right="all",
        result=results.LINKS,
        no_audit="a link is shown without its secret",
    ),
    Operation(
        "delete", "/v1/meetings/{meeting_id}/links/{link_id}", sharing.withdraw, "withdraw a link",
        right="all", audit="link_withdrawn",
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/thread", meetings.thread,
        "the agent's thread: rate, summaries, what they save", audit="read",
        result=results.THREAD,
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/budget", meetings.budget,
        "what models were sent, the last prompt by producer",
        result=results.BUDGET,
        no_audit="numbers alone",
    ),
    Operation(
        "put", "/v1/meetings/{meeting_id}/rate", meetings.set_rate,
        "how short the summaries are from the next one on", 202,
        body=SetRate, right="edit", errors=(409,), audit="rate",
        result=results.RATE,
    ),
    Operation(
        "post", "/v1/documents", document_requests.add,
        "add a document, its file as the body; a file of the same name is replaced", 201,
        query=AddDocument, upload=True, right="all", errors=(429,),
        result=results.DOCUMENT, audit="document_added",
    ),
    Operation(
        "get", "/v1/documents", document_requests.list_some,
        "the documents that this viewer may read, newest first", right="all", audit="documents",
        result=results.DOCUMENTS,
    ),
    Operation(
        "delete", "/v1/documents/{document_id}", document_requests.remove, "forget a document",
        right="all", audit="document_removed",
    ),
    Operation(
        "post", "/v1/recordings", recordings.add,
        "a recording or a transcript, its file as the body, becomes a meeting: a worker reads it", 202,
        query=AddRecording, upload=True, right="all", errors=(415,), audit="recording_added",
        result=results.RECORDING_ADDED,
    ),
    Operation(
        "get", "/v1/recordings", recordings.list_some,
        "the files that wait or are read, and those that failed within a day; one that is done is a meeting",
        right="all", no_audit="names of files alone; whoever opens the meeting is noted",
        result=results.RECORDINGS,
    ),
    Operation(
        "get", "/v1/search", meetings.search,
        "over all meetings and documents, by words and by meaning",
        query=SearchQuery, right="all", audit="search", result=results.HITS,
    ),
    Operation(
        "get", "/v1/meetings/{meeting_id}/search", meetings.search_one,
        "within one meeting, of a live one without its last minutes",
        query=SearchQuery, audit="search", result=results.HITS,
    ),
    Operation(
        "post", "/v1/session", signing_in.sign_in, "sign in: a cookie for the pages",
        body=SignIn, errors=(429,), result=results.SESSION, public=True, no_audit=_SESSIONS,
    ),
    Operation(
        "get", "/v1/session", signing_in.show_session, "what this viewer may",
        query=ShowSession, result=results.SESSION, no_audit=_SESSIONS,
    ),
    Operation("delete", "/v1/session", signing_in.sign_out, "sign out", no_audit=_SESSIONS),
    Operation(
        "post", "/v1/summarize", ask_requests.summarise,
        "summarise a conversation on top of its last summary; nothing is kept",
        body=Summarize, right="all", errors=(429,),
        no_audit="the words are the sender's own, and nothing is kept",
        result=results.SUMMARY,
    ),
)  # fmt: skip
