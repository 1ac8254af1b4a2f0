"""SIGKILL at seeded points of a meeting's whole life; a successor goes on.

Each lane has a tenant, a worker process at a time and a meeting at a time. A life is ended at one of
the doors of the adapters (before, during or after a call), by the clock, or inside a commit that
Postgres is made to hold: rolled back or carried out after the worker's death, or held for so long that
words went to the spool. After its share of deaths a meeting is led to its end and compared with one
that nobody disturbed.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import asyncpg

from tests.chaos import room_kills
from tests.chaos.fleet import keeps_logs
from tests.chaos.holder import Doom, Door, Moment
from tests.chaos.report import Report, progress
from tests.chaos.script import Step, script
from tests.chaos.servers import Servers, Worker, servers
from tests.chaos.text_meeting import Losses, TextMeeting, timeless
from worker.clock import monotonic_s

KILLS: Final = 200
LINES: Final = 140
KILLS_PER_MEETING: Final = 12
_AT_THE_END: Final = 2
"""So many of the kills come after everything was said."""
_SHUT_AFTER: Final = 8
"""Drawn so often and never gone through: it is no door of the product any more, and nothing is tried there."""
_LIFE_DEADLINE_S: Final = 90.0
_WINDOW: Final = 3
_PAUSE_S: Final = 0.05
_DOORS: Final[tuple[tuple[Door, int, int], ...]] = (
    # door, weight, up to which time through it
    ("acquire", 4, 1),
    ("load", 5, 1),
    ("mark_live", 3, 1),
    ("append", 34, 12),
    ("publish", 24, 12),
    ("snapshot", 10, 2),
    ("renew", 3, 1),
)
_MOMENTS: Final[tuple[Moment, ...]] = ("before", "during", "after")


@dataclass(frozen=True, slots=True)
class ByClock:
    """Killed so long after its birth, wherever it is then."""

    after_s: float

    def __str__(self) -> str:
        return f"by the clock after {self.after_s:.2f} s"


@dataclass(frozen=True, slots=True)
class InCommit:
    """Killed while Postgres holds its append for `held_s`; then the append is carried out, or not."""

    after_s: float
    held_s: float
    carried_out: bool

    def __str__(self) -> str:
        return f"in a commit held for {self.held_s:.2f} s, {'' if self.carried_out else 'not '}carried out"


Death = Doom | ByClock | InCommit


def drawn(dice: Random) -> Death:
    """How a worker dies."""
    luck = dice.random()
    if luck < 0.12:
        return ByClock(dice.uniform(0.02, 2.5))
    if luck < 0.27:
        held_s = dice.choice([0.05, 0.3, 1.6])
        return InCommit(dice.uniform(0.0, 0.4), held_s, carried_out=dice.random() < 0.5)
    door, _, most = dice.choices(_DOORS, [weight for _, weight, _ in _DOORS])[0]
    return Doom(door, dice.choice(_MOMENTS), dice.randint(1, most), late_s=dice.uniform(0, 0.004))


@dataclass
class Outcome:
    """What the meetings came to."""

    kills: Counter[str] = field(default_factory=Counter)
    struck: Counter[str] = field(default_factory=Counter)
    """Doors at which workers died."""
    waited: Counter[str] = field(default_factory=Counter)
    """Doors at which they should have, and that were not gone through that often in a life."""
    meetings: int = 0
    published: int = 0
    not_durable: int = 0
    losses: list[tuple[str, Losses]] = field(default_factory=list)
    different: dict[str, list[str]] = field(default_factory=dict)
    """Part of the document → meetings in which it is not as in the undisturbed one."""
    unended: list[str] = field(default_factory=list)
    untaken: int = 0
    """Publications that Redis did not take within its time, by the workers' logs."""


class Lane:
    """One tenant's meetings, one after the other, until its kills are done."""

    def __init__(self, world: Servers, number: int, dice: Random, steps: list[Step], out: Outcome) -> None:
        self._world, self._dice, self._steps, self._out = world, dice, steps, out
        self._name = self._tenant = f"lane-{number}"

    async def run(self, kills: int, reference: dict[str, Any]) -> None:
        """`kills` deaths, and every meeting led to its end."""
        number = 0
        while kills > 0:
            number += 1
            share = min(kills, KILLS_PER_MEETING)
            kills -= share
            # A tenant of its own: an answer may quote the tenant's other meetings.
            self._tenant = f"{self._name}-{number}"
            meeting = TextMeeting(self._world, self._tenant, self._tenant, self._steps)
            try:
                await self._meeting(meeting, share)
                await self._judge(meeting, reference)
            finally:
                await meeting.aclose()

    async def undisturbed(self) -> dict[str, Any]:
        """The document of a meeting that nobody kills."""
        meeting = TextMeeting(self._world, self._tenant, f"{self._tenant}-whole", self._steps)
        await self._meeting(meeting, 0)
        found = await meeting.document()
        await meeting.aclose()
        return timeless(found)

    async def _meeting(self, meeting: TextMeeting, kills: int) -> None:
        await meeting.want()
        at_the_end = min(_AT_THE_END, kills // 3)
        async with asyncio.TaskGroup() as tasks:
            following = tasks.create_task(meeting.follow())
            feeding = tasks.create_task(meeting.feed(window=_WINDOW, pause_s=_PAUSE_S))
            for _ in range(kills - at_the_end):
                await self._life(meeting, drawn(self._dice), feeding)
            last = self._world.worker(self._tenant)
            await feeding
            if at_the_end:
                last.kill()
                self._out.kills["at rest"] += 1
            await meeting.end()
            for _ in range(at_the_end - 1):
                doom = Doom(
                    self._dice.choice(["append", "publish", "snapshot"]),
                    self._dice.choice(_MOMENTS),
                    self._dice.randint(1, 3),
                    late_s=self._dice.uniform(0, 0.004),
                )
                await self._life(meeting, doom, feeding)
            if at_the_end:
                last = self._world.worker(self._tenant)
            if not await meeting.ended(_LIFE_DEADLINE_S):
                self._out.unended.append(meeting.id)
            following.cancel()
            last.send(signal.SIGTERM)
            await gone(last, 30)
            last.kill()

    async def _life(self, meeting: TextMeeting, death: Death, feeding: asyncio.Task[None]) -> None:
        worker = self._world.worker(self._tenant, doom=death if isinstance(death, Doom) else None)
        if isinstance(death, InCommit):
            killed = await self._in_commit(meeting, worker, death, feeding)
        else:
            wait_s = death.after_s if isinstance(death, ByClock) else _LIFE_DEADLINE_S
            killed = await self._dies(meeting, worker, wait_s, feeding)
        worker.kill()
        if isinstance(death, Doom):
            (self._out.struck if killed else self._out.waited)[death.door] += 1
        if not killed:
            death = ByClock(monotonic_s() - worker.born_s)
        kind = f"{death.moment} {death.door}" if isinstance(death, Doom) else type(death).__name__
        self._out.kills[kind] += 1
        progress(f"{meeting.id}: killed {death}, {meeting.sent} of {len(meeting.steps)} steps sent")

    async def _dies(
        self, meeting: TextMeeting, worker: Worker, within_s: float, feeding: asyncio.Task[None]
    ) -> bool:
        """Wait for its death; where everything has been said before, it is killed a little later."""
        end_s = worker.born_s + within_s
        while worker.exit_code is None and monotonic_s() < end_s:
            if feeding.done() and (await meeting.row()).holder is not None:
                end_s = min(end_s, monotonic_s() + 3.0)
            await asyncio.sleep(0.02)
        return worker.exit_code is not None or within_s < _LIFE_DEADLINE_S

    async def _in_commit(
        self, meeting: TextMeeting, worker: Worker, death: InCommit, feeding: asyncio.Task[None]
    ) -> bool:
        end_s = monotonic_s() + _LIFE_DEADLINE_S
        while (holder := (await meeting.row()).holder) is None or holder.worker_pid != worker.pid:
            if monotonic_s() > end_s:
                return False
            await asyncio.sleep(0.05)
        await asyncio.sleep(death.after_s)
        async with self._world.admin() as owner, self._world.admin() as watcher:
            lock = owner.transaction()
            await lock.start()
            await owner.execute(
                "SELECT FROM moim.leases WHERE tenant = $1 AND meeting_id = $2 FOR UPDATE",
                self._tenant,
                meeting.id,
            )
            end_s = monotonic_s() + (2 if feeding.done() else 10)
            while (backend := await _waiting_append(watcher, owner.get_server_pid())) is None:
                if monotonic_s() > end_s:
                    await lock.rollback()
                    return False
                await asyncio.sleep(0.01)
            await asyncio.sleep(death.held_s)
            worker.kill()
            if not death.carried_out:
                await watcher.execute("SELECT pg_terminate_backend($1)", backend)
                await asyncio.sleep(0.05)
            await lock.rollback()
        return True

    async def _judge(self, meeting: TextMeeting, reference: dict[str, Any]) -> None:
        out = self._out
        losses = await meeting.losses()
        out.meetings += 1
        out.published += len(meeting.finals)
        out.not_durable += sum(not final["durable"] for final in meeting.finals)
        out.losses.append((meeting.id, losses))
        found = timeless(await meeting.document())
        for part, value in found.items():
            if value != reference[part]:
                out.different.setdefault(part, []).append(meeting.id)
                progress(f"{meeting.id}: {part} differs: {_first_difference(value, reference[part])}")


async def gone(worker: Worker, within_s: float) -> bool:
    """Wait for its end."""
    end_s = monotonic_s() + within_s
    while worker.exit_code is None:
        if monotonic_s() > end_s:
            return False
        await asyncio.sleep(0.02)
    return True


async def _waiting_append(watcher: asyncpg.Connection[asyncpg.Record], locker_pid: int) -> int | None:
    """The backend whose append waits for the lock of `locker_pid`."""
    pid: int | None = await watcher.fetchval(
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        " AND query LIKE '%append_events%' AND $1 = ANY(pg_blocking_pids(pid)) LIMIT 1",
        locker_pid,
    )
    return pid


def _first_difference(found: Any, wanted: Any) -> str:
    if isinstance(found, list) and isinstance(wanted, list):
        for number, (one, other) in enumerate(zip(found, wanted, strict=False)):
            if one != other:
                return f"no. {number}: {one!r} instead of {other!r}"
        return f"{len(found)} instead of {len(wanted)}"
    if isinstance(found, dict) and isinstance(wanted, dict) and found.keys() == wanted.keys():
        differ = [key for key in found if found[key] != wanted[key]]
        return "; ".join(f"{key}: {_first_difference(found[key], wanted[key])}" for key in differ)
    return f"{found!r} instead of {wanted!r}"


# ---- the command ----------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    parser.add_argument("--count", type=int, help="deaths (200; in a room 10 without a standby and 10 with)")
    parser.add_argument("--lanes", type=int, default=8, help="meetings at a time (8)")
    parser.add_argument("--lines", type=int, default=LINES, help=f"lines of a meeting ({LINES})")
    parser.add_argument(
        "--room", action="store_true", help="a real room, real speech, ko and en, characters counted"
    )
    parser.add_argument("--main", action="store_true", help="in a room: every second death is the worker's")
    keeps_logs(parser)


async def run(args: argparse.Namespace) -> Report:
    """The experiment."""
    if args.room:
        return await room_kills.run(args)
    args.count = args.count or KILLS
    report, out = Report("kills", args.seed), Outcome()
    steps = script(args.seed, args.lines, ask_every=max(args.lines // 4, 10))
    async with servers() as world:
        reference = await Lane(world, 0, Random(args.seed), steps, out).undisturbed()
        shares = split(args.count, min(args.lanes, -(-args.count // KILLS_PER_MEETING)))
        async with asyncio.TaskGroup() as tasks:
            for number, share in enumerate(shares, start=1):
                lane = Lane(world, number, Random(args.seed * 1000 + number), steps, out)
                tasks.create_task(lane.run(share, reference))
        out.untaken = sum(
            log.read_text("utf-8", "replace").count('"event": "outlet_failed"')
            for log in world.directory.glob("lane-*.log")
        )
    _tell(report, out, args.count)
    return report


def split(count: int, ways: int) -> list[int]:
    """`count` in `ways` nearly equal shares."""
    return [count // ways + (number < count % ways) for number in range(ways)]


def _tell(report: Report, out: Outcome, count: int) -> None:
    losses = [found for _, found in out.losses]
    report.exactly("kills", sum(out.kills.values()), count)
    shut = [door for door, times in out.waited.items() if times >= _SHUT_AFTER and not out.struck[door]]
    report.exactly("doors that nobody goes through any more", len(shut), 0)
    for door in shut:
        report.note(
            f"door {door}: drawn {out.waited[door]} times, never gone through: has the product another?"
        )
    for kind, times in sorted(out.kills.items()):
        report.say(f"  {kind}", times)
    report.say("meetings", out.meetings)
    report.exactly("meetings not led to their end", len(out.unended), 0)
    report.say("finals published", out.published)
    report.say("  before they were durable", out.not_durable)
    report.exactly("acknowledged utterances lost", _sum(losses, "lost"), 0)
    report.exactly("utterances doubled", _sum(losses, "doubled"), 0)
    report.exactly("segments sent and not recorded", _sum(losses, "missing"), 0)
    report.exactly("meetings out of order", sum(found.disordered for found in losses), 0)
    report.say("published again, same id and text", sum(found.repeated for found in losses))
    report.say("recorded and never published live", _sum(losses, "unshown"))
    report.say("  publications that Redis did not take in its time", out.untaken)
    for part in ("utterances", "participants", "topics", "placed", "replies"):
        report.exactly(f"meetings whose {part} differ", len(out.different.get(part, [])), 0)
    for name, found in out.losses:
        for what in ("lost", "doubled", "missing"):
            if items := getattr(found, what):
                report.note(f"{name}: {what}: {items[:3]}")
    for part, names in out.different.items():
        report.note(f"{part} differ in {', '.join(sorted(names))}")


def _sum(losses: Sequence[Losses], name: str) -> int:
    return sum(len(getattr(found, name)) for found in losses)
