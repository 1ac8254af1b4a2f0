"""Finished meetings to make documents of, and the schema that these follow."""

from __future__ import annotations

import json
from importlib.resources import files

from context.events.events import GapNoted, MeetingEnded
from context.fold.meeting import Meeting
from tests.unit.context.meetings import answered, asked, events_of, run

SCHEMA = json.loads((files("context") / "document.schema.json").read_text("utf-8"))


def finished(name: str) -> Meeting:
    meeting = Meeting(name)
    run(meeting, events_of(name))
    who = next(iter(meeting.attendance.people))
    question = "출시일이 언제죠?"
    reply = {"call_type": "SEARCH", "question": question, "evidence": (9,)}
    run(
        meeting,
        [
            asked(1, question, by=who, at_ms=120_000),
            answered(1, '**박준호**: "12월 22일"', by=who, at_ms=120_000, **reply),
            GapNoted(participant_id=who, start_ms=5, end_ms=10, reason="overload"),
            MeetingEnded(at_ms=170_000, reason="room closed"),
        ],
    )
    return meeting
