"""`moim dispatcher`: every open meeting has exactly one live worker."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

import structlog
from aiohttp import web

from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_registry import PostgresRegistry
from worker.bootstrap import database, parts, placement, pusher
from worker.configuration.settings import ConfigError, Settings
from worker.errors import DONE
from worker.fleet.closing import close_from_record
from worker.fleet.dispatcher import Dispatcher
from worker.fleet.ended_meetings import ERASE_EVERY_S, retain, write_again
from worker.fleet.fleet_watch import FleetWatch, greet_livekit
from worker.fleet.wishes import RoomWishes, want_from_redis
from worker.monitoring import telemetry
from worker.monitoring.health import Readiness, serving
from worker.monitoring.metrics import Metrics
from worker.process.signals import on_stop
from worker.web.api import API_PREFIX
from worker.web.livekit_webhook import HOOK_PREFIX, webhook
from worker.web.pages import page_routes
from worker.web.wiring import correcting, served_api, wished_through_redis

log = structlog.get_logger(__name__)

DESCRIPTION = (
    "See to it that every open meeting has a worker, also after a death. Any number may run. With "
    "MOIM_API_TOKEN it serves the HTTP API at MOIM_HTTP_PORT. Meetings come from there, from "
    "`moim dispatch`, from Redis (moim:TENANT:dispatch), and from rooms that fit MOIM_ROOM_PATTERN "
    "(LiveKit's webhook, or polling)."
)
EXAMPLES = """\
  moim dispatcher                             reconcile until SIGTERM
  MOIM_ROOM_PATTERN='standup-*' MOIM_ROOM_POLL_S=5 moim dispatcher
  curl -H "Authorization: Bearer $MOIM_API_TOKEN" localhost:8080/v1/openapi.json"""


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Declare nothing: it takes no arguments."""


def run(_args: argparse.Namespace, settings: Settings) -> int:
    """Reconcile until SIGTERM."""
    telemetry.configure(settings)
    settings.require("DATABASE_URL", "LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")
    return asyncio.run(_dispatch(settings))


@asynccontextmanager
async def _served(
    settings: Settings, metrics: Metrics, readiness: Readiness, mounts: Mapping[str, web.Application]
) -> AsyncIterator[None]:
    """HTTP, where the port is free: beside a worker on one machine it may be the worker's."""
    process = settings.process
    async with AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(
                serving(
                    metrics,
                    readiness,
                    host=process.http_host,
                    port=process.http_port,
                    probe_port=process.probe_port,
                    mounts=mounts,
                    pages=page_routes(settings.livekit.join_url) if settings.serves_people else (),
                )
            )
        except ConfigError as error:
            log.warning("dispatcher_without_http", error=str(error))
        yield


async def _dispatch(settings: Settings) -> int:
    stop = asyncio.Event()
    async with (
        parts(settings) as shared,
        placement(settings) as livekit,
        database(settings, max_size=1) as listening,  # LISTEN keeps its connection
        database(settings, max_size=2) as looking,
        database(settings) as serving,  # what others ask for must not keep the dispatcher from its own
        pusher(settings, shared.metrics) as pushing,
        wished_through_redis(settings) as wished,
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
            on_dispatch=shared.metrics.dispatched,
        )
        watch = FleetWatch(PostgresRegistry(looking), shared.metrics)
        meetings = PostgresRegistry(serving)
        wishes = RoomWishes(meetings, settings.dispatch.room_pattern)
        hook = webhook(
            wishes,
            settings.livekit.api_key,
            settings.livekit.api_secret,
            on_wanted=dispatcher.hurry,
            on_request=shared.metrics.api_request,
            on_refused=shared.metrics.command_refused,
        )

        def readiness() -> tuple[list[str], list[str]]:
            return watch.problems(), watch.degraded() + (pushing.degraded() if pushing is not None else [])

        with on_stop(stop.set):
            async with (
                served_api(shared, serving) as api,
                _served(settings, shared.metrics, readiness, {API_PREFIX: api, HOOK_PREFIX: hook}),
                asyncio.TaskGroup() as tasks,
            ):
                running = [tasks.create_task(dispatcher.run()), tasks.create_task(watch.run())]
                running.append(tasks.create_task(greet_livekit(settings)))  # a refused key ends them all
                rewriting = correcting(shared, serving)
                erasing = write_again(
                    PostgresErasures(looking).meetings, rewriting.erase, what="erasure", every_s=ERASE_EVERY_S
                )
                running.append(tasks.create_task(erasing))
                retaining = retain(PostgresErasures(looking), settings.consent.retention_days, shared.metrics)
                running.append(tasks.create_task(retaining))
                if shared.thinker.judges:
                    late = write_again(
                        PostgresRegistry(looking).late_drafts, rewriting.make_late_drafts, what="late_draft"
                    )
                    running.append(tasks.create_task(late))
                if pushing is not None:
                    running.append(tasks.create_task(pushing.run()))
                if wished is not None:
                    wanting = want_from_redis(
                        wished, meetings, tenant=settings.agent.tenant, on_wanted=dispatcher.hurry
                    )
                    running.append(tasks.create_task(wanting))
                if every_s := settings.dispatch.poll_s:
                    running.append(tasks.create_task(wishes.poll(livekit, every_s, dispatcher.hurry)))
                await stop.wait()
                for task in running:
                    task.cancel()
    return DONE
