"""What Moim exposes, read by Prometheus itself."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path

import aiohttp
import pytest

from tests.unit.worker.test_metrics import exercise
from worker.embedded.child import free_port
from worker.health import JobsReadiness, serving
from worker.metrics import Metrics

pytestmark = pytest.mark.skipif(
    shutil.which("prometheus") is None or shutil.which("promtool") is None,
    reason="Prometheus is not on this machine: apt-get install prometheus",
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
    port = free_port()
    async with serving(metrics, JobsReadiness(tmp_path), host="127.0.0.1", port=0) as health:
        config = {
            "global": {"scrape_interval": "1s"},
            "scrape_configs": [
                {"job_name": "moim", "static_configs": [{"targets": [f"127.0.0.1:{health.port}"]}]}
            ],
        }
        (tmp_path / "prometheus.yml").write_text(json.dumps(config), encoding="utf-8")
        with subprocess.Popen(
            [
                "prometheus",
                f"--config.file={tmp_path / 'prometheus.yml'}",
                f"--storage.tsdb.path={tmp_path / 'data'}",
                f"--web.listen-address=127.0.0.1:{port}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as server:
            try:
                jobs = await _asked(f"http://127.0.0.1:{port}/api/v1/query?query=moim_jobs")
                lag = await _asked(
                    f"http://127.0.0.1:{port}/api/v1/query?query=moim_ingest_lag_seconds_count"
                )
            finally:
                server.terminate()
    assert jobs == "2"
    assert lag == "1"


async def _asked(url: str) -> str:
    """The one value of a query, waited for until the first scrape is in."""
    async with asyncio.timeout(30), aiohttp.ClientSession() as client:
        while True:
            try:
                async with client.get(url) as response:
                    found = (await response.json())["data"]["result"]
                    if found:
                        return str(found[0]["value"][1])
            except (aiohttp.ClientError, KeyError):
                pass
            await asyncio.sleep(0.1)
