"""Pressure that is new, or under which speech has been waiting."""

from __future__ import annotations

from tests.fakes.meeting import LoopClock
from worker.pressure import Pressure


def fresh() -> Pressure:
    return Pressure(LoopClock().monotonic_s)


def behind(backlog_s: float, pressure: Pressure | None = None) -> Pressure:
    """For some seconds so much speech has been waiting."""
    pressure = pressure or fresh()
    for _ in range(4):
        pressure.waiting(backlog_s)
    return pressure
