"""Postgres and Redis killed for a minute, with meetings going on at real pace, in a real worker process.

While Postgres is away, finals go out as not durable and wait in the spool; when it is back, everything
has to be on the record within 5 s. While Redis is away a text meeting has no input: its senders hold on to
what Redis did not take, as clients of a stream do, and send it when it is back; 5 s later it has to be recorded.
Both are killed with SIGKILL and started again on their data.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

import asyncpg

from tests.chaos.kills import gone
from tests.chaos.report import Report, progress
from tests.chaos.script import Say, script
from tests.chaos.servers import Servers, Worker, servers
from tests.chaos.text_meeting import TextMeeting
from worker.clock import monotonic_s
from worker.embedded.child import EmbeddedServer

CATCH_UP_S: Final = 5.0
_TENANT: Final = "outages"
_DEADLINE_S: Final = 90.0
Victim = Literal["postgres", "redis"]


@dataclass
class Speaker:
    """Somebody who says a line every `pace_s`, and what of it has been said."""

    meeting: TextMeeting
    pace_s: float
    dice: Random
    due: int = 0
    """Lines that should have been said by now, sent or not."""

    async def talk(self, stop: asyncio.Event) -> None:
        """Until `stop`; a line that Redis does not take waits, and those behind it."""
        await asyncio.sleep(self.dice.uniform(0, self.pace_s))
        sending: asyncio.Queue[Say] = asyncio.Queue()
        async with asyncio.TaskGroup() as tasks:
            sender = tasks.create_task(self._send(sending))
            for say in self.meeting.says:
                if stop.is_set():
                    break
                self.due += 1
                sending.put_nowait(say)
                try:
                    async with asyncio.timeout(self.pace_s):
                        await stop.wait()
                except TimeoutError:
                    continue
            await sending.join()
            sender.cancel()

    async def _send(self, sending: asyncio.Queue[Say]) -> None:
        while True:
            await self.meeting.send(await sending.get())
            sending.task_done()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    parser.add_argument("--meetings", type=int, default=20, help="at a time (20)")
    parser.add_argument("--away", type=float, default=60.0, help="seconds (60)")
    parser.add_argument("--pace", type=float, default=3.0, help="seconds between a meeting's lines (3)")
    parser.add_argument("--between", type=float, default=10.0, help="seconds between outages (10)")
    parser.add_argument("--only", choices=["postgres", "redis"], help="one of them")


async def run(args: argparse.Namespace) -> Report:
    """The experiment."""
    report = Report("outages", args.seed)
    async with servers(durable=True) as world:
        lines = round((3 * args.away + 20 * args.between) / args.pace) + 50
        meetings = [
            TextMeeting(world, _TENANT, f"m-{n}", script(args.seed + n, lines)) for n in range(args.meetings)
        ]
        dice = Random(args.seed)
        speakers = [Speaker(meeting, args.pace, dice) for meeting in meetings]
        for meeting in meetings:
            await meeting.want()
        worker = world.worker(_TENANT)
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            following = [tasks.create_task(meeting.follow()) for meeting in meetings]
            talking = [tasks.create_task(speaker.talk(stop)) for speaker in speakers]
            victims: list[Victim] = [args.only] if args.only else ["postgres", "redis"]
            for victim in victims:
                await asyncio.sleep(args.between)
                await _outage(report, world, victim, speakers, args.away)
            await asyncio.sleep(args.between)
            stop.set()
            await asyncio.gather(*talking)
            await _recorded(world, speakers)
            report.exactly("the worker is still the same, alive", int(worker.exit_code is None), 1)
            await _end(report, meetings, worker)
            for follower in following:
                follower.cancel()
        await _judge(report, meetings)
        for meeting in meetings:
            await meeting.aclose()
    return report


async def _outage(
    report: Report, world: Servers, victim: Victim, speakers: list[Speaker], away_s: float
) -> None:
    server: EmbeddedServer = world.postgres if victim == "postgres" else world.valkey
    back: Callable[[], Awaitable[None]] = getattr(server, "start")  # noqa: B009 - both have it, their base not
    assert server.pid is not None
    progress(f"{victim} is killed, {sum(s.due for s in speakers)} lines said so far")
    shown_before = sum(len(s.meeting.finals) for s in speakers)
    os.kill(server.pid, signal.SIGKILL)
    await asyncio.sleep(away_s)
    shown = sum(len(s.meeting.finals) for s in speakers) - shown_before
    due = [speaker.due for speaker in speakers]
    if victim == "postgres":
        await _cleared(server)
    begin_s = monotonic_s()
    await back()
    started_s = monotonic_s()
    at_s = await _recorded(world, speakers, due)
    progress(
        f"{victim} back after {started_s - begin_s:.1f} s of starting; caught up {at_s - started_s:.2f} s later"
    )
    report.say(f"{victim} away", away_s, "s")
    report.say(f"  finals shown meanwhile ({victim})", shown)
    report.say(
        f"  {victim}: lines to catch up with", sum(due) - shown_before - (shown if victim == "redis" else 0)
    )
    report.at_most(f"  {victim}: recorded after its return", at_s - started_s, CATCH_UP_S, "s")


async def _cleared(server: EmbeddedServer) -> None:
    """Postgres' own children see that their parent is gone: until then it would not start again."""
    end_s = monotonic_s() + 10
    while server.pid is not None and monotonic_s() < end_s:
        await asyncio.sleep(0.05)


async def _recorded(world: Servers, speakers: list[Speaker], due: list[int] | None = None) -> float:
    """Wait until each meeting's first `due` lines are on the record; when that was."""
    wanted = {s.meeting.id: d for s, d in zip(speakers, due or [s.due for s in speakers], strict=True)}
    end_s = monotonic_s() + _DEADLINE_S
    while True:
        try:
            async with world.admin() as owner:
                rows = await owner.fetch(
                    "SELECT meeting_id, count(*) AS said FROM moim.utterances WHERE tenant = $1 GROUP BY 1",
                    _TENANT,
                )
            found = {row["meeting_id"]: row["said"] for row in rows}
        except (OSError, asyncpg.PostgresError):
            found = {}
        if all(found.get(name, 0) >= count for name, count in wanted.items()):
            return monotonic_s()
        if monotonic_s() > end_s:
            return float("inf")
        await asyncio.sleep(0.05)


async def _end(report: Report, meetings: list[TextMeeting], worker: Worker) -> None:
    for meeting in meetings:
        await meeting.end()
    ended = [await meeting.ended(_DEADLINE_S) for meeting in meetings]
    report.exactly("meetings not led to their end", ended.count(False), 0)
    worker.send(signal.SIGTERM)
    await gone(worker, 30)
    report.exactly("its exit code", worker.exit_code if worker.exit_code is not None else 99, 0)


async def _judge(report: Report, meetings: list[TextMeeting]) -> None:
    losses = [await meeting.losses() for meeting in meetings]
    finals = [final for meeting in meetings for final in meeting.finals]
    report.say("meetings", len(meetings))
    report.say("lines said", sum(meeting.sent for meeting in meetings))
    report.say("finals shown", len(finals))
    report.say("  before they were durable", sum(not final["durable"] for final in finals))
    report.exactly("lines not recorded", sum(len(found.missing) for found in losses), 0)
    report.exactly("shown finals not recorded as they were", sum(len(found.lost) for found in losses), 0)
    report.exactly("doubled", sum(len(found.doubled) for found in losses), 0)
    report.exactly("meetings out of order", sum(found.disordered for found in losses), 0)
    report.say("recorded and never shown live", sum(len(found.unshown) for found in losses))
    for meeting, found in zip(meetings, losses, strict=True):
        for what in ("missing", "lost", "doubled"):
            if items := getattr(found, what):
                report.note(f"{meeting.id}: {what}: {items[:3]}")
