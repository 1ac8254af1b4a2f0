"""Meetings without a date: they have times of day, counted from their start, and no days."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from context.builder import ContextBuilder
from context.events.events import MeetingStarted, UtteranceSpoken
from context.manager import ContextManager
from context.primitives.undated import EPOCH, dated, local
from context.seeds import format_context_as_system_prompt

SEOUL = ZoneInfo("Asia/Seoul")
NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_a_moment_of_a_meeting_without_a_date_is_none() -> None:
    assert dated(None) is None
    assert dated(EPOCH + timedelta(hours=9)) is None
    assert dated(NINE) == NINE


def test_times_of_day_count_from_the_start_where_there_is_no_date() -> None:
    assert f"{local(EPOCH + timedelta(minutes=3), SEOUL):%H:%M}" == "00:03"
    assert f"{local(NINE, SEOUL):%H:%M}" == "18:00"


def test_no_prompt_tells_a_date_that_nobody_knows() -> None:
    manager = ContextManager("m-1")
    manager.receive(MeetingStarted(at=EPOCH))
    spoken = {"speaker_id": "minji", "speaker_name": "김민지", "text": "내일까지 보내 주세요."}
    manager.receive(UtteranceSpoken(key="k", start_ms=60_000, end_ms=62_000, **spoken))
    context = ContextBuilder().build_context("SUMMARY", manager, "", [])
    text = format_context_as_system_prompt(context, zone=SEOUL)
    assert "00:01:00" in text
    assert "1970" not in text
