"""`/healthz`, `/readyz` and `/metrics` of one process.

`/healthz` answers while the event loop runs. `/readyz` looks at what the process gets done: a worker that is
alive and writes nothing is not ready. A degraded part is listed, but the process stays ready.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final

import structlog
from aiohttp import web

from context.config import ConfigError
from worker.configuration.setting_groups import ProcessSettings
from worker.monitoring import jobs
from worker.monitoring.connections import IDLE_S, MAX_CONNECTIONS, BoundedSite, Connections, most_connections
from worker.monitoring.metrics import CONTENT_TYPE, Metrics, forget_process

log = structlog.get_logger(__name__)

_PROBE_CONNECTIONS: Final = 64
"""How many connections the probes' own port has at once."""

Readiness = Callable[[], tuple[list[str], list[str]]]
"""Gives (why not ready, degraded parts), both empty when all is well, quickly: it is called at each probe."""


class JobsReadiness:
    """A worker's `Readiness`, by what its jobs say of themselves."""

    def __init__(
        self,
        read: Callable[[], list[jobs.JobStatus]],
        registered: Callable[[], bool] = lambda: True,
        full: Callable[[], list[str]] = list,
    ) -> None:
        """`read` gives the present statuses of the jobs; `registered` whether LiveKit knows this worker.

        `full` says why the worker takes no more meetings, and nothing where it does.
        """
        self._read, self._registered, self._full = read, registered, full
        self._pids: set[int] = set()

    def __call__(self) -> tuple[list[str], list[str]]:
        """See `Readiness`."""
        statuses = self.statuses()
        reasons = jobs.problems(statuses)
        if not self._registered():
            reasons.insert(0, "not registered with LiveKit")
        degraded = self._full() + [f"meeting {s.meeting_id}: {part}" for s in statuses for part in s.degraded]
        degraded += [
            f"meeting {s.meeting_id}: load: {', '.join(s.giving_way)} wait" for s in statuses if s.giving_way
        ]
        return reasons, degraded

    def statuses(self) -> list[jobs.JobStatus]:
        """Give the statuses of living jobs; gauges of jobs that have died since the last call are dropped."""
        statuses = self._read()
        self._pids |= {status.pid for status in statuses}
        for pid in [pid for pid in self._pids if not jobs.alive(pid)]:
            forget_process(pid)
            self._pids.discard(pid)
        return statuses


@asynccontextmanager
async def serving(
    metrics: Metrics,
    readiness: Readiness,
    process: ProcessSettings,
    *,
    mounts: Mapping[str, web.Application] | None = None,
    pages: Sequence[web.RouteDef] = (),
) -> AsyncIterator[int]:
    """Serve the probes over HTTP within the block; give the port, a free one where MOIM_HTTP_PORT is 0.

    `mounts` are applications that are served here, too, by their prefix (`/v1`), `pages` further routes. At
    MOIM_PROBE_PORT, if it is set, the probes are served a second time. Raises `ConfigError` where a port is
    taken or the address is not of this machine.
    """

    async def healthz(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def readyz(_: web.Request) -> web.Response:
        reasons, degraded = readiness()
        body = {"ready": not reasons, "reasons": reasons, "degraded": degraded}
        return web.json_response(body, status=503 if reasons else 200)

    async def scrape(_: web.Request) -> web.Response:
        reasons, _degraded = readiness()  # also drops the gauges of jobs that have died
        metrics.instruments.ready.set(not reasons)
        return web.Response(body=metrics.render(), headers={"Content-Type": CONTENT_TYPE})

    probes = [web.get("/healthz", healthz), web.get("/readyz", readyz), web.get("/metrics", scrape)]
    host, port = process.http_host, process.http_port
    listening = _listening(
        "MOIM_HTTP_PORT", host, port, most=MAX_CONNECTIONS, routes=[*probes, *pages], mounts=mounts
    )
    async with listening as real_port:
        log.info("http_listening", host=host, port=real_port)
        if not process.probe_port:
            yield real_port
            return
        # Whatever floods the other port, the probes are answered at this one.
        async with _listening(
            "MOIM_PROBE_PORT", host, process.probe_port, most=_PROBE_CONNECTIONS, routes=probes
        ):
            yield real_port


@asynccontextmanager
async def _listening(
    name: str,
    host: str,
    port: int,
    *,
    most: int,
    routes: Sequence[web.RouteDef],
    mounts: Mapping[str, web.Application] | None = None,
) -> AsyncIterator[int]:
    connections = Connections(most_connections(most))
    app = web.Application(middlewares=[connections.middleware])
    app.router.add_routes(routes)
    for prefix, mounted in (mounts or {}).items():
        app.add_subapp(prefix, mounted)
    runner = web.AppRunner(app, access_log=None, keepalive_timeout=IDLE_S)
    await runner.setup()
    try:
        try:
            await BoundedSite(runner, host, port, connections).start()
        except OSError as error:
            raise ConfigError(
                f"{name}={port} ({host}): {os.strerror(error.errno or 0).lower()}: "
                "choose another port, or 0 for any free one"
            ) from error
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
