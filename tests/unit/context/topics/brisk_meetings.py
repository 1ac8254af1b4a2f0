"""Two short meetings in which every utterance says something, and the fold of one."""

from __future__ import annotations

from context.events import events
from context.fold.meeting import Meeting
from tests.unit.cases import beside
from tests.unit.context.meetings import START, met, talk_of

_TALK = beside(__file__)
ENGLISH, KOREAN = list(_TALK["ENGLISH"]), list(_TALK["KOREAN"])
"""Line by line: who speaks, and what."""


def meeting(lines: list[tuple[str, str]]) -> Meeting:
    """A meeting of these lines, closed behind the last."""
    ends = events.ClosingRequested(at_ms=len(lines) * 5000)
    return met(events.MeetingStarted(at=START), *talk_of(lines), ends)
