"""Where the time between a death and the first new text goes, read from the logs of dispatcher and workers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from tests.chaos.report import Report, percentile
from worker.clock import monotonic_s, now_utc

HOPS: Final = (
    "lease_ended",
    "standby_sent",
    "job_sent",
    "job_started",
    "room_joined",
    "lease_acquired",
    "line_said",
    "text",
)
"""In no fixed order: a relief is in the room before the lease has ended. *line said*: the line that is the first
new text was at its end; the silence that ends a turn, and the engine, come after it."""
_EVENTS: Final = {
    "standby_dispatched": "standby_sent",
    "meeting_dispatched": "job_sent",
    "job_gone": "lease_ended",
}
_OF_THE_JOB: Final = {
    "job_started": "job_started",
    "room_joined": "room_joined",
    "lease_acquired": "lease_acquired",
}

Hops = dict[str, float]
"""Name → seconds after the death."""


def hops(logs: Iterable[Path], job_pid: int, killed_s: float, known: Mapping[str, float]) -> Hops:
    """Of one death at `killed_s` (monotonic). `job_pid`: the successor; `known`: what needs no log."""
    killed = now_utc() - timedelta(seconds=monotonic_s() - killed_s)
    found: Hops = dict(known)
    for entry in _entries(logs, killed):
        after_s = (datetime.fromisoformat(entry["timestamp"]) - killed).total_seconds()
        name = str(entry["event"])
        if entry.get("job") == job_pid and name in _OF_THE_JOB:
            found[_OF_THE_JOB[name]] = after_s
        elif name in _EVENTS:
            found[_EVENTS[name]] = min(found.get(_EVENTS[name], after_s), after_s)
    return found


def _entries(logs: Iterable[Path], since: datetime) -> Iterable[dict[str, Any]]:
    for log in logs:
        for line in log.read_text("utf-8", "replace").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            ours = isinstance(entry, dict) and "timestamp" in entry and "event" in entry
            if ours and datetime.fromisoformat(entry["timestamp"]) >= since:
                yield entry


def shown(found: Hops) -> str:
    """One line, in the order in which it came."""
    return ", ".join(f"{name} {at_s:.2f}" for name, at_s in sorted(found.items(), key=lambda hop: hop[1]))


def tell(report: Report, victim: str, of: Sequence[Hops]) -> None:
    """Median and longest of each hop."""
    for name in HOPS:
        times = [found[name] for found in of if name in found]
        if times:
            report.say(
                f"    {victim}: kill to {name.replace('_', ' ')}, median / longest ({len(times)})",
                f"{percentile(times, 0.5):.2f} / {max(times):.2f}",
                "s",
            )
