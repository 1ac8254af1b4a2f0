"""Real processes on a real Postgres: the holder is stopped with SIGSTOP, another goes on, it wakes up again."""

from __future__ import annotations

from tests.chaos.report import Report


async def run(report: Report, seed: int, count: int) -> None:
    """`count` stops."""
    raise NotImplementedError
