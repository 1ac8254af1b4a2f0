"""`/healthz`, `/readyz` and `/metrics` of one process.

`/healthz` answers while the loop turns. `/readyz` looks at what the process gets done: a worker
that is alive and writes nothing is not ready. A degraded part is listed and does not make it so.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final

import structlog
from aiohttp import web

from worker.configuration.settings import ConfigError
from worker.monitoring import jobs
from worker.monitoring.connections import IDLE_S, MOST, BoundedSite, Connections, most_connections
from worker.monitoring.metrics import CONTENT_TYPE, Metrics, forget_process

log = structlog.get_logger(__name__)

_PROBES: Final = 64
"""Connections at once at the probes' own door."""

Readiness = Callable[[], tuple[list[str], list[str]]]
"""(why not ready, degraded parts): both empty when all is well. Quick; called at each probe."""


class JobsReadiness:
    """What a worker's jobs say of themselves."""

    def __init__(
        self, read: Callable[[], list[jobs.JobStatus]], registered: Callable[[], bool] = lambda: True
    ) -> None:
        """`read`: their words as they are now. `registered`: does LiveKit know this worker?"""
        self._read, self._registered = read, registered
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
        statuses = self._read()
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
        pages: Sequence[web.RouteDef] = (),
        probe_port: int = 0,
        connections: int | None = None,
    ) -> None:
        """`mounts`: what else is served here, by its first path segment (`/v1`). `pages`: what people look
        at, beside them. `probe_port`: where the
        probes are served once more, by themselves; 0: nowhere. `connections`: at once; None: as many as the
        process may have.
        """
        self._metrics, self._readiness = metrics, readiness
        self._mounts, self._pages = dict(mounts or {}), pages
        self.host, self.port = host, port
        self.probe_port = probe_port
        self._most = connections
        self._runners: list[web.AppRunner] = []

    async def start(self) -> None:
        """Listen. Raises `ConfigError` where a port is taken or the address is none of ours."""
        self.port = await self._listen("MOIM_HTTP_PORT", self.port, self._mounts, MOST, self._pages)
        log.info("http_listening", host=self.host, port=self.port)
        if self.probe_port:
            # Whatever happens at the other door, these are asked at this one.
            try:
                await self._listen("MOIM_PROBE_PORT", self.probe_port, {}, _PROBES)
            except ConfigError:
                await self.stop()
                raise

    async def _listen(
        self,
        name: str,
        port: int,
        mounts: Mapping[str, web.Application],
        most: int,
        pages: Sequence[web.RouteDef] = (),
    ) -> int:
        connections = Connections(self._most or most_connections(most))
        app = web.Application(middlewares=[connections.middleware])  # type: ignore[list-item] # aiohttp's alias is narrower than what it takes
        app.router.add_get("/healthz", self._healthz)
        app.router.add_get("/readyz", self._readyz)
        app.router.add_get("/metrics", self._scrape)
        app.router.add_routes(pages)
        for prefix, mounted in mounts.items():
            app.add_subapp(prefix, mounted)
        runner = web.AppRunner(app, access_log=None, keepalive_timeout=IDLE_S)
        await runner.setup()
        try:
            await BoundedSite(runner, self.host, port, connections).start()
        except OSError as error:
            await runner.cleanup()
            raise ConfigError(
                f"{name}={port} ({self.host}): {os.strerror(error.errno or 0).lower()}: "
                "choose another port, or 0 for any free one"
            ) from error
        self._runners.append(runner)
        return int(runner.addresses[0][1])

    async def stop(self) -> None:
        """Let go of the ports."""
        for runner in self._runners:
            await runner.cleanup()
        self._runners.clear()

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
    metrics: Metrics, readiness: Readiness, *, host: str, port: int, probe_port: int = 0
) -> AsyncIterator[HealthServer]:
    """A health server for the length of a `with` block."""
    server = HealthServer(metrics, readiness, host=host, port=port, probe_port=probe_port)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
