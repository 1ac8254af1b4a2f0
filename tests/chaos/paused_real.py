"""Real processes on a real Postgres: the holder is stopped with SIGSTOP, another goes on, it wakes up again.

A trigger writes down when each epoch was granted, by the database's clock; each event of the record has its
epoch and its moment. An event of an epoch behind a higher grant would be a stale write.
"""

from __future__ import annotations

import asyncio
import signal
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from tests.chaos.holder import Doom
from tests.chaos.kills import gone
from tests.chaos.report import Report, progress
from tests.chaos.script import script
from tests.chaos.servers import Servers, Worker, servers
from tests.chaos.text_meeting import Losses, TextMeeting
from worker.clock import monotonic_s

LINES: Final = 200
_DEADLINE_S: Final = 90.0
_AT_ONCE: Final = 4
_GRANTS: Final = """
CREATE TABLE public.chaos_grants (tenant text, meeting_id text, epoch bigint, at timestamptz);
CREATE FUNCTION public.chaos_granted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO public.chaos_grants VALUES (NEW.tenant, NEW.meeting_id, NEW.epoch, clock_timestamp());
    RETURN NULL;
END $$;
CREATE TRIGGER chaos_granted AFTER UPDATE OF epoch ON moim.leases FOR EACH ROW
    WHEN (NEW.epoch > OLD.epoch) EXECUTE FUNCTION public.chaos_granted();
"""
_STALE: Final = """
SELECT count(*) FROM moim.events e JOIN public.chaos_grants g USING (tenant, meeting_id)
 WHERE g.epoch > e.epoch AND g.at < e.recorded_at
"""


@dataclass
class Stopped:
    """What came of the stops."""

    takeovers: int = 0
    losses: list[Losses] = field(default_factory=list)
    codes: list[int | None] = field(default_factory=list)
    """The exit codes, after a SIGTERM, of the workers that were stopped and woke up again."""
    unended: int = 0


async def run(report: Report, seed: int, count: int) -> None:
    """`count` stops."""
    found, places = Stopped(), asyncio.Semaphore(_AT_ONCE)
    async with servers() as world:
        async with world.admin() as owner:
            await owner.execute(_GRANTS)

        async def one(number: int) -> None:
            async with places:
                await _stop(world, f"stopped-{number}", Random(seed * 1000 + number), found)

        async with asyncio.TaskGroup() as tasks:
            for number in range(count):
                tasks.create_task(one(number))
        async with world.admin() as owner:
            stale, grants = (
                await owner.fetchval(_STALE),
                await owner.fetchval("SELECT count(*) FROM public.chaos_grants"),
            )
    report.say("real processes stopped (SIGSTOP)", count)
    report.say("  grants of a lease", grants)
    report.exactly("  taken over meanwhile", found.takeovers, count)
    report.exactly("  stale writes (real)", stale, 0)
    report.exactly("  acknowledged utterances lost (real)", sum(len(x.lost) for x in found.losses), 0)
    report.exactly("  utterances doubled (real)", sum(len(x.doubled) for x in found.losses), 0)
    report.exactly("  segments not recorded (real)", sum(len(x.missing) for x in found.losses), 0)
    report.exactly("  meetings not led to their end (real)", found.unended, 0)
    report.exactly("  exit codes of who woke up, other than 0", sum(c != 0 for c in found.codes), 0)


async def _stop(world: Servers, tenant: str, dice: Random, found: Stopped) -> None:
    meeting = TextMeeting(world, tenant, tenant, script(dice.randrange(10_000), LINES))
    await meeting.want()
    doom = Doom(
        dice.choice(["append", "append", "publish", "renew", "snapshot"]),
        dice.choice(["during", "during", "after"]),
        dice.randint(1, 2) if dice.random() < 0.3 else 1,
        late_s=dice.uniform(0, 0.003),
        signal=signal.SIGSTOP,
    )
    first = world.worker(tenant, doom=doom)
    following = asyncio.ensure_future(meeting.follow())
    feeding = asyncio.ensure_future(meeting.feed(window=3, pause_s=0.1))
    try:
        await _until_stopped(first)
        epoch = (await meeting.row()).epoch
        second = world.worker(tenant)
        end_s = monotonic_s() + _DEADLINE_S
        while (await meeting.row()).epoch == epoch and monotonic_s() < end_s:
            await asyncio.sleep(0.05)
        found.takeovers += (await meeting.row()).epoch > epoch
        await asyncio.sleep(dice.uniform(0, 3))
        first.send(signal.SIGCONT)
        progress(f"{tenant}: stopped {doom}, taken over, awake again after {meeting.sent} lines")
        await feeding
        await meeting.end()
        found.unended += not await meeting.ended(_DEADLINE_S)
        for worker in (first, second):
            worker.send(signal.SIGTERM)
            await gone(worker, 30)
            found.codes.append(worker.exit_code)
            worker.kill()
        found.losses.append(await meeting.losses())
    finally:
        following.cancel()
        feeding.cancel()
        first.send(signal.SIGCONT)
        await meeting.aclose()


async def _until_stopped(worker: Worker) -> None:
    end_s = monotonic_s() + _DEADLINE_S
    while monotonic_s() < end_s:
        if Path(f"/proc/{worker.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T":
            return
        await asyncio.sleep(0.02)
    raise TimeoutError("it was not stopped: its doom did not come")
