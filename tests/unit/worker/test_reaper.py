"""A dead job's meeting is free at once; a living one's is its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.fakes.leases import FakeLeases
from tests.fakes.record import Record
from tests.fakes.registry import FakeRegistry
from worker.fleet.reaper import Reaper
from worker.monitoring import jobs
from worker.ports import Holder

OTHER = Holder(host="b", worker_pid=1, job_pid=2)


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
        reaper = Reaper(tmp_path, leases)
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


async def test_a_standby_and_a_living_job_hold_what_they_hold(tmp_path: Path) -> None:
    record = Record()
    leases = await _held(record, os.getpid())
    jobs.write_status(tmp_path, jobs.JobStatus(pid=os.getpid(), meeting_id="m-1", epoch=1))
    jobs.write_status(tmp_path, jobs.JobStatus(pid=os.getpid(), meeting_id="m-2", standby=True))
    reaper = Reaper(tmp_path, leases)
    await reaper.look()
    await reaper.look()
    assert await leases.acquire("m-1", OTHER, 5) is None


async def test_a_job_that_has_left_and_whose_meeting_another_holds_disturbs_nobody(tmp_path: Path) -> None:
    record = Record()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as job:
        leases = await _held(record, job.pid)
        jobs.write_status(tmp_path, jobs.JobStatus(pid=job.pid, meeting_id="m-1", epoch=1))
        reaper = Reaper(tmp_path, leases)
        await reaper.look()
        await leases.release("m-1", 1)
        assert await leases.acquire("m-1", OTHER, 1e6) == 2
        job.kill()
        job.wait()
        await reaper.look()
        assert await leases.acquire("m-1", Holder(host="c", worker_pid=1, job_pid=1), 5) is None
