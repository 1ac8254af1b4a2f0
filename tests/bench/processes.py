"""What a process costs, as Linux counts it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_KB_PER_MB: Final = 1024
_UTIME, _STIME = 11, 12
"""Places behind the command's name in /proc/PID/stat."""


def cpu_of(stat: str, ticks_per_s: int) -> float:
    """CPU seconds out of a line of /proc/PID/stat; the name in it may hold anything, brackets too."""
    fields = stat.rpartition(")")[2].split()
    return (int(fields[_UTIME]) + int(fields[_STIME])) / ticks_per_s


def memory_of(smaps: str) -> float:
    """MB out of /proc/PID/smaps: own pages, and the share of those that others have too (PSS).

    Without what is only read from program files: those pages are shared with whatever else runs from
    the same files, so another program's start or end would move them to or from our account, by 30 MB
    here. A job adds none of its own.
    """
    total, counts = 0, True
    for line in smaps.splitlines():
        if line.startswith("Pss:"):
            total += int(line.split()[1]) if counts else 0
        elif "-" in line.partition(" ")[0]:  # a mapping: addresses, rights, offset, device, inode, name
            rights, inode = line.split()[1], line.split()[4]
            counts = "w" in rights or inode == "0"
    return total / _KB_PER_MB


def cpu_s(pid: int) -> float:
    """CPU seconds of a process so far, all its threads, the ended ones too."""
    return cpu_of((_PROC / str(pid) / "stat").read_text(encoding="utf-8"), os.sysconf("SC_CLK_TCK"))


def threads_cpu_s(pid: int) -> Mapping[str, float]:
    """CPU seconds by the names of the living threads; the main thread is `main`."""
    found: dict[str, float] = {}
    for task in (_PROC / str(pid) / "task").iterdir():
        stat = (task / "stat").read_text(encoding="utf-8")
        name = "main" if task.name == str(pid) else stat.partition("(")[2].rpartition(")")[0]
        found[name] = found.get(name, 0.0) + cpu_of(stat, os.sysconf("SC_CLK_TCK"))
    return found


def family(pid: int) -> list[int]:
    """A process and all that it has started, as far as they live."""
    found, waiting = [], [pid]
    while waiting:
        parent = waiting.pop()
        found.append(parent)
        for children in (_PROC / str(parent) / "task").glob("*/children"):
            try:
                waiting += [int(child) for child in children.read_text(encoding="utf-8").split()]
            except OSError:  # a thread that has just ended
                continue
    return found


def pss_mb(pids: Iterable[int]) -> float:
    """MB of these processes together, see `memory_of`."""
    total = 0.0
    for pid in pids:
        try:
            total += memory_of((_PROC / str(pid) / "smaps").read_text(encoding="utf-8"))
        except OSError:  # it has just ended
            continue
    return total


def load() -> str:
    """How busy the machine was, for the note of a figure: a noisy run should be seen."""
    return f"machine load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
