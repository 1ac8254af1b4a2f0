"""A stretch of a meeting as a meeting of its own: for a question about the last minutes, or a passage."""

from __future__ import annotations

from context.events import MeetingOpened, MeetingStarted, ParticipantJoined, UtteranceSpoken
from context.meeting import Meeting
from context.models import Utterance


def excerpt(meeting: Meeting, first: int, last: int) -> Meeting:
    """Utterances `first` to `last`, as they read now, under the times at which they were said.

    They are numbered from 1 again: utterance n of the excerpt is `first + n - 1` of the meeting.
    """
    taken = Meeting(meeting.meeting_id, meeting.config)
    opened = meeting.opened
    taken.receive(
        MeetingOpened(
            meeting_id=meeting.meeting_id,
            room=opened.room if opened else None,
            title=opened.title if opened else None,
            language=meeting.language,
        )
    )
    if meeting.started_at is not None:
        taken.receive(MeetingStarted(at=meeting.started_at))
    for person in meeting.attendance.people.values():
        taken.receive(ParticipantJoined(participant_id=person.user_id, name=person.name, at_ms=0))
    for said in meeting.utterances[max(0, first - 1) : last]:
        taken.receive(_spoken(said))
    return taken


def since(meeting: Meeting, minutes: int) -> int:
    """The first utterance that ended in the meeting's last `minutes`."""
    said = meeting.utterances
    from_ms = max((each.end_ms for each in said), default=0) - minutes * 60_000
    return next((each.id for each in said if each.end_ms >= from_ms), 1)


def _spoken(said: Utterance) -> UtteranceSpoken:
    return UtteranceSpoken(
        key=str(said.id),
        speaker_id=said.speaker_id,
        speaker_name=said.speaker_name,
        text=said.text,
        start_ms=said.start_ms,
        end_ms=said.end_ms,
        confidence=said.confidence,
        language=said.language,
    )
