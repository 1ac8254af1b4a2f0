"""Excerpts: a stretch of a meeting as a meeting of its own, for a question about the last minutes."""

from __future__ import annotations

from context.events.events import MeetingOpened, MeetingStarted, ParticipantJoined, spoken
from context.fold.meeting import Meeting


def excerpt(meeting: Meeting, first: int, last: int) -> Meeting:
    """A meeting of the utterances `first` to `last`, as they read now, at the times when they were said.

    They are numbered from 1 again: utterance n of the excerpt is `first + n - 1` of the meeting.
    """
    taken = Meeting(meeting.meeting_id, meeting.config)
    opened = meeting.opened or MeetingOpened(meeting_id=meeting.meeting_id)
    taken.receive(opened.model_copy(update={"topics_beside": False}))
    if meeting.started_at is not None:
        taken.receive(MeetingStarted(at=meeting.started_at))
    for person in meeting.attendance.people.values():
        taken.receive(ParticipantJoined(participant_id=person.user_id, name=person.name, at_ms=0))
    for number, utterance in enumerate(meeting.utterances[max(0, first - 1) : last], 1):
        taken.receive(spoken(utterance, str(utterance.id)))
        if utterance.corrected_by is not None:  # it is told of the excerpt, too
            taken.corrections.words[number] = utterance.text, utterance.corrected_by
    taken.show_corrected(1)
    return taken


def since(meeting: Meeting, minutes: int) -> int:
    """Id of the first utterance that ended in the meeting's last `minutes`; 1 for an empty meeting."""
    said = meeting.utterances
    from_ms = max((each.end_ms for each in said), default=0) - minutes * 60_000
    return next((each.id for each in said if each.end_ms >= from_ms), 1)
