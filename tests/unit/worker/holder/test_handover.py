"""Asked to go, a holder goes once a successor listens, at a moment in which nobody is cut off."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from tests.fakes.leases import FakeLeases
from tests.fakes.record import Record
from tests.fakes.registry import FakeRegistry
from tests.fakes.standbys import FakeStandbys
from tests.fakes.virtual_time import in_virtual_time
from worker.holder.handover import QUIET_WITHIN_S, SETTLED_S, Handover
from worker.meeting.session import Session
from worker.monitoring import jobs
from worker.participants.tracks import Tracks
from worker.ports import Holder

pytestmark = in_virtual_time

ME = Holder(host="a", worker_pid=1, job_pid=2)
BESIDE = Holder(host="a", worker_pid=1, job_pid=3)
ELSEWHERE = Holder(host="b", worker_pid=1, job_pid=2)
BELIEVED = Holder(host="c", worker_pid=1, job_pid=2)


@dataclass
class _Session:
    meeting_id: str = "m-1"
    answers: int = 0
    left: list[tuple[str, float]] = field(default_factory=list)

    def waiting(self) -> dict[str, float]:
        return {"answers": self.answers}

    async def leave(self, reason: str) -> None:
        self.left.append((reason, asyncio.get_running_loop().time()))


@dataclass
class _Tracks:
    behind_ms: int = 0
    unwritten: dict[str, int] = field(default_factory=dict)


class World:
    def __init__(self, run_dir: Path) -> None:
        self.record, self.run_dir = Record(), run_dir
        self.registry, self.leases = FakeRegistry(self.record), FakeLeases(self.record)
        self.standbys = FakeStandbys(self.record)
        self.session, self.tracks = _Session(), _Tracks()
        self.in_room: set[Holder] = set()

    async def open(self) -> Handover:
        await self.registry.want("회의실", meeting_id="m-1")
        epoch = await self.leases.acquire("m-1", ME, 1e6)
        assert epoch is not None
        await self.registry.mark_live("m-1", epoch, self.record.clock.now)
        return Handover(
            self.standbys,
            self.registry,
            self.leases,
            self.run_dir,
            me=ME,
            epoch=epoch,
            session=cast("Session", self.session),
            tracks=cast("Tracks", self.tracks),
            in_room=self.in_room.__contains__,
        )

    async def wanted(self) -> list[str]:
        found = await self.standbys.claim_unguarded(limit=9, retry_after_s=0, every=False)
        return [wish.row.id for wish in found if wish.apart]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_nobody_is_sought_before_somebody_asks(world: World) -> None:
    running = asyncio.ensure_future((await world.open()).run())
    await world.standbys.note("m-1", ELSEWHERE, 1e6)
    world.in_room.add(ELSEWHERE)
    await asyncio.sleep(60)
    assert not running.done()
    assert await world.wanted() == []
    await _cancelled(running)


async def test_a_successor_is_sought_and_followed_once_it_is_in_the_room(world: World) -> None:
    running = asyncio.ensure_future((await world.open()).run())
    jobs.request_handover(world.run_dir)
    await asyncio.sleep(2)
    assert await world.wanted() == ["m-1"]
    await world.standbys.note("m-1", BESIDE, 1e6)
    world.in_room.add(BESIDE)
    await asyncio.sleep(5)
    assert not running.done(), "that one stops with us"
    await world.standbys.note("m-1", ELSEWHERE, 1e6)
    await asyncio.sleep(5)
    assert not running.done(), "it is on its way, and the one in the room may be a dead one"
    world.in_room.add(ELSEWHERE)
    await running
    assert [reason for reason, _ in world.session.left] == ["handed_over"]
    await world.standbys.drop("m-1", ELSEWHERE)
    assert await world.wanted() == [], "nobody is sought any more"


@pytest.mark.parametrize("what", ["speech", "answer"])
async def test_who_is_in_the_middle_is_let_finish(world: World, what: str) -> None:
    world.tracks.behind_ms, world.session.answers = (3000, 0) if what == "speech" else (0, 1)
    world.in_room.add(ELSEWHERE)
    handover = await world.open()
    await world.standbys.note("m-1", ELSEWHERE, 1e6)
    jobs.request_handover(world.run_dir)
    running = asyncio.ensure_future(handover.run())
    await asyncio.sleep(4)
    assert not running.done()
    world.tracks.behind_ms = world.session.answers = 0
    before_s = asyncio.get_running_loop().time()
    await running
    assert world.session.left[0][1] - before_s <= 1


@pytest.mark.parametrize(("waiting_ms", "goes"), [(8_000, True), (12_000, False), (25_000, False)])
async def test_talk_without_a_pause_is_left_in_the_middle_and_only_within_what_the_successor_has(
    world: World, waiting_ms: int, goes: bool
) -> None:
    """The successor has been there for ten seconds."""
    world.tracks.behind_ms = waiting_ms
    world.in_room.add(ELSEWHERE)
    handover = await world.open()
    await world.standbys.note("m-1", ELSEWHERE, 1e6)
    jobs.request_handover(world.run_dir)
    running = asyncio.ensure_future(handover.run())
    await asyncio.sleep(QUIET_WITHIN_S + 2)
    assert running.done() == goes
    await _cancelled(running)


async def test_the_one_that_it_goes_for_has_been_there_for_a_while(world: World) -> None:
    """A killed standby is noted, and seen in the room, for some seconds; the next one comes in its place."""
    world.tracks.behind_ms = 3000
    world.in_room |= {BELIEVED, ELSEWHERE}
    handover = await world.open()
    await world.standbys.note("m-1", BELIEVED, 1e6)
    jobs.request_handover(world.run_dir)
    running = asyncio.ensure_future(handover.run())
    await asyncio.sleep(4)
    await world.standbys.drop("m-1", BELIEVED)
    await world.standbys.note("m-1", ELSEWHERE, 1e6)
    came_s = asyncio.get_running_loop().time()
    world.tracks.behind_ms = 0
    await running
    assert world.session.left[0][1] - came_s >= SETTLED_S


@pytest.mark.parametrize("unwritten", [{}, {"보라": 4000}])
async def test_what_it_has_not_written_is_told_as_it_is_when_it_goes(
    world: World, unwritten: dict[str, int]
) -> None:
    world.in_room.add(ELSEWHERE)
    handover = await world.open()
    await world.leases.renew("m-1", 1, 5, unwritten={"가람": 1000})
    await world.standbys.note("m-1", ELSEWHERE, 1e6)
    world.tracks.unwritten = unwritten
    jobs.request_handover(world.run_dir)
    await handover.run()
    row = await world.registry.get("m-1")
    assert row.unwritten == unwritten


async def test_whoever_lost_the_meeting_hands_nothing_over(world: World) -> None:
    handover = await world.open()
    world.record.meetings["m-1"].epoch += 1
    jobs.request_handover(world.run_dir)
    await handover.run()
    assert world.session.left == []


async def test_while_the_record_is_away_it_stays(world: World) -> None:
    handover = await world.open()
    await world.standbys.note("m-1", ELSEWHERE, 1e6)
    world.in_room.add(ELSEWHERE)
    world.record.available = False
    jobs.request_handover(world.run_dir)
    running = asyncio.ensure_future(handover.run())
    await asyncio.sleep(30)
    assert not running.done()
    world.record.available = True
    await running
    assert [reason for reason, _ in world.session.left] == ["handed_over"]
