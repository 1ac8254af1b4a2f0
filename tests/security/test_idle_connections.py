"""Thousands of idle connections at a real dispatcher's door: everybody else is served, and the log stays short."""

from __future__ import annotations

from tests.security.doors.connections import attack


async def test_nobody_is_kept_out() -> None:
    outcome = await attack(1, asked=60)
    # How long it takes is `make chaos ARGS=doors`'s to measure.
    assert not [line for line in outcome.got_in if "p95" not in line]
