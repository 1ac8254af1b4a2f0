"""The JSON document of a meeting (`"schema": 1`), and the rows that it consists of.

All JSON of a meeting (`replay --json`, `export`, the web, the streams) is made here, so that it looks the
same everywhere. `context/document.schema.json` describes it, and tests check it against that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final

from context.export.exchange_rows import exchange_rows
from context.export.statement_rows import (
    add_due_date,
    add_topic,
    add_voices,
    add_weight,
    doubtful,
    leave_next_meeting_behind,
    next_meeting_row,
    statement_rows,
)
from context.fold.meeting import Meeting
from context.language.korean import has_hangul
from context.models import Gap, Reply, TopicSegment, Utterance
from context.primitives.undated import dated
from context.speaker_context import SpeakerStats, simultaneous
from context.statements.contradictions import of_decision, said_against
from context.statements.ledger import each_once, related
from context.topics.titles import is_unnamed, title_of

SCHEMA: Final = 1
"""The document's version; a change that breaks readers raises it."""
ENGINES: Final[Mapping[str, str]] = {"stt": "none", "llm": "extractive", "embeddings": "none"}
"""The engines of a meeting that names no others."""


def document(
    meeting: Meeting,
    *,
    title: str | None = None,
    room: str | None = None,
    status: str | None = None,
    started_at: datetime | None = None,
    ended_at: datetime | None = None,
    engines: Mapping[str, str] | None = None,
    private: bool = False,
    zone: tzinfo = UTC,
) -> dict[str, Any]:
    """Make the document of a meeting, of values that JSON has; what is not given comes from its events.

    `private`: whether the reader may see private replies, which else stay out. `zone`: the time zone in which
    "tomorrow" becomes a date.
    """
    opened, people = meeting.opened, participant_rows(meeting)
    return {
        "schema": SCHEMA,
        "meeting": {
            "id": meeting.meeting_id,
            "room": room or (opened and opened.room),
            "title": title or (opened and opened.title),
            "language": language(meeting),
            "status": status or ("ended" if meeting.ended else "live"),
            **_times(meeting, started_at, ended_at),
            "time_zone": str(zone),
            **({"paused": True} if meeting.paused and meeting.ended is None else {}),
            **({"waiting_ms": waiting_ms} if (waiting_ms := meeting.speech.everybody.waiting_ms) else {}),
        },
        "participants": people,
        **exchange_rows(people),
        "utterances": [
            utterance_fields(u) for u in sorted(meeting.utterances, key=lambda u: (u.start_ms, u.id))
        ],
        "simultaneous": _simultaneous_rows(meeting),
        "topics": topic_rows(meeting, zone),
        **_next_meeting(meeting, zone),
        "replies": [reply_fields(r) for r in meeting.replies if private or not r.private],
        "gaps": [gap_fields(gap) for gap in meeting.gaps],
        "notes": [note.model_dump(mode="json", exclude_none=True) for note in meeting.coverage.notes],
        **({"off_the_record": off_record_rows(meeting)} if meeting.coverage.off_the_record else {}),
        **({"erasures": _erasure_rows(meeting)} if meeting.erasures else {}),
        "engines": {**ENGINES, **(engines or {})},
    }


def _next_meeting(meeting: Meeting, zone: tzinfo) -> dict[str, Any]:
    row = next_meeting_row(meeting.utterances, zone)
    return {"next_meeting": row} if row is not None else {}


def _times(meeting: Meeting, began: datetime | None, ended: datetime | None) -> dict[str, Any]:
    # Who stops a file that is read anew after a death ends it where the reading is: before its last words.
    end_ms = meeting.ended.at_ms if meeting.ended is not None else 0
    duration_ms = max((0, end_ms, *(s.last_ms or 0 for s in meeting.speakers.speaker_stats.values())))
    began = dated(began or meeting.started_at)
    if began is None:
        ended = None
    elif meeting.ended is not None:
        ended = ended or began + timedelta(milliseconds=min(duration_ms, 10**12))
    return {"started_at": iso(began), "ended_at": iso(ended), "duration_ms": duration_ms}


def language(meeting: Meeting) -> str:
    """The meeting's language as it was opened, else that of its first 200 utterances; `auto` before any."""
    if meeting.language != "auto" or not meeting.utterances:
        return meeting.language
    sample = meeting.utterances[:200]
    korean = sum(has_hangul(u.text[:200]) for u in sample)
    return "ko" if 2 * korean >= len(sample) else "en"


def iso(moment: datetime | None) -> str | None:
    """Write a moment as ISO 8601 in UTC, with milliseconds; None for None."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def participant_rows(meeting: Meeting) -> list[dict[str, Any]]:
    """Make the rows of the document's `participants`; who was merged into another has none."""
    speakers, merged = meeting.speakers, meeting.corrections.merged
    roles = speakers.infer_roles()
    refused = {who for who, person in meeting.attendance.people.items() if person.agreed is False}
    rows = []
    for person in meeting.attendance.people.values():
        who = person.user_id
        if who in merged and who not in speakers.speaker_stats:  # nothing is shown under them
            continue
        stats = speakers.speaker_stats.get(who) or SpeakerStats(user_id=who, name=person.name)
        speech = meeting.speech.of(who, *(one for one, whom in merged.items() if whom == who))
        earlier = [name for name in person.earlier_names if name != who]  # an id is no name
        agreed = {}  # how we know whether somebody agreed; nothing where they said neither
        if person.agreed is not None:
            agreed = {"agreed": person.agreed, "told_how": person.told_how}
            agreed |= {} if person.told_by is None else {"told_by": person.told_by}
        rows.append(
            {
                "id": who,
                "name": person.name,
                **({"earlier_names": earlier} if earlier else {}),
                **agreed,
                "role": roles.get(who, "observer"),
                "role_confidence": speakers.role_confidence.get(who, 0.0),
                "role_evidence": list(speakers.role_evidence(who)),
                "stats": {
                    "talk_ms": stats.talk_ms,
                    "turns": stats.utterance_count,
                    "words": stats.total_words,
                    "words_per_turn": round(stats.avg_utterance_length, 2),
                    "questions": stats.question_count,
                    "answers": stats.answers,
                    "interruptions": stats.interruptions,
                    "interrupted": stats.interrupted,
                    "nods": stats.nods,
                    "first_ms": stats.first_ms,
                    "last_ms": stats.last_ms,
                    "answers_to": _of_others(who, speakers.answers_by(who), refused),
                    "follows": _of_others(who, speakers.follows(who), refused),
                },
                "speech": {  # what became of it; a reason that cost nothing is not there
                    "heard_ms": speech.heard_ms,
                    "transcribed_ms": speech.transcribed_ms,
                    "wordless_ms": speech.wordless_ms,
                    "lost_ms": dict(speech.lost_ms),
                    **({"waiting_ms": speech.waiting_ms} if speech.waits_ms else {}),
                    "unheard_ms": dict(speech.unheard_ms),
                },
            }
        )
    return rows


def _of_others(who: str, counts: Mapping[str, int], refused: Collection[str]) -> dict[str, int]:
    """How often somebody spoke with each other one; nothing where one of the two refuses to be heard."""
    return {} if who in refused else {other: count for other, count in counts.items() if other not in refused}


def _simultaneous_rows(meeting: Meeting) -> list[dict[str, Any]]:
    return [
        {
            "start_ms": group[0].start_ms,
            "end_ms": max(u.end_ms for u in group),
            "speakers": list(dict.fromkeys(u.speaker_id for u in group)),
            "utterances": [u.id for u in group],
        }
        for group in simultaneous(meeting.utterances)
    ]


def _erasure_rows(meeting: Meeting) -> list[dict[str, Any]]:
    """That words were taken out, by whom and when; never which."""
    mark = {"id", "by", "at_ms", "what", "utterances"}
    rows = []
    for erasure in meeting.erasures:
        more = {"since_ms"} if erasure.what == "stretch" else set()
        more |= {"hidden"} if erasure.hidden else set()
        rows.append(erasure.model_dump(mode="json", include=mark | more))
    return rows


def off_record_rows(meeting: Meeting) -> list[dict[str, Any]]:
    """Make the rows of the document's `off_the_record`: from when to when, and who asked for it."""
    return [
        {"start_ms": pause.start_ms, "end_ms": pause.end_ms, "by": pause.off_by}
        for pause in meeting.coverage.off_the_record
    ]


def utterance_fields(utterance: Utterance) -> dict[str, Any]:
    """Make one row of the document's `utterances`."""
    return {
        "id": utterance.id,
        "speaker": utterance.speaker_id,
        "text": utterance.text,
        **({} if utterance.text else {"hidden" if utterance.hidden else "erased": True}),
        "start_ms": utterance.start_ms,
        "end_ms": utterance.end_ms,
        "confidence": utterance.confidence,
        "language": utterance.language,
        "topic": utterance.topic_id,
        "source": list(utterance.source) if utterance.source is not None else None,
        **({"times_derived": True} if utterance.times_derived else {}),
        **({"late": True} if utterance.late else {}),
        **(
            {"heard": utterance.heard, "corrected_by": utterance.corrected_by}
            if utterance.heard is not None
            else {}
        ),
        **doubtful(utterance.doubtful if utterance.text else ()),
    }


def topic_fields(segment: TopicSegment) -> dict[str, Any]:
    """Make one row of the document's `topics`, as far as the segment itself knows it."""
    notes = segment.notes
    return {
        "id": segment.id,
        "name": segment.name,
        "summary": segment.summary,
        "key_points": statement_rows(notes.key_points),
        "decisions": statement_rows(notes.decisions),
        "pending": statement_rows(notes.pending),
        "contradictions": [contradiction.model_dump(mode="json") for contradiction in notes.contradictions],
        "participants": list(notes.participants),
        "keywords": list(segment.keywords),
        "first_utterance": segment.start_utterance_id,
        "last_utterance": segment.end_utterance_id,
        **({"late": list(segment.late)} if segment.late else {}),
        "decided_after": segment.decided_after,
        "reason": segment.reason,
        "returns_to": segment.returns_to,
        "summary_version": segment.version,
        "covered_until": segment.covered_until,
        **({"verified": notes.verified} if notes.verified is not None else {}),
        **({"quoted": True} if any(sentence.quoted for sentence in notes.sentences) else {}),
        **(
            {"unverified": unverified}
            if (unverified := [s.text for s in notes.sentences if s.unverified])
            else {}
        ),
    }


def topic_rows(meeting: Meeting, zone: tzinfo = UTC) -> list[dict[str, Any]]:
    """Make the document's `topics`; beside each decision stands what was said against it later.

    That is told of each decision as `contradicted_by`, and of the topic in which it was said.
    """
    notes = [segment.notes for segment in meeting.segments]
    decisions = related([decision_made for summary in notes for decision_made in summary.decisions])
    pending = [one for summary in notes for one in summary.pending]
    told_once = each_once(decisions)
    against = said_against(meeting.utterances, notes, told_once, pending)
    rows = [topic_row(meeting, segment, zone) for segment in meeting.segments]
    made = iter(decisions)
    for row in rows:
        for decision, made_decision in zip(row["decisions"], made, strict=False):
            if made_decision.takes_up:
                decision["takes_up"] = list(made_decision.takes_up)
        own = range(row["first_utterance"], row["last_utterance"] + 1)
        contradictions = [contradiction for contradiction in against if contradiction.evidence[-1] in own]
        row["contradictions"] = [contradiction.model_dump(mode="json") for contradiction in contradictions]
        for decision in row["decisions"]:
            cited = set(decision["evidence"])
            whole = next((one.evidence for one in told_once if cited <= set(one.evidence)), ())
            later = of_decision(against, whole)
            if later:
                decision["contradicted_by"] = [
                    {"text": statement.text, "evidence": list(statement.evidence)} for statement in later
                ]
    statements = (statement_row for row in rows for statement_row in (*row["decisions"], *row["pending"]))
    leave_next_meeting_behind(statements, meeting.utterances)
    return rows


def topic_row(meeting: Meeting, segment: TopicSegment, zone: tzinfo = UTC) -> dict[str, Any]:
    """Make one row of the document's `topics`, with what the meeting adds: title, speakers, days, voices."""
    spoken = meeting.topics.own(segment, meeting.utterances)
    row = topic_fields(segment)
    for statement in (*row["key_points"], *row["decisions"], *row["pending"]):
        add_voices(statement, meeting.utterances)
    for statement in (*row["decisions"], *row["pending"]):
        add_due_date(statement, meeting.utterances, zone)
        add_weight(statement)
        if not is_unnamed(segment.name):
            add_topic(statement, segment.name)
    return row | {
        "name": title_of(segment, meeting.utterances),
        "participants": list(dict.fromkeys(u.speaker_id for u in spoken)),
    }


def gap_fields(gap: Gap) -> dict[str, Any]:
    """Make one row of the document's `gaps`."""
    return gap.model_dump(mode="json")


def run_fields(reply: Reply) -> dict[str, Any]:
    """How an answer came about, for its asker: `{"run": {…}}`, or an empty one where that is not known."""
    return {"run": reply.run.model_dump(mode="json")} if reply.run is not None else {}


def reply_fields(reply: Reply) -> dict[str, Any]:
    """Make one row of the document's `replies`, without how it came about: that differs at every replay."""
    names = (
        *("id", "invocation_id", "by", "via", "question", "text", "call_type", "evidence", "sources"),
        *("declined", "certainty", "degraded", "private", "asked_at_ms", "answered_at_ms"),
    )
    fields = reply.model_dump(mode="json", include=set(names))
    fields["certainty"] = reply.certainty or ("none" if reply.declined else "answer")
    rests = {"elsewhere": True} if reply.rests_elsewhere else {}
    return {name: fields[name] for name in names} | rests
