"""Deaths of job and worker in a real room, while somebody talks on: how long until another one goes on.

Two workers, a room, a speaker who says a short line every two seconds. Each death is a SIGKILL of the
holder's job or of its worker's main process, by turns. Measured from the kill: the new lease, and the first new
final at a client in the room. At the end: a worker's websocket is cut while its job holds the meeting.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from stt.segment import BYTES_PER_MS
from tests.acceptance.lines import EN, line
from tests.acceptance.stack import PATIENCE_S, Play, until
from tests.chaos.fleet import Fleet, Numbering, fleet, keeps_logs
from tests.chaos.proxy import WorkerProxy
from tests.chaos.report import Report, percentile, progress
from tests.fakes.players import Player
from worker.clock import monotonic_s
from worker.ports import MeetingRow

ALONE_S: Final = 8.0
GUARDED_S: Final = 6.0
_CUT_S: Final = 8.0


@dataclass
class Death:
    """One death, and what came of it. Seconds from the kill."""

    victim: str
    killed_s: float = 0.0
    """On the monotonic clock."""
    lease_s: float = float("inf")
    text_s: float = float("inf")
    lost: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    by_standby: bool = False

    @property
    def longest_s(self) -> float:
        """Until somebody holds the meeting and its words are read again."""
        return max(self.lease_s, self.text_s)


class Talker:
    """Says a line of some 1.5 s every two seconds, until stopped."""

    def __init__(self, play: Play, player: Player) -> None:
        self._play, self._player = play, player
        said = line(EN, 1)
        self._pcm = said.first(1.5)
        self.said = 0

    async def run(self) -> None:
        """Until cancelled."""
        stage, at_s = self._play.stage, self._play.stage.now_s + 0.5
        while True:
            self._player.say(self._pcm, at_s)
            self.said += 1
            end_s = at_s + len(self._pcm) / BYTES_PER_MS / 1000
            at_s = end_s + 0.9
            await stage.until(at_s - 0.5)


class Room:
    """One meeting with somebody who talks."""

    spread_s = 2.0
    """Deaths come so long after a text, at most."""

    def __init__(self, fleet: Fleet, play: Play, player: Player, *, standby: bool) -> None:
        self.fleet, self.play, self.player, self.standby = fleet, play, player, standby

    async def held(self) -> MeetingRow:
        """The row, once somebody holds it, and stands by where that is wanted, and both workers are there."""
        await self.fleet.keep_second()
        await until(self.fleet.first_ready, "worker A")
        return await self.play.stack.row_when(
            self.play.meeting_id,
            lambda row: row.holder is not None and (row.standby is not None or not self.standby),
            "a holder" + (" and a standby" if self.standby else ""),
        )

    async def die(self, victim: str, dice: Random) -> Death:
        """Kill the holder's job or worker, and see what happens."""
        held = await self.held()
        await self.text_after(monotonic_s())  # it is at work
        before = await self.play.stack.document(self.play.meeting_id)
        await asyncio.sleep(dice.uniform(0, self.spread_s))
        assert held.holder is not None
        acknowledged = [t for t in self.player.finals if t.durable]
        os.kill(held.holder.job_pid if victim == "job" else held.holder.worker_pid, signal.SIGKILL)
        killed_s = monotonic_s()
        death = Death(victim, killed_s)
        taken = await self.play.stack.row_when(
            self.play.meeting_id,
            lambda row: row.epoch > held.epoch and row.holder is not None,
            "a higher epoch",
        )
        death.lease_s = monotonic_s() - killed_s
        death.by_standby = taken.holder == held.standby
        known = {t.segment_id for t in acknowledged}
        text_s = await self.text_after(monotonic_s(), known)
        death.text_s = text_s - killed_s
        after = await self.play.stack.document(self.play.meeting_id)
        recorded = [(u["id"], u["speaker"], u["text"]) for u in after["utterances"]]
        death.lost = [
            f"{t.utterance}: {t.text}"
            for t in acknowledged
            if recorded.count((t.utterance, t.speaker, t.text)) != 1
        ]
        death.changed = _changed(before, after)
        return death

    async def text_after(self, moment_s: float, known: set[str] | None = None) -> float:
        """When the first final after `moment_s` came that is none of `known`."""

        def look(player: Player) -> float | None:
            found = [
                t.received_s
                for t in player.finals
                if t.received_s > moment_s and t.segment_id not in (known or set())
            ]
            return found[0] if found else None

        return await self.player.wait_for(look, PATIENCE_S, "text")


def _changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What of the meeting's context is not as it was before the death."""
    found: list[str] = []
    count = len(before["utterances"])
    old, new = (sorted(d["utterances"], key=lambda u: u["id"]) for d in (before, after))
    if [{k: v for k, v in u.items() if k != "topic"} for u in old] != [
        {k: v for k, v in u.items() if k != "topic"} for u in new[:count]
    ]:
        found.append("utterances")
    if [u["id"] for u in new] != [*range(1, len(new) + 1)]:
        found.append("ids")
    starts = [[t["first_utterance"] for t in d["topics"]] for d in (before, after)]
    if starts[0] != starts[1][: len(starts[0])]:
        found.append("topics")
    if before["replies"] != after["replies"][: len(before["replies"])]:
        found.append("replies")
    if before["meeting"]["started_at"] != after["meeting"]["started_at"]:
        found.append("started_at")
    return found


# ---- a lost websocket ----------------------------------------------------------------------------------


async def _websocket(report: Report, room: Room, proxy: WorkerProxy) -> None:
    """Bring the meeting to worker B, whose way to LiveKit is the proxy, and cut that."""
    row = await room.held()
    assert room.fleet.second is not None
    while row.holder is None or row.holder.worker_pid != room.fleet.second.pid:
        if row.holder is not None:
            os.kill(row.holder.job_pid, signal.SIGKILL)
        epoch = row.epoch
        row = await room.play.stack.row_when(
            room.play.meeting_id,
            lambda r, epoch=epoch: r.epoch > epoch and r.holder,
            "a holder",
        )
    await room.text_after(monotonic_s())
    before = proxy.registrations
    proxy.cut()
    finals = len(room.player.finals)
    await asyncio.sleep(_CUT_S)
    heard = len(room.player.finals) - finals
    proxy.mend()

    async def registered() -> bool:
        return proxy.registrations > before and await room.fleet.second_ready()

    await until(registered, "worker B's registration")
    await room.text_after(monotonic_s())
    after = await room.play.stack.row(room.play.meeting_id)
    agents = [
        who
        for who, someone in room.player.room.remote_participants.items()
        if int(someone.attributes.get("moim.epoch", "0")) > row.epoch
    ]
    report.say("websocket of a worker cut for", _CUT_S, "s")
    report.exactly("  its job's epoch afterwards, above the one before", after.epoch - row.epoch, 0)
    report.exactly("  the same job holds the meeting", int(after.holder == row.holder), 1)
    report.at_most("  lines heard meanwhile, missing", 2 - min(2, heard), 0)
    report.exactly("  the worker registered again", int(proxy.registrations > before), 1)
    report.exactly("  agents with a higher epoch in the room", len(agents), 0)


# ---- the command ----------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    parser.add_argument("--count", type=int, default=30, help="deaths (30), job and worker by turns")
    parser.add_argument("--standby", action="store_true", help="a second job stands by")
    keeps_logs(parser)


async def run(args: argparse.Namespace) -> Report:
    """The experiment."""
    report = Report("takeover", args.seed)
    deaths: list[Death] = []
    async with Numbering().running() as engine:
        environment = {
            "STT_ENGINE": "openai",
            "STT_BASE_URL": engine.base_url,
            "STT_MODEL": "numbers",
            "EMBED_ENGINE": "none",
        }
        async with (
            fleet(environment, keep_logs=args.keep_logs) as (stack, directory),
            WorkerProxy(stack.env["LIVEKIT_URL"]).running() as proxy,
        ):
            two = Fleet(stack, directory, livekit_url=proxy.url)
            await two.keep_second()
            try:
                await _play(report, args, two, proxy, deaths)
            finally:
                if two.second is not None:
                    await two.second.stop(signal.SIGTERM, 20)
    _tell(report, deaths, args)
    return report


async def _play(
    report: Report, args: argparse.Namespace, two: Fleet, proxy: WorkerProxy, deaths: list[Death]
) -> None:
    dice = Random(args.seed)
    async with two.stack.play("takeover", standby=args.standby) as play:
        player = play.stage.player("alice", "Alice Moreau")
        await player.join()
        await play.moim_hears(player)
        play.stage.begin()
        talker = Talker(play, player)
        talking = asyncio.ensure_future(talker.run())
        room = Room(two, play, player, standby=args.standby)
        try:
            for number in range(args.count):
                death = await room.die("job" if number % 2 == 0 else "main", dice)
                deaths.append(death)
                progress(
                    f"{number + 1}: {death.victim} killed: lease {death.lease_s:.1f} s, text {death.text_s:.1f} s"
                    f"{', by the standby' if death.by_standby else ''} {death.lost or ''} {death.changed or ''}"
                )
            await _websocket(report, room, proxy)
        finally:
            talking.cancel()


def _tell(report: Report, deaths: list[Death], args: argparse.Namespace) -> None:
    goal_s = GUARDED_S if args.standby else ALONE_S
    report.say("deaths", len(deaths))
    for victim in ("job", "main"):
        of = [death for death in deaths if death.victim == victim]
        for what in ("lease", "text"):
            times = [getattr(death, f"{what}_s") for death in of]
            report.say(
                f"  {victim}: kill to {'new lease' if what == 'lease' else 'first new final'}, median / longest",
                f"{percentile(times, 0.5):.1f} / {max(times, default=0):.1f}",
                "s",
            )
    report.at_most("kill to new lease, longest", max((d.lease_s for d in deaths), default=0), goal_s, "s")
    report.at_most(
        "kill to first new final, longest", max((d.text_s for d in deaths), default=0), goal_s, "s"
    )
    report.exactly("acknowledged finals lost", sum(len(death.lost) for death in deaths), 0)
    report.exactly("deaths after which the context was not equal", sum(bool(d.changed) for d in deaths), 0)
    if args.standby:
        report.say("taken over by the standby", sum(death.by_standby for death in deaths))
    for number, death in enumerate(deaths, start=1):
        if death.lost or death.changed:
            report.note(f"death {number} ({death.victim}): lost {death.lost[:3]}, changed {death.changed}")
