"""What the API's operations give back, in JSON Schema: the counterpart of `worker.web.bodies`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

from worker.ports import ReasonCode

_TEXT: Final = {"type": "string"}
_TEXT_OR_NONE: Final = {"type": ["string", "null"]}
_NUMBER: Final = {"type": "integer"}
_NUMBER_OR_NONE: Final = {"type": ["integer", "null"]}
_FLAG: Final = {"type": "boolean"}
_TIME: Final = {"type": "string", "format": "date-time"}
_TIME_OR_NONE: Final = {"type": ["string", "null"], "format": "date-time"}
_OBJECT: Final = {"type": "object"}
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
_ENDING: Final = _described(_TEXT, "how names of such files end: .wav")
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
MEETING_REFERENCE: Final = {"$ref": "#/components/schemas/Meeting"}
"""How the description of the API names `MEETING`, which stands in it once."""
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
HITS: Final = _object({"hits": _list_of(_HIT), "degraded": _list_of(_TEXT)})
DOCUMENT: Final = _object(
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
_BESIDE_FIELDS: Final = _having("meeting_id", "utterances", "merged", "moved_here", "moved_away")
RECEIPT: Final = _object(
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
            _list_of(_BESIDE_FIELDS),
            "of a person, for administrators: what is theirs, and what is only said to be: to be confirmed",
        )
    },
)
SESSION: Final = _object(
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

WANTED: Final = _object({"meeting_id": _TEXT, "room": _TEXT_OR_NONE, "status": _TEXT})
MEETINGS: Final = _object(
    {"meetings": _list_of(MEETING_REFERENCE), "next": _described(_TEXT_OR_NONE, "`after` of the next page")}
)
PLACE_IN_ROOM: Final = _object({"url": _TEXT, "token": _TEXT, "identity": _TEXT, "room": _TEXT})
CORRECTION: Final = _object({"id": _TEXT, "by": _TEXT, "fix": _OBJECT})
TITLE: Final = _object({"meeting_id": _TEXT, "title": _TEXT})
CONSENT: Final = _having("person", "agreed")
RETENTION: Final = _having("meeting_id")
AUDIT: Final = _object({"entries": _list_of(_having("at", "who", "how", "action"))})
PERSON: Final = _having("person", "meetings", "utterances", "questions", "consents")
REACH: Final = _object({"person": _TEXT, "reaches": _list_of(_BESIDE_FIELDS)})
LINK: Final = _object({**_LINK, **_PATH})
LINKS: Final = _object({"links": _list_of(_object(_LINK, _PATH))})
THREAD: Final = _having("compression_rate", "summary_history", "statistics")
BUDGET: Final = _having(
    "total_budget", "used", "remaining", "usage_percent", "per_agent", "compression_mode", "next",
    "compression_share", "hour", "per_purpose", "last",
)  # fmt: skip
RATE: Final = _having("meeting_id", "rate")
DOCUMENTS: Final = _object({"documents": _list_of(DOCUMENT)})
RECORDING_ADDED: Final = _object(
    {"meeting_id": _TEXT, "name": _TEXT, "kind": _KIND, "bytes": _NUMBER, "total": _NUMBER}
)
RECORDINGS: Final = _object(
    {
        "recordings": _list_of(_RECORDING),
        "sound": _list_of(_ENDING),
        "transcripts": _list_of(_ENDING),
        "engine": _described(_TEXT, "STT_ENGINE; none: no sound is taken"),
        "largest_mb": _NUMBER,
        "largest_transcript_mb": _NUMBER,
        "longest_hours": {"type": "number"},
    }
)
SUMMARY: Final = _object(
    {"summary": _TEXT, "engine": _TEXT},
    {
        "original_chars": _NUMBER,
        "summary_chars": _NUMBER,
        "covered_message_count": _NUMBER,
        "latency_ms": _NUMBER,
    },
)
