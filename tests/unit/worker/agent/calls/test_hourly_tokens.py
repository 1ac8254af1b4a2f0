"""What a meeting's prompts may cost in an hour: told once each time that it is used up, and for no ended meeting."""

from __future__ import annotations

from datetime import UTC, datetime

from context.events import events
from context.fold.meeting import Meeting
from context.models import PromptRecord
from worker.agent.calls.hourly_tokens import HourlyTokens

HOUR_MS = 3_600_000


def test_it_is_told_each_time_that_it_begins() -> None:
    told: list[str] = []
    hourly = HourlyTokens(100, on_spent=lambda: told.append("spent"))
    meeting = Meeting("m")
    assert not hourly.are_spent(meeting, 0)
    for begun in (0, 2 * HOUR_MS):
        meeting.prompts.add([PromptRecord(purpose="answer", tokens=100)], at_ms=begun)
        assert hourly.are_spent(meeting, begun)
        assert hourly.are_spent(meeting, begun + HOUR_MS - 60_000)
        assert not hourly.are_spent(meeting, begun + HOUR_MS)
    assert told == ["spent", "spent"]
    assert not HourlyTokens().are_spent(meeting, 2 * HOUR_MS), "without a bound"


def test_who_asks_about_an_ended_meeting_is_not_held_to_its_last_hour() -> None:
    hourly, meeting = HourlyTokens(100), Meeting("m")
    meeting.receive(events.MeetingStarted(at=datetime(2026, 11, 28, 9, tzinfo=UTC)))
    meeting.prompts.add([PromptRecord(purpose="answer", tokens=100)], at_ms=0)
    assert hourly.are_spent(meeting, 0)
    meeting.receive(events.MeetingEnded(at_ms=1_000, reason="requested"))
    assert not hourly.are_spent(meeting, 1_000)
