"""Who is slow is not dead: a job keeps its lease in Postgres however busy it is, and loses it where it hangs."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.conftest import Database
from tests.contracts.world import OTHER, World
from worker.clock import monotonic_s
from worker.holder.lease_keeper import HANGS_S, LEASE_S, RENEW_EVERY_S

pytestmark = pytest.mark.postgres

SLOW_S = 12


class SlowHolder:
    """A job in a process of its own (`lease_holder`)."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def heard(self) -> str:
        """What it says next, beside its log."""
        assert self.process.stdout is not None
        async with asyncio.timeout(90):
            while line := await self.process.stdout.readline():
                if line.startswith(b"> "):
                    return line.decode().removeprefix("> ").strip()
        return ""

    def order(self, what: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{what}\n".encode())


@pytest.fixture
async def holder(world: World, database: Database, tmp_path: Path) -> AsyncIterator[SlowHolder]:
    await world.registry.want(None, meeting_id="m-1")
    settings = {"DATABASE_URL": database.url, "STT_ENGINE": "none", "MOIM_STATE_DIR": str(tmp_path)}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.integration.lease_holder"),
        env={**os.environ, **settings, "EMBED_ENGINE": "none"},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    slow = SlowHolder(process)
    try:
        assert await slow.heard() == "held"
        yield slow
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def unheld_after_s(world: World, within_s: float) -> float | None:
    """When the lease was seen to have run out; None: it stood all the time."""
    began_s = monotonic_s()
    while monotonic_s() - began_s < within_s:
        row = await world.registry.get("m-1")
        assert row is not None
        if row.holder is None:
            return monotonic_s() - began_s
        await asyncio.sleep(0.1)
    return None


@pytest.mark.parametrize(
    "how", ["sleep", *(pytest.param(how, marks=pytest.mark.long) for how in ("compute", "crawl", "threads"))]
)
async def test_a_job_whose_loop_is_blocked_for_a_while_keeps_its_lease(
    world: World, holder: SlowHolder, how: str
) -> None:
    holder.order(f"{how} {SLOW_S}")
    assert await unheld_after_s(world, SLOW_S + 2 * RENEW_EVERY_S) is None
    assert await holder.heard() == "done"
    row = await world.registry.get("m-1")
    assert row is not None
    assert row.epoch == 1


@pytest.mark.long
async def test_a_job_whose_loop_hangs_loses_its_lease_and_leaves(world: World, holder: SlowHolder) -> None:
    holder.order(f"sleep {HANGS_S + LEASE_S + 8}")
    lost_s = await unheld_after_s(world, HANGS_S + LEASE_S + 8)
    assert lost_s is not None
    assert HANGS_S < lost_s < HANGS_S + LEASE_S + 2 * RENEW_EVERY_S + 1
    assert await world.leases.acquire("m-1", OTHER, 60) == 2
    assert await holder.heard() == "done"
    assert await holder.heard() in {"left lease_lost", "left fenced"}


@asynccontextmanager
async def hogs() -> AsyncIterator[None]:
    """Four programs for each core that compute all the time."""
    code = "while True: pass"
    running = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", code)
        for _ in range(4 * (os.cpu_count() or 1))
    ]
    try:
        yield
    finally:
        for hog in running:
            hog.kill()
            await hog.wait()


@pytest.mark.long
async def test_a_starved_job_keeps_its_lease_and_a_stopped_one_is_dead(
    world: World, holder: SlowHolder
) -> None:
    pid = holder.process.pid
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.setpriority(os.PRIO_PROCESS, int(thread.name), 5)  # each hog counts for three of it
    async with hogs():
        holder.order(f"crawl {SLOW_S}")
        assert await unheld_after_s(world, SLOW_S + 10) is None
    assert await holder.heard() == "done"
    os.kill(pid, signal.SIGSTOP)
    lost_s = await unheld_after_s(world, 30)
    assert lost_s is not None
    assert lost_s < LEASE_S + 2
