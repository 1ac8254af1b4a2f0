"""Status files and health: whole or not there, the dead forgotten; alive is one thing, ready is another."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.config import ConfigError
from tests.fakes.addresses import LOOPBACK
from worker.clock import monotonic_s
from worker.configuration.setting_groups import ProcessSettings
from worker.monitoring.health import JobsReadiness, serving
from worker.monitoring.jobs import (
    JobStatus,
    announce_worker,
    drain_requested,
    load,
    problems,
    read_statuses,
    remove_status,
    request_drain,
    strain,
    worker_pid,
    write_status,
)
from worker.monitoring.metrics import Metrics


def status(meeting_id: str = "m1", **more: object) -> JobStatus:
    return JobStatus(**{"pid": os.getpid(), "meeting_id": meeting_id, "updated_s": monotonic_s(), **more})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    mine, other = status("회의/1", epoch=4, degraded=("postgres: spooling",), stt_backlog_s=1.5), status("b")
    for each in (mine, other, mine):  # one process may hold many meetings
        write_status(tmp_path / "jobs", each)
    assert read_statuses(tmp_path / "jobs") == [other, mine]
    remove_status(tmp_path / "jobs", mine)
    assert read_statuses(tmp_path / "jobs") == [other]


def test_a_dead_process_is_forgotten_also_while_nobody_has_collected_it(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    write_status(tmp_path, status("gone", pid=child.pid))
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended and is a zombie now
    try:
        assert read_statuses(tmp_path) == []
        assert list(tmp_path.glob("*.json")) == []
    finally:
        child.wait()


def test_half_files_and_foreign_ones_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "1.x.json").write_text('{"pid": 1, "meet', encoding="utf-8")
    (tmp_path / "2.x.json").write_text("[]", encoding="utf-8")
    (tmp_path / "3.x.json").write_text('{"pid": 1}', encoding="utf-8")
    assert read_statuses(tmp_path) == []
    assert read_statuses(tmp_path / "nowhere") == []


def test_problems_are_about_progress() -> None:
    assert problems([status(oldest_unwritten_s=29)]) == []
    assert problems([status(oldest_unwritten_s=31.2)]) == ["meeting m1: nothing written for 31 s"]
    assert problems([status(updated_s=0.0)], now_s=11.0) == [f"meeting m1: job {os.getpid()} hangs"]


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([], 0.0),
        ([status("a"), status("b")], 0.5),
        ([status("a", stt_backlog_s=15.0)], 0.75),
        ([status("a", stt_backlog_s=15.0), status("b", stt_backlog_s=9.0)], 1.0),
        ([status(str(n)) for n in range(9)], 1.0),
        ([status("a", lag_s=0.6)], 0.6),
        ([status("a", lag_s=1.4)], 1.0),
        ([status("a", giving_way=("interims", "embeddings", "summaries"))], 0.25),
        ([status("a", giving_way=("interims", "embeddings", "summaries", "meetings"))], 1.0),
    ],
)
def test_load_counts_places_and_backlog(statuses: list[JobStatus], expected: float) -> None:
    assert load(statuses, 4) == expected


@pytest.mark.parametrize(
    ("statuses", "told"),
    [
        ([], ""),
        ([status(str(n)) for n in range(9)], ""),
        (
            [status("a", stt_backlog_s=15.0), status("b", stt_backlog_s=9.0)],
            "24 s of speech wait for their text",
        ),
        ([status("a"), status("b", lag_s=1.44)], "meeting b comes 1.4 s late to what is due"),
        ([status("a", giving_way=("meetings",))], "meeting a could not keep up a moment ago"),
    ],
)
def test_why_a_worker_takes_no_more_is_told_in_words(statuses: list[JobStatus], told: str) -> None:
    assert strain(statuses) == told
    assert not told or load(statuses, 100) == 1.0


@given(st.lists(st.floats(0, 1e6)), st.integers(1, 100))
def test_load_is_always_a_share(backlogs: list[float], places: int) -> None:
    assert 0.0 <= load([status(stt_backlog_s=b) for b in backlogs], places) <= 1.0


def test_jobs_find_their_worker_and_hear_when_it_drains(tmp_path: Path) -> None:
    folder = tmp_path / "jobs"
    assert worker_pid(folder) == os.getppid()
    announce_worker(folder, 4711)
    assert worker_pid(folder) == 4711
    assert not drain_requested(folder)
    request_drain(folder)
    assert drain_requested(folder)
    announce_worker(folder, 4712)
    assert not drain_requested(folder), "a new worker in the same place does not drain"


class World:
    def __init__(self, port: int, folder: Path) -> None:
        self.folder, self.registered, self.port = folder, True, port

    async def get(self, path: str) -> tuple[int, str]:
        async with (
            aiohttp.ClientSession() as client,
            client.get(f"http://127.0.0.1:{self.port}{path}") as response,
        ):
            return response.status, await response.text()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    held: list[World] = []
    readiness = JobsReadiness(lambda: read_statuses(tmp_path), lambda: held[0].registered)
    async with serving(Metrics(), readiness, LOOPBACK) as port:
        held.append(World(port, tmp_path))
        yield held[0]


async def test_a_quiet_worker_is_ready_and_tells_its_figures(world: World) -> None:
    assert await world.get("/healthz") == (200, '{"status": "ok"}')
    assert (await world.get("/readyz"))[0] == 200
    code, text = await world.get("/metrics")
    assert (code, "moim_jobs 0.0" in text) == (200, True)


@pytest.mark.parametrize(
    ("more", "registered", "ready", "told"),
    [
        ({"oldest_unwritten_s": 42}, True, 503, "meeting m1: nothing written for 42 s"),
        ({"degraded": ("postgres: spooling",)}, True, 200, "meeting m1: postgres: spooling"),
        (
            {"giving_way": ("interims", "embeddings")},
            True,
            200,
            "meeting m1: load: interims, embeddings wait",
        ),
        ({}, False, 503, "not registered with LiveKit"),
    ],
)
async def test_what_makes_no_progress_is_not_ready_and_named(
    world: World, more: dict[str, object], registered: bool, ready: int, told: str
) -> None:
    world.registered = registered
    write_status(world.folder, status(**more))
    code, text = await world.get("/readyz")
    assert (code, told in text) == (ready, True)
    assert (await world.get("/healthz"))[0] == 200, "restarting it would lose more"


async def test_a_taken_port_is_an_os_error(world: World, tmp_path: Path) -> None:
    readiness = JobsReadiness(lambda: read_statuses(tmp_path))
    with pytest.raises(ConfigError, match=r"MOIM_HTTP_PORT=\d+ .*in use: choose another port"):
        async with serving(
            Metrics(), readiness, ProcessSettings(http_host="127.0.0.1", http_port=world.port)
        ):
            pass
