"""SIGTERM at seeded points of a text worker's life: it leaves in order, and the next one goes on."""

from __future__ import annotations

import argparse
import asyncio
import signal
from dataclasses import dataclass, field
from random import Random
from typing import Final

from tests.chaos.holder import Doom, Door, Moment
from tests.chaos.kills import gone, split
from tests.chaos.report import Report, percentile, progress
from tests.chaos.script import Step, script
from tests.chaos.servers import Servers, Worker, servers
from tests.chaos.text_meeting import Losses, TextMeeting
from worker.clock import monotonic_s

LINES: Final = 400
_PER_MEETING: Final = 25
_LIFE_DEADLINE_S: Final = 60.0
_GOING_DEADLINE_S: Final = 30.0
_DOORS: Final[tuple[tuple[Door, int, int], ...]] = (
    ("acquire", 3, 1),
    ("load", 4, 1),
    ("append", 10, 12),
    ("publish", 8, 12),
    ("snapshot", 4, 2),
)
_MOMENTS: Final[tuple[Moment, ...]] = ("before", "during", "after")


@dataclass
class Outcome:
    """What the workers did."""

    codes: dict[str, list[int | None]] = field(default_factory=dict)
    """Exit codes by kind of point."""
    took_s: list[float] = field(default_factory=list)
    unsaved: list[str] = field(default_factory=list)
    """Meetings whose snapshot did not hold everything when their worker was gone."""
    held: list[str] = field(default_factory=list)
    """Meetings whose lease was not let go."""
    losses: list[Losses] = field(default_factory=list)
    unended: list[str] = field(default_factory=list)
    unsummarised: list[str] = field(default_factory=list)


class Lane:
    """One tenant: a worker at a time, each sent SIGTERM somewhere."""

    def __init__(self, world: Servers, number: int, dice: Random, steps: list[Step], out: Outcome) -> None:
        self._world, self._dice, self._steps, self._out = world, dice, steps, out
        self._tenant = f"term-{number}"

    async def run(self, count: int) -> None:
        """So many SIGTERMs, in meetings that are led to their end."""
        number = 0
        while count > 0:
            number += 1
            share = min(count, _PER_MEETING)
            count -= share
            meeting = TextMeeting(self._world, self._tenant, f"{self._tenant}-{number}", self._steps)
            try:
                await self._meeting(meeting, share)
            finally:
                await meeting.aclose()

    async def _meeting(self, meeting: TextMeeting, count: int) -> None:
        await meeting.want()
        async with asyncio.TaskGroup() as tasks:
            following = tasks.create_task(meeting.follow())
            feeding = tasks.create_task(meeting.feed(window=3, pause_s=0.05))
            for _ in range(count - 1):
                await self._life(meeting, feeding)
            last = self._world.worker(self._tenant)
            await feeding
            await meeting.end()
            await asyncio.sleep(self._dice.uniform(0, 0.3))  # in the middle of the closing
            await self._going(meeting, last, "while it ends")
            last = self._world.worker(self._tenant)
            if not await meeting.ended(_LIFE_DEADLINE_S):
                self._out.unended.append(meeting.id)
            following.cancel()
            last.kill()
        self._out.losses.append(await meeting.losses())
        topics = (await meeting.document())["topics"]
        self._out.unsummarised += [f"{meeting.id}: {t['name']}" for t in topics if not t["summary"]]

    async def _life(self, meeting: TextMeeting, feeding: asyncio.Task[None]) -> None:
        if self._dice.random() < 0.3:
            worker = self._world.worker(self._tenant)
            await asyncio.sleep(self._dice.uniform(0, 2))
            await self._going(meeting, worker, "by the clock")
            return
        door, _, most = self._dice.choices(_DOORS, [weight for _, weight, _ in _DOORS])[0]
        doom = Doom(
            door,
            self._dice.choice(_MOMENTS),
            self._dice.randint(1, most),
            late_s=self._dice.uniform(0, 0.004),
            signal=signal.SIGTERM,
        )
        worker = self._world.worker(self._tenant, doom=doom)
        end_s = monotonic_s() + _LIFE_DEADLINE_S
        while worker.exit_code is None and monotonic_s() < end_s:
            if feeding.done():
                await asyncio.sleep(1.0)
                break
            await asyncio.sleep(0.02)
        await self._going(meeting, worker, "at a door")

    async def _going(self, meeting: TextMeeting, worker: Worker, kind: str) -> None:
        while not worker.listens and worker.exit_code is None:
            await asyncio.sleep(0.01)
        begin_s = monotonic_s()
        if not worker.told:  # else its doom was faster, and a second signal would end it at once
            worker.send(signal.SIGTERM)
        left = await gone(worker, _GOING_DEADLINE_S)
        code = worker.exit_code if left else None
        worker.kill()
        self._out.codes.setdefault(kind, []).append(code)
        if kind != "at a door":  # there nobody knows when it was sent
            self._out.took_s.append(monotonic_s() - begin_s)
        progress(f"{meeting.id}: {kind}: exit {code}, {meeting.sent} of {len(meeting.steps)} steps sent")
        if (await meeting.row()).holder is not None:
            self._out.held.append(f"{meeting.id} ({kind})")
        recorded, saved = await meeting.saved()
        if saved < recorded:
            self._out.unsaved.append(f"{meeting.id} ({kind}): {saved} of {recorded} events")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    parser.add_argument("--count", type=int, default=100, help="SIGTERMs (100)")
    parser.add_argument("--lanes", type=int, default=4, help="meetings at a time (4)")
    parser.add_argument("--lines", type=int, default=LINES, help=f"lines of a meeting ({LINES})")


async def run(args: argparse.Namespace) -> Report:
    """The experiment."""
    report, out = Report("sigterm", args.seed), Outcome()
    steps = script(args.seed, args.lines, ask_every=max(args.lines // 8, 10))
    async with servers() as world:
        shares = split(args.count, min(args.lanes, args.count))
        async with asyncio.TaskGroup() as tasks:
            for number, share in enumerate(shares, start=1):
                lane = Lane(world, number, Random(args.seed * 1000 + number), steps, out)
                tasks.create_task(lane.run(share))
    _tell(report, out, args.count)
    return report


def _tell(report: Report, out: Outcome, count: int) -> None:
    codes = [code for found in out.codes.values() for code in found]
    report.exactly("SIGTERMs", len(codes), count)
    for kind, found in sorted(out.codes.items()):
        report.say(f"  {kind}", len(found))
    report.exactly("exit codes other than 0", sum(code != 0 for code in codes), 0)
    report.say("from the signal to the end, median", percentile(out.took_s, 0.5), "s")
    report.say("from the signal to the end, longest", max(out.took_s, default=0.0), "s")
    report.exactly("snapshots that lacked an event", len(out.unsaved), 0)
    report.exactly("leases not let go", len(out.held), 0)
    report.exactly("acknowledged utterances lost", sum(len(x.lost) for x in out.losses), 0)
    report.exactly("utterances doubled", sum(len(x.doubled) for x in out.losses), 0)
    report.exactly("segments sent and not recorded", sum(len(x.missing) for x in out.losses), 0)
    report.say("recorded and never published live", sum(len(x.unshown) for x in out.losses))
    report.exactly("meetings not led to their end", len(out.unended), 0)
    report.exactly("topics without a summary at the end", len(out.unsummarised), 0)
    for kind, found in out.codes.items():
        if odd := [code for code in found if code != 0]:
            report.note(f"{kind}: exit codes {odd} (None: still there after {_GOING_DEADLINE_S:.0f} s)")
    for what in (out.unsaved, out.held, out.unended, out.unsummarised):
        for line in what[:4]:
            report.note(line)
