"""A line that says the same again and again is held back, and counted."""

from __future__ import annotations

import logging

from worker.monitoring.telemetry import AT_MOST, Repeats


def record(message: object, *args: object, level: int = logging.ERROR) -> logging.LogRecord:
    return logging.LogRecord("asyncio", level, __file__, 1, message, args, None)


def test_of_one_line_so_many_a_minute_and_then_a_count() -> None:
    now_s = [0.0]
    repeats = Repeats(clock=lambda: now_s[0])
    passed = sum(repeats.filter(record("socket.accept() out of %s", "files")) for _ in range(1000))
    assert passed == AT_MOST
    assert repeats.filter(record("socket.accept() out of %s", "memory")), "another line"
    now_s[0] = 61.0
    again = record("socket.accept() out of %s", "files")
    assert repeats.filter(again)
    assert (
        again.getMessage() == f"socket.accept() out of files (and {1000 - AT_MOST} times more a minute ago)"
    )
    once_more = record("socket.accept() out of %s", "files")
    assert repeats.filter(once_more)
    assert "times more" not in once_more.getMessage()


def test_lines_with_other_fields_are_other_lines() -> None:
    repeats = Repeats(clock=lambda: 0.0)
    lines = [{"event": "answered", "meeting_id": f"m-{n}", "timestamp": str(n)} for n in range(100)]
    assert all(repeats.filter(record(line, level=logging.INFO)) for line in lines)
    same = [{"event": "accept_failed", "timestamp": str(n)} for n in range(100)]
    assert sum(repeats.filter(record(line)) for line in same) == AT_MOST


def test_a_flood_of_different_lines_costs_no_memory() -> None:
    repeats = Repeats(clock=lambda: 0.0)
    for number in range(20_000):
        assert repeats.filter(record(f"line {number}"))
    assert len(repeats._seen) <= 5_000
