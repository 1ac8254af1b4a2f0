"""Eight hours of fifteen speakers, as fast as a real worker takes them in: fold, record, summaries, questions.

The worker is `moim worker --text` on a real Postgres; its memory is what the kernel says (RSS), sampled
all along. The first hour is warm-up: imports, tables, the first of everything.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from tests.chaos.kills import gone
from tests.chaos.report import Report, progress
from tests.chaos.script import script
from tests.chaos.servers import servers
from tests.chaos.text_meeting import TextMeeting
from worker.clock import monotonic_s

SPEAKERS: Final = 15
_GAP_MS: Final = 4000
_SAMPLES_PER_HOUR: Final = 12
_WINDOW: Final = 40
_GROWTH_GOAL: Final = 5.0


@dataclass(frozen=True, slots=True)
class Sample:
    """The worker at one moment of the meeting."""

    hours: float
    """Hours of meeting time."""
    rss_mb: float
    at_s: float
    cpu_s: float
    """Computed so far; whoever else is on the machine changes little of it."""


def rss_mb(pid: int) -> float:
    """What the kernel counts as resident."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def sampled(pid: int, hours: float) -> Sample:
    """The process now, `hours` into its meeting."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])  # of its own and of the kernel for it
    return Sample(hours, rss_mb(pid), monotonic_s(), ticks / os.sysconf("SC_CLK_TCK"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    parser.add_argument("--hours", type=float, default=8.0, help="of meeting time (8)")
    parser.add_argument("--every", type=float, default=10.0, help="minutes between two questions (10)")


async def run(args: argparse.Namespace) -> Report:
    """The experiment."""
    report = Report("soak", args.seed)
    lines = round(args.hours * 3_600_000 / _GAP_MS)
    ask_every = round(args.every * 60_000 / _GAP_MS)
    steps = script(args.seed, lines, people=SPEAKERS, gap_ms=_GAP_MS, ask_every=ask_every)
    async with servers() as world:
        meeting = TextMeeting(world, "soak", "soak", steps)
        await meeting.want()
        worker = world.worker("soak")
        begin_s = monotonic_s()
        async with asyncio.TaskGroup() as tasks:
            following = tasks.create_task(meeting.follow())
            feeding = tasks.create_task(meeting.feed(window=_WINDOW, pause_s=0.0))
            samples = await _watch(meeting, worker.pid, lines, feeding, args.hours)
            took_s = monotonic_s() - begin_s
            await meeting.end()
            ended = await meeting.ended(60)
            following.cancel()
        worker.send(signal.SIGTERM)
        await gone(worker, 30)
        code = worker.exit_code
        losses, document = await meeting.losses(), await meeting.document()
        await meeting.aclose()
    warm = [s for s in samples if s.hours >= min(1.0, args.hours / 4)]
    # Means of some samples at both ends: a single one may catch a collection, or a snapshot being made.
    width = max(1, len(warm) // 12)
    first, last = _mean(warm[:width]), _mean(warm[-width:])
    report.say("meeting time", args.hours, "h")
    report.say("utterances", len({final["id"] for final in meeting.finals}))
    # Redis that answers nothing for two seconds gets an entry again, and may have taken both.
    report.say("  of them published again", losses.repeated)
    report.say("speed", args.hours * 3600 / took_s, "times real time")
    report.say("RSS after warm-up", first, "MB")
    report.say("RSS at the end", last, "MB")
    report.say("RSS at most", max(s.rss_mb for s in samples), "MB")
    report.at_most("RSS growth after warm-up", 100 * (last - first) / first, _GROWTH_GOAL, "%")
    hour = max(1, round(len(samples) / max(args.hours, 1)))
    for when, some in (("first", samples[:hour]), ("last", samples[-hour:])):
        wall_ms, cpu_ms = _pace_ms(some, lines, args.hours)
        report.say(f"an utterance in the {when} hour", wall_ms, "ms")
        report.say("  of it computing", cpu_ms, "ms")
    report.say("topics", len(document["topics"]))
    report.exactly("  without a summary", sum(not t["summary"] for t in document["topics"]), 0)
    asked = len(steps) - lines
    report.exactly("questions not answered", asked - len(document["replies"]), 0)
    report.exactly("acknowledged utterances lost", len(losses.lost), 0)
    report.exactly("segments sent and not recorded", len(losses.missing), 0)
    report.exactly("ended, and exit code 0", int(ended and code == 0), 1)
    for what in (losses.lost, losses.missing):
        report.notes += what[:3]
    return report


async def _watch(
    meeting: TextMeeting, pid: int, lines: int, feeding: asyncio.Task[None], hours: float
) -> list[Sample]:
    samples: list[Sample] = []
    step = max(1, round(lines / (hours * _SAMPLES_PER_HOUR)))
    told = 0.0
    while not feeding.done():
        published = len(meeting.finals)
        if published >= len(samples) * step and published:
            samples.append(sampled(pid, published / lines * hours))
            if samples[-1].hours >= told + 0.5:
                told = samples[-1].hours
                progress(f"{told:.1f} h: {samples[-1].rss_mb:.1f} MB")
        await asyncio.sleep(0.05)
    await feeding
    return [*samples, sampled(pid, hours)]


def _mean(samples: Sequence[Sample]) -> float:
    return fmean(sample.rss_mb for sample in samples)


def _pace_ms(samples: Sequence[Sample], lines: int, hours: float) -> tuple[float, float]:
    """By the clock and of the worker's CPU time, for each utterance."""
    first, last = samples[0], samples[-1]
    spoken = (last.hours - first.hours) * lines / hours
    if not spoken:
        return 0.0, 0.0
    return 1000 * (last.at_s - first.at_s) / spoken, 1000 * (last.cpu_s - first.cpu_s) / spoken
