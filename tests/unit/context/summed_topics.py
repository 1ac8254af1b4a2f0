"""A meeting of several topics, each summed up by the extractive engine."""

from __future__ import annotations

from collections.abc import Sequence

from context.events.effects import Summarise
from context.events.events import Event, MeetingEnded, MeetingStarted
from context.fold.meeting import Meeting
from tests.unit.context.meetings import by_extraction, of, talk_of
from tests.unit.context.samples import START


def meeting_of(*parts: Sequence[str]) -> Meeting:
    """Each part is a topic of its own; all are summarised by the extractive engine."""
    meeting = Meeting("m")
    meeting.receive(MeetingStarted(at=START))

    def take(event: Event) -> None:
        for effect in of(Summarise, meeting.receive(event)):
            take(by_extraction(effect))

    for event in talk_of(text for part in parts for text in part):
        take(event)
    take(MeetingEnded(at_ms=10**7, reason="done"))
    return meeting
