"""The adapters of what a dispatcher serves: the HTTP API, corrections, and the stream of dispatches."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from aiohttp import web

from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_passages import PostgresDocuments, PostgresPassages
from worker.adapters.postgres_people import PostgresAudit, PostgresPeople
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresLinks, PostgresOverviews, PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.adapters.redis_dispatches import RedisDispatches
from worker.bootstrap import Parts, stream_names
from worker.configuration.settings import Settings
from worker.documents.library import Library
from worker.meeting.asking import Asker
from worker.meeting.correcting import Correcting
from worker.meeting.panels import Panels
from worker.monitoring.metrics import process_metrics
from worker.web.api import api, no_api
from worker.web.backends import Api
from worker.web.following import Following
from worker.web.viewers import Sessions

log = structlog.get_logger(__name__)


def correcting(shared: Parts, pool: PostgresPool) -> Correcting:
    """Build what writes meetings again that are over: corrections, erasures, late summaries."""
    return Correcting(
        PostgresStore(pool),
        PostgresLeases(pool),
        shared.thinker,
        shared.settings,
        passages=shared.indexers,
        bus=shared.bus,
        clock=shared.clock,
        erasures=PostgresErasures(pool),
        shown=shared.bus,
    )


@asynccontextmanager
async def served_api(shared: Parts, pool: PostgresPool) -> AsyncIterator[web.Application]:
    """Give the API within the block, or without a token what says that it is off.

    `pool` is of the API alone, so that no request waits for the dispatcher's own queries.
    """
    settings, store = shared.settings, PostgresStore(pool)
    if not settings.serves_people:
        log.info("api_off", reason="MOIM_API_TOKEN is not set: /v1 serves nobody, the probes are open")
        yield no_api()
        return
    async with Following(store, settings, shared.bus) as following:
        yield api(
            Api(
                settings=settings,
                sessions=Sessions(settings),
                meetings=PostgresRegistry(pool),
                store=store,
                answers=Asker(store, shared.thinker, settings, bus=shared.bus, clock=shared.clock),
                summaries=shared.thinker,
                corrections=correcting(shared, pool),
                erasures=PostgresErasures(pool),
                retriever=shared.retriever,
                overviews=PostgresOverviews(pool),
                library=Library(PostgresDocuments(pool), PostgresPassages(pool)),
                panels=Panels(store, settings, bus=shared.bus),
                links=PostgresLinks(pool),
                following=following,
                audit=PostgresAudit(pool),
                people=PostgresPeople(pool),
                orders=shared.bus,
            ),
            on_request=shared.metrics.api_request,
            on_refused=shared.metrics.command_refused,
        )


@asynccontextmanager
async def wished_through_redis(settings: Settings) -> AsyncIterator[RedisDispatches | None]:
    """Open `moim:{tenant}:dispatch`, the stream by which programs want meetings; None without a Redis."""
    url = settings.redis.url.get_secret_value()
    if not url:
        yield None
        return
    stream = RedisDispatches(
        url,
        names=stream_names(settings),
        name=f"{socket.gethostname()}-{os.getpid()}",
        token=settings.agent.api_token.get_secret_value(),
        on_refused=process_metrics().command_refused,
    )
    try:
        yield stream
    finally:
        await stream.aclose()
