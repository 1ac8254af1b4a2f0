"""A fleet's places: who waits is told of, a place that comes free is offered, a dead job's meeting is free at once."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from livekit import agents
from structlog.testing import capture_logs

from context.ports import Refused, Unavailable
from tests.fakes.leases import FakeLeases
from tests.fakes.record import Record
from tests.fakes.registry import FakeRegistry
from tests.fakes.standbys import FakeStandbys
from tests.fakes.virtual_time import in_virtual_time
from tests.fakes.waiting import beside
from tests.unit.cases import cases
from worker.fleet.fleet_watch import LOOK_EVERY_S as LOOK_FLEET_EVERY_S
from worker.fleet.fleet_watch import FleetWatch
from worker.fleet.places import LOOK_EVERY_S, TELL_FULL_EVERY_S, Places
from worker.fleet.reaper import Reaper
from worker.monitoring import jobs
from worker.monitoring.metrics import Metrics
from worker.ports import Holder

pytestmark = in_virtual_time

ME = Holder(host="here", worker_pid=1, job_pid=1)


@dataclass
class Waiting:
    found: tuple[int, float] | Exception
    fault: str = ""

    async def schema_fault(self) -> str:
        return self.fault

    async def waiting(self) -> tuple[int, float]:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@cases
async def test_who_waits_longer_than_finding_a_worker_takes_is_told(
    found: tuple[int, float], told: list[str]
) -> None:
    meetings = Waiting(found)
    watch = FleetWatch(meetings, Metrics(), meetings.schema_fault)
    assert watch.degraded() == []
    async with beside(watch.run()):
        await asyncio.sleep(1)
        assert (watch.problems(), watch.degraded()) == ([], list(told))


_REFUSED = "postgres: it refuses us: run `moim migrate` on a new database; `moim check` says more"


async def test_a_schema_that_is_missing_or_old_is_told_until_it_is_migrated() -> None:
    """Also one that goes while the dispatcher runs; a migrated one is not asked for at each look."""
    meetings = Waiting((0, 0.0), fault="run `moim migrate`")
    watch = FleetWatch(meetings, Metrics(), meetings.schema_fault)
    async with beside(watch.run()):
        for found, fault, problems in (
            ((0, 0.0), "run `moim migrate`", ["postgres: run `moim migrate`"]),
            ((0, 0.0), "", []),
            ((0, 0.0), "not asked for", []),
            (Unavailable("away"), "asked for next", ["postgres: the list of meetings cannot be read"]),
            (Unavailable("away"), "gone", ["postgres: gone"]),
            (Refused("no such role"), "", [_REFUSED]),
            ((0, 0.0), "", []),
        ):
            meetings.found, meetings.fault = found, fault
            await asyncio.sleep(LOOK_FLEET_EVERY_S)
            assert watch.problems() == problems


class Queue:
    """The meetings that wait, and LiveKit: what each is told, in order."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.away = False
        self.registered = asyncio.Event()

    async def hurry(self) -> None:
        self._tell("all")

    async def offer(self, places: int) -> None:
        self._tell(str(places))

    async def note_full(self, worker: Holder, cause: str, ttl_s: float) -> None:
        assert (worker, ttl_s > TELL_FULL_EVERY_S) == (ME, True)
        self._tell(cause or "room again")

    async def tell_livekit(self) -> None:
        self.told.append("load")

    def _tell(self, what: str) -> None:
        if self.away:
            raise Unavailable("the record is away")
        self.told.append(what)


@asynccontextmanager
async def offering(places: Places, queue: Queue) -> AsyncIterator[None]:
    running = asyncio.ensure_future(places.offer(queue, queue.registered, queue.tell_livekit))
    try:
        yield
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def look(places: Places, taken: float) -> None:
    places.seen(taken)
    await asyncio.sleep(LOOK_EVERY_S)


async def test_each_place_that_comes_free_is_offered_once_and_livekit_hears_of_it_first() -> None:
    places, queue = Places(42, ME), Queue()
    async with offering(places, queue):
        await asyncio.sleep(60)
        assert queue.told == [], "not registered: LiveKit would send nobody"
        queue.registered.set()
        await look(places, 1.0)
        assert queue.told == ["all"]
        await look(places, 1.0)
        await look(places, 41 / 42)
        assert queue.told == ["all", "load", "1"]
        await look(places, 41 / 42)
        await look(places, 38 / 42)
        assert queue.told[3:] == ["load", "3"]
        await look(places, 40 / 42)
        await look(places, 39 / 42)
        assert queue.told[5:] == ["load", "1"], "taken, and one of them free again"


async def test_a_place_that_the_record_did_not_hear_of_is_offered_again() -> None:
    places, queue = Places(4, ME), Queue()
    queue.registered.set()
    async with offering(places, queue):
        await look(places, 1.0)
        queue.away = True
        await look(places, 0.75)
        await look(places, 0.75)
        queue.away = False
        await look(places, 0.75)
        await look(places, 0.75)
    assert queue.told == ["all", "load", "load", "load", "1"]


async def test_a_worker_at_its_limit_says_so_and_why_until_it_has_room_again() -> None:
    places, queue = Places(4, ME), Queue()
    async with beside(places.tell_full(queue)):
        places.seen(0.5)
        await asyncio.sleep(TELL_FULL_EVERY_S * 2)
        assert (queue.told, places.degraded()) == ([], []), "nobody is told that all is well"
        with capture_logs() as logs:
            places.seen(1.0, "31 s of speech wait for their text")
            places.seen(1.0, "30 s of speech wait for their text")
        assert [(log["event"], log["cause"]) for log in logs] == [
            ("takes_no_more_meetings", "31 s of speech wait for their text")
        ]
        assert places.degraded() == ["worker: it takes no more meetings: 30 s of speech wait for their text"]
        queue.away = True
        await asyncio.sleep(TELL_FULL_EVERY_S)
        queue.away = False
        await asyncio.sleep(TELL_FULL_EVERY_S * 2)
        assert set(queue.told) == {"30 s of speech wait for their text"}
        queue.told.clear()
        with capture_logs() as logs:
            places.seen(0.5)
        assert [log["event"] for log in logs] == ["takes_meetings_again"]
        await asyncio.sleep(TELL_FULL_EVERY_S * 3)
        assert queue.told == ["room again"]
        assert places.degraded() == []


def test_livekit_can_be_told_between_its_looks() -> None:
    """Two names of livekit-agents that are not public: an update that renames them is seen here."""
    assert asyncio.iscoroutinefunction(agents.AgentServer._refresh_worker_load)
    assert asyncio.iscoroutinefunction(agents.AgentServer._update_worker_status)


OTHER = Holder(host="b", worker_pid=1, job_pid=2)
WORKER = Holder(host="a", worker_pid=1, job_pid=1)


def _reaper(folder: Path, leases: FakeLeases) -> Reaper:
    return Reaper(folder, leases, FakeStandbys(leases.record), WORKER)


async def _held(record: Record, pid: int, meeting_id: str = "m-1") -> FakeLeases:
    leases = FakeLeases(record)
    await FakeRegistry(record).want(f"회의실 {meeting_id}", meeting_id=meeting_id)
    assert await leases.acquire(meeting_id, Holder(host="a", worker_pid=1, job_pid=pid), 1e6) == 1
    return leases


async def test_the_lease_of_a_killed_job_is_let_go(tmp_path: Path) -> None:
    record = Record()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as job:
        leases = await _held(record, job.pid)
        jobs.write_status(tmp_path, jobs.JobStatus(pid=job.pid, meeting_id="m-1", epoch=1))
        reaper = _reaper(tmp_path, leases)
        await reaper.look()
        assert await leases.acquire("m-1", OTHER, 5) is None
        job.kill()
        job.wait()
        record.available = False
        await reaper.look()
        record.available = True
        jobs.read_statuses(tmp_path)  # somebody else has cleared its file away
        await reaper.look()
        assert await leases.acquire("m-1", OTHER, 5) == 2
        await reaper.look()
        assert await leases.acquire("m-1", Holder(host="c", worker_pid=1, job_pid=1), 5) is None


async def test_a_killed_standby_stands_by_no_longer(tmp_path: Path) -> None:
    record = Record()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as job:
        standbys, reaper = FakeStandbys(record), _reaper(tmp_path, FakeLeases(record))
        await FakeRegistry(record).want("회의실", meeting_id="m-1")
        assert await standbys.note("m-1", WORKER.model_copy(update={"job_pid": job.pid}), 1e6)
        jobs.write_status(tmp_path, jobs.JobStatus(pid=job.pid, meeting_id="m-1", standby=True))
        await reaper.look()
        assert not await standbys.note("m-1", OTHER, 5)
        job.kill()
        job.wait()
        record.available = False
        await reaper.look()
        record.available = True
        await reaper.look()
        assert await standbys.note("m-1", OTHER, 5)
        await reaper.look()
        assert not await standbys.note("m-1", Holder(host="c", worker_pid=1, job_pid=1), 5)


async def test_a_standby_and_a_living_job_hold_what_they_hold(tmp_path: Path) -> None:
    record = Record()
    leases = await _held(record, os.getpid())
    jobs.write_status(tmp_path, jobs.JobStatus(pid=os.getpid(), meeting_id="m-1", epoch=1))
    jobs.write_status(tmp_path, jobs.JobStatus(pid=os.getpid(), meeting_id="m-2", standby=True))
    reaper = _reaper(tmp_path, leases)
    await reaper.look()
    await reaper.look()
    assert await leases.acquire("m-1", OTHER, 5) is None


async def test_a_job_that_has_left_and_whose_meeting_another_holds_disturbs_nobody(tmp_path: Path) -> None:
    record = Record()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as job:
        leases = await _held(record, job.pid)
        jobs.write_status(tmp_path, jobs.JobStatus(pid=job.pid, meeting_id="m-1", epoch=1))
        reaper = _reaper(tmp_path, leases)
        await reaper.look()
        await leases.release("m-1", 1)
        assert await leases.acquire("m-1", OTHER, 1e6) == 2
        job.kill()
        job.wait()
        await reaper.look()
        assert await leases.acquire("m-1", Holder(host="c", worker_pid=1, job_pid=1), 5) is None
