"""Health over HTTP: alive is one thing, ready is another."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from worker.clock import monotonic_s
from worker.configuration.settings import ConfigError
from worker.monitoring.health import HealthServer, JobsReadiness, serving
from worker.monitoring.jobs import JobStatus, write_status
from worker.monitoring.metrics import Metrics


class World:
    def __init__(self, server: HealthServer, folder: Path) -> None:
        self.folder, self.registered = folder, True
        self._base = f"http://127.0.0.1:{server.port}"

    async def get(self, path: str) -> tuple[int, str]:
        async with aiohttp.ClientSession() as client, client.get(self._base + path) as response:
            return response.status, await response.text()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    held: list[World] = []
    readiness = JobsReadiness(tmp_path, lambda: held[0].registered)
    async with serving(Metrics(), readiness, host="127.0.0.1", port=0) as server:
        held.append(World(server, tmp_path))
        yield held[0]


def status(meeting_id: str, **more: object) -> JobStatus:
    return JobStatus(**{"pid": os.getpid(), "meeting_id": meeting_id, "updated_s": monotonic_s(), **more})


async def test_a_quiet_worker_is_ready(world: World) -> None:
    assert await world.get("/healthz") == (200, '{"status": "ok"}')
    assert (await world.get("/readyz"))[0] == 200


async def test_a_meeting_that_writes_nothing_makes_it_unready_and_is_named(world: World) -> None:
    write_status(world.folder, status("회의-1", oldest_unwritten_s=42))
    code, text = await world.get("/readyz")
    assert code == 503
    assert "nothing written for 42 s" in text
    assert (await world.get("/healthz"))[0] == 200, "restarting it would lose more"


async def test_a_degraded_part_is_listed_and_ready(world: World) -> None:
    write_status(world.folder, status("m1", degraded=("postgres: spooling",)))
    code, text = await world.get("/readyz")
    assert code == 200
    assert "meeting m1: postgres: spooling" in text


async def test_an_unregistered_worker_is_not_ready(world: World) -> None:
    world.registered = False
    code, text = await world.get("/readyz")
    assert code == 503
    assert "not registered with LiveKit" in text


async def test_metrics_are_exposed_as_text(world: World) -> None:
    code, text = await world.get("/metrics")
    assert code == 200
    assert "moim_jobs 0.0" in text


async def test_a_taken_port_is_an_os_error(world: World, tmp_path: Path) -> None:
    port = int(world._base.rpartition(":")[2])
    second = HealthServer(Metrics(), JobsReadiness(tmp_path), host="127.0.0.1", port=port)
    with pytest.raises(ConfigError, match=r"MOIM_HTTP_PORT=\d+ .*in use: choose another port"):
        await second.start()
    await second.stop()
