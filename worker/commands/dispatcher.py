"""`moim dispatcher`: every open meeting has exactly one live worker."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog

from worker import telemetry
from worker.adapters.postgres_registry import PostgresRegistry
from worker.bootstrap import database, parts, placement, pusher
from worker.closing import close_from_record
from worker.dispatcher import Dispatcher
from worker.errors import DONE
from worker.fleet_watch import FleetWatch
from worker.health import HealthServer, Readiness
from worker.metrics import Metrics
from worker.settings import ConfigError, Settings
from worker.signals import on_stop

log = structlog.get_logger(__name__)

DESCRIPTION = "See to it that every open meeting has a worker, also after a death. Any number may run."
EXAMPLES = """  moim dispatcher             reconcile until SIGTERM
"""


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """No arguments."""


def run(_args: argparse.Namespace, settings: Settings) -> int:
    """Reconcile until SIGTERM."""
    telemetry.configure(settings)
    settings.require("DATABASE_URL", "LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")
    return asyncio.run(_dispatch(settings))


@asynccontextmanager
async def _served(settings: Settings, metrics: Metrics, readiness: Readiness) -> AsyncIterator[None]:
    """Probes and metrics, where the port is free: beside a worker on one machine it may be the worker's."""
    process = settings.process
    health = HealthServer(metrics, readiness, host=process.http_host, port=process.http_port)
    try:
        await health.start()
    except ConfigError as error:
        log.warning("dispatcher_without_http", error=str(error))
    try:
        yield
    finally:
        await health.stop()


async def _dispatch(settings: Settings) -> int:
    stop = asyncio.Event()
    async with (
        parts(settings) as shared,
        placement(settings) as livekit,
        database(settings, max_size=1) as listening,  # LISTEN keeps its connection
        database(settings, max_size=2) as looking,
        pusher(settings, shared.metrics) as pushing,
    ):
        dispatcher = Dispatcher(
            PostgresRegistry(looking),
            livekit,
            tenant=settings.agent.tenant,
            clock=shared.clock,
            close_meeting=lambda meeting_id: close_from_record(shared, meeting_id),
            wake=PostgresRegistry(listening).wakes(),
            standbys=shared.standbys,
            every_standby=settings.process.standby,
        )

        watch = FleetWatch(PostgresRegistry(looking), shared.metrics)

        def readiness() -> tuple[list[str], list[str]]:
            return watch.problems(), pushing.degraded() if pushing is not None else []

        with on_stop(stop.set):
            async with _served(settings, shared.metrics, readiness), asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(dispatcher.run()), tasks.create_task(watch.run())]
                if pushing is not None:
                    running.append(tasks.create_task(pushing.run()))
                await stop.wait()
                for task in running:
                    task.cancel()
    return DONE
