"""`/healthz`, `/readyz` and `/metrics` of one process.

`/healthz` answers while the loop turns. `/readyz` looks at what the process gets done: a worker
that is alive and writes nothing is not ready. A degraded part is listed and does not make it so.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import structlog
from aiohttp import web

from worker.configuration.settings import ConfigError
from worker.monitoring.metrics import CONTENT_TYPE, Metrics, forget_process
from worker.process import jobs

log = structlog.get_logger(__name__)

Readiness = Callable[[], tuple[list[str], list[str]]]
"""(why not ready, degraded parts): both empty when all is well. Quick; called at each probe."""


class JobsReadiness:
    """What the status files of a worker's jobs say."""

    def __init__(self, directory: Path, registered: Callable[[], bool] = lambda: True) -> None:
        self._directory, self._registered = directory, registered
        self._pids: set[int] = set()

    def __call__(self) -> tuple[list[str], list[str]]:
        """Work as a `Readiness`."""
        statuses = self.statuses()
        reasons = jobs.problems(statuses)
        if not self._registered():
            reasons.insert(0, "not registered with LiveKit")
        degraded = [f"meeting {s.meeting_id}: {part}" for s in statuses for part in s.degraded]
        return reasons, degraded

    def statuses(self) -> list[jobs.JobStatus]:
        """The living jobs; the metrics of those that have gone since the last call are dropped."""
        statuses = jobs.read_statuses(self._directory)
        self._pids |= {status.pid for status in statuses}
        for pid in [pid for pid in self._pids if not jobs.alive(pid)]:
            forget_process(pid)
            self._pids.discard(pid)
        return statuses


class HealthServer:
    """The HTTP side; `port` is the real one after `start`."""

    def __init__(
        self,
        metrics: Metrics,
        readiness: Readiness,
        *,
        host: str,
        port: int,
        mounts: Mapping[str, web.Application] | None = None,
    ) -> None:
        """`mounts`: what else is served here, by its first path segment (`/v1`)."""
        self._metrics, self._readiness = metrics, readiness
        self._mounts = dict(mounts or {})
        self.host, self.port = host, port
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen. Raises `ConfigError` where the port is taken or the address is none of ours."""
        app = web.Application()
        app.router.add_get("/healthz", self._healthz)
        app.router.add_get("/readyz", self._readyz)
        app.router.add_get("/metrics", self._scrape)
        for prefix, mounted in self._mounts.items():
            app.add_subapp(prefix, mounted)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, self.host, self.port)
        try:
            await site.start()
        except OSError as error:
            await runner.cleanup()
            raise ConfigError(
                f"MOIM_HTTP_PORT={self.port} ({self.host}): {os.strerror(error.errno or 0).lower()}: "
                "choose another port, or 0 for any free one"
            ) from error
        self._runner = runner
        self.port = int(runner.addresses[0][1])
        log.info("http_listening", host=self.host, port=self.port)

    async def stop(self) -> None:
        """Let go of the port."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _healthz(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def _readyz(self, _: web.Request) -> web.Response:
        reasons, degraded = self._readiness()
        body = {"ready": not reasons, "reasons": reasons, "degraded": degraded}
        return web.json_response(body, status=503 if reasons else 200)

    async def _scrape(self, _: web.Request) -> web.Response:
        reasons, _degraded = (
            self._readiness()
        )  # notices, too, jobs that are gone, whose gauges must not count
        self._metrics.readiness(ready=not reasons)
        return web.Response(body=self._metrics.render(), headers={"Content-Type": CONTENT_TYPE})


@asynccontextmanager
async def serving(
    metrics: Metrics, readiness: Readiness, *, host: str, port: int
) -> AsyncIterator[HealthServer]:
    """A health server for the length of a `with` block."""
    server = HealthServer(metrics, readiness, host=host, port=port)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
