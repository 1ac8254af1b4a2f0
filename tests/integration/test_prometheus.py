"""What Moim exposes, read by Prometheus itself."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Database
from tests.deploy.places import RULES, alerts, read_yaml, recorded
from tests.deploy.prometheus_server import Prometheus, prometheus
from tests.fakes.addresses import LOOPBACK
from tests.integration.conftest import say
from tests.unit.worker.metrics import exercise
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.redis_bus import RedisBus
from worker.embedded.child import free_port
from worker.monitoring.health import JobsReadiness, serving
from worker.monitoring.jobs import read_statuses
from worker.monitoring.metrics import Metrics

pytestmark = pytest.mark.skipif(
    shutil.which("prometheus") is None or shutil.which("promtool") is None,
    reason="Prometheus is not on this machine: apt-get install prometheus",
)
SAID = (
    "출시일은 11월 20일로 결정하겠습니다.",
    "We decided to buy the second server.",
    "다음 회의는 금요일입니다.",
)


def test_promtool_can_read_the_exposition() -> None:
    metrics = Metrics()
    exercise(metrics)
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=metrics.render(), capture_output=True, check=False
    )
    # Its lint wants units in the names that seed 000 gives, hence no look at the advice (exit 3).
    assert done.returncode in {0, 3}, done.stderr.decode()
    assert b"error" not in done.stderr.lower()


async def test_a_real_server_scrapes_and_answers(tmp_path: Path) -> None:
    metrics = Metrics()
    exercise(metrics)
    async with serving(metrics, JobsReadiness(lambda: read_statuses(tmp_path)), LOOPBACK) as port:
        config = {
            "global": {"scrape_interval": "1s"},
            "scrape_configs": [{"job_name": "moim", "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]}],
        }
        async with prometheus(tmp_path, config) as server:
            assert await server.value("moim_jobs") == "2"
            assert await server.value("moim_ingest_lag_seconds_count") == "1"


@pytest.mark.postgres
async def test_a_running_fleet_is_scraped_and_watched_by_the_rules_that_are_shipped(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path
) -> None:
    ports = {"moim-text": free_port(), "moim-dispatcher": free_port()}
    async with (
        _process(database, redis_url, ports["moim-text"], tmp_path / "text", "worker", "--text"),
        _process(
            database, redis_url, ports["moim-dispatcher"], tmp_path / "dispatcher", "dispatcher"
        ) as dispatcher,
        prometheus(tmp_path, _shipped(ports)) as server,
    ):
        await server.value("sum(up)", "2")
        await server.value("sum(moim_ready)", "2")
        await PostgresRegistry(pool).want(None, meeting_id="m-fleet")
        bus = RedisBus(redis_url)
        await say(bus, "m-fleet", SAID)
        await bus.aclose()
        # In memory, not as published: a machine that stands still may cost the holder its lease on the way.
        await server.value("sum(moim_context_l0_buffer_size)", str(len(SAID)))
        await server.value("moim:meetings:sum", "1")
        await server.value("max(moim_meetings_waiting)", "0")
        await _all_rules_work(server)
        await server.asked("alerts", lambda data: "MoimDispatcherGone" not in _states(data))

        dispatcher.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(dispatcher.wait(), 60) == 0
        await server.asked("alerts", lambda data: _states(data).get("MoimDispatcherGone") == "pending")


def _shipped(ports: dict[str, int]) -> dict[str, Any]:
    """deploy/prometheus/prometheus.yml, in a hurry, and with targets on this machine."""
    config: dict[str, Any] = read_yaml(RULES / "prometheus.yml")
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["rule_files"] = [str(RULES / name) for name in config["rule_files"]]
    config["scrape_configs"] = [
        {
            "job_name": job["job_name"],
            "static_configs": [{"targets": [f"127.0.0.1:{ports[job['job_name']]}"]}],
        }
        for job in config["scrape_configs"]
        if job["job_name"] in ports
    ]
    return config


async def _all_rules_work(server: Prometheus) -> None:
    def evaluated(data: Any) -> bool:
        rules = [rule for group in data["groups"] for rule in group["rules"]]
        assert len(rules) == len(alerts()) + len(recorded())
        return all(rule["health"] == "ok" for rule in rules)

    await server.asked("rules", evaluated)


def _states(data: Any) -> dict[str, str]:
    return {alert["labels"]["alertname"]: alert["state"] for alert in data["alerts"]}


@asynccontextmanager
async def _process(
    database: Database, redis_url: str, port: int, state: Path, *command: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    settings = {
        "DATABASE_URL": database.url,
        "REDIS_URL": redis_url,
        # Nobody is there: the dispatcher of a fleet without rooms has nothing to ask it.
        "LIVEKIT_URL": "ws://127.0.0.1:9",
        "LIVEKIT_API_KEY": "key",
        "LIVEKIT_API_SECRET": "secret" * 8,
        "STT_ENGINE": "none",
        "EMBED_ENGINE": "none",
        "LLM_ENGINE": "extractive",
        "MOIM_HTTP_PORT": str(port),
        "MOIM_HTTP_HOST": "127.0.0.1",
        "MOIM_STATE_DIR": str(state),
    }
    with state.with_suffix(".log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *("-m", "worker", *command), env={**os.environ, **settings}, stderr=log
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(process.wait(), 60)
            except TimeoutError:
                process.kill()
                await process.wait()
