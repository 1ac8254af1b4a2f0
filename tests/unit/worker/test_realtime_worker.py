"""Seed 000's way in: STT results to a manager, without a room."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from context import ContextManager
from stt import STTSegment
from worker.realtime_worker import RealtimeWorker

START = datetime(2025, 1, 14, 14, 30, tzinfo=UTC)


async def test_final_segments_become_utterances_in_meeting_time() -> None:
    worker = RealtimeWorker(ContextManager("m"), START)
    said = (
        ("minji", "김민지", STTSegment("출시일은 이십이일로", 1000, 2000, final=False)),
        (
            "minji",
            "김민지",
            STTSegment("출시일은 이십이일로 결정하겠습니다.", 1000, 3000, final=True, confidence=0.9),
        ),
        ("alice", "Alice", STTSegment("  ", 3000, 3500, final=True)),
        ("alice", "Alice", STTSegment("Then we ship it in December.", 4000, 6000, final=True)),
    )
    for user_id, name, segment in said:
        await worker._on_stt_result(user_id, name, segment)
    first, second = worker.context_manager.get_l0_utterances()
    assert (first.id, first.speaker_name, first.text) == (1, "김민지", "출시일은 이십이일로 결정하겠습니다.")
    assert first.absolute_timestamp == START + timedelta(seconds=1)
    assert first.confidence == 0.9
    assert (second.id, second.text, second.confidence) == (2, "Then we ship it in December.", None)
    assert second.absolute_timestamp == START + timedelta(seconds=4)


def test_a_start_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        RealtimeWorker(ContextManager("m"), datetime(2025, 1, 14))  # noqa: DTZ001  # what is refused
