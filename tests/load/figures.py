"""Percentiles, Prometheus' histograms and Linux' accounts, read for the tables of a load."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.bench.processes import cpu_s


def buckets(texts: Iterable[str], name: str) -> dict[float, float]:
    """Counts up to each bound of a histogram without labels, all processes together."""
    found: dict[float, float] = {}
    for text in texts:
        for line in text.splitlines():
            if line.startswith(f'{name}_bucket{{le="'):
                bound, count = line.split('le="')[1].split('"} ')
                found[float(bound)] = found.get(float(bound), 0.0) + float(count)
    return found


def bound_of(before: Mapping[float, float], after: Mapping[float, float], share: float) -> float:
    """The bound of a histogram that at least `share` of what came in between lies within."""
    grown = {bound: count - before.get(bound, 0.0) for bound, count in after.items()}
    total = max(grown.values(), default=0.0)
    return min((bound for bound, count in grown.items() if count >= share * total), default=0.0)


def spent_s(pids: Iterable[int]) -> float:
    """CPU seconds of these processes; one that has ended counts no more."""
    total = 0.0
    for pid in pids:
        try:
            total += cpu_s(pid)
        except OSError:
            continue
    return total


def rss_mb(pids: Iterable[int]) -> float:
    """MB in memory, pages of files apart: what more meetings can make grow."""
    total = 0
    for pid in pids:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        total += int(next(line for line in status.splitlines() if line.startswith("RssAnon:")).split()[1])
    return total / 1024


def machine() -> tuple[float, float]:
    """CPU seconds of the whole machine since it started: all of them, and the idle ones."""
    ticks = [
        int(field) for field in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    ]
    per_s = os.sysconf("SC_CLK_TCK")
    return sum(ticks[:8]) / per_s, (ticks[3] + ticks[4]) / per_s
