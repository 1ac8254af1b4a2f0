"""The figures that say whether a process can work, and who still waits for a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import aiohttp
import pytest

from context.ports import Unavailable
from tests.fakes.addresses import LOOPBACK
from tests.unit.worker.metrics import samples
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.configuration.settings import Settings
from worker.fleet.fleet_watch import FleetWatch
from worker.monitoring.health import Readiness, serving
from worker.monitoring.jobs import JobStatus
from worker.monitoring.metrics import Metrics
from worker.ports import Holder
from worker.process import room_server


async def _figure(readiness: Readiness, metrics: Metrics, name: str) -> float:
    async with (
        serving(metrics, readiness, LOOPBACK) as port,
        aiohttp.ClientSession() as client,
        client.get(f"http://127.0.0.1:{port}/metrics") as response,
    ):
        return samples(await response.text())[name, ()]


async def test_a_scrape_says_what_readyz_says() -> None:
    metrics = Metrics()
    reasons = ["not registered with LiveKit"]
    assert await _figure(lambda: (reasons, []), metrics, "moim_ready") == 0
    reasons.clear()
    assert await _figure(lambda: (reasons, ["meeting m: redis: away"]), metrics, "moim_ready") == 1


async def test_who_waits_is_counted_until_somebody_holds_them(pool: PostgresPool) -> None:
    registry, leases = PostgresRegistry(pool), PostgresLeases(pool)
    assert await registry.waiting() == (0, 0.0)
    first = await registry.want("회의실")
    await registry.want(None, meeting_id="text")
    count, longest_s = await registry.waiting()
    assert count == 2
    assert 0 < longest_s < 60
    epoch = await leases.acquire(first.id, Holder(host="a", worker_pid=1, job_pid=2), 60)
    assert (await registry.waiting())[0] == 1
    assert epoch is not None
    await leases.release(first.id, epoch)
    assert (await registry.waiting())[0] == 2, "let go: it waits for its successor"


class _Record:
    def __init__(self) -> None:
        self.away = True

    async def waiting(self) -> tuple[int, float]:
        if self.away:
            raise Unavailable("connection refused")
        return 3, 41.5

    async def schema_fault(self) -> str:
        return ""


async def test_a_record_that_is_away_makes_the_dispatcher_unready_until_it_is_back() -> None:
    metrics, record = Metrics(), _Record()
    watch = FleetWatch(record, metrics, record.schema_fault)
    await _look(watch, lambda: bool(watch.problems()))
    record.away = False
    await _look(watch, lambda: not watch.problems())
    found = samples(metrics.render().decode())
    assert found["moim_meetings_waiting", ()] == 3
    assert found["moim_meetings_waiting_seconds", ()] == 41.5


async def _look(watch: FleetWatch, until: Callable[[], bool]) -> None:
    """Let it look once."""
    running = asyncio.ensure_future(watch.run())
    async with asyncio.timeout(60):
        while not until():
            await asyncio.sleep(0)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def test_the_load_that_livekit_is_told_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = Metrics()
    monkeypatch.setattr(room_server, "process_metrics", lambda: metrics)
    statuses = [JobStatus(pid=number, meeting_id=f"m{number}") for number in range(3)]
    causes: list[str] = []
    server = room_server.room_server(
        Settings.from_env({"MOIM_MAX_MEETINGS": "4", "LIVEKIT_URL": "ws://127.0.0.1:9"}),
        lambda: statuses,
        on_registered=lambda: None,
        on_load=lambda _share, cause: causes.append(cause),
    )

    class NotRunning:
        active_jobs = ()

    def shown() -> float:
        server._load_fnc(NotRunning())
        return samples(metrics.render().decode())["moim_load", ()]

    assert shown() == 0.75
    statuses.append(JobStatus(pid=9, meeting_id="m9"))
    assert shown() == 1
    assert samples(metrics.render().decode())["moim_giving_way", (("what", "meetings"),)] == 1
    statuses.clear()
    assert shown() == 0
    assert samples(metrics.render().decode())["moim_giving_way", (("what", "meetings"),)] == 0
    assert causes == ["", "4 of 4 places are taken (MOIM_MAX_MEETINGS)", ""]
