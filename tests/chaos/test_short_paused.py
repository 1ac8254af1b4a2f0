"""`make chaos ARGS=paused`, short: what two holders do to one meeting."""

from __future__ import annotations

from tests.chaos.paused import schedule, simulated, tell
from tests.chaos.report import Report


def test_no_schedule_writes_anything_stale() -> None:
    report, verdicts = Report("paused", 6), simulated(6, 16)
    tell(report, verdicts)
    assert not report.missed, report.table()
    assert sum(verdict.takeovers for verdict in verdicts) > 5
    assert sum(verdict.fenced for verdict in verdicts) > 5


def test_a_seed_is_a_schedule() -> None:
    assert schedule(8) == schedule(8)
