"""The API's parts, for the dispatcher: what it serves, and where else meetings are wanted."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from zoneinfo import ZoneInfo

import structlog
from aiohttp import web

from worker.adapters.livekit_tokens import participant_token
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
from worker.errors import InputError
from worker.meeting.asking import Asker
from worker.meeting.correcting import Correcting
from worker.meeting.panels import Panels
from worker.monitoring.metrics import process_metrics
from worker.ports import MeetingRow
from worker.record.restoring import described, exported
from worker.web.api import api, no_api
from worker.web.backends import ApiParts
from worker.web.following import Following
from worker.web.viewers import Sessions, SigningProxy

log = structlog.get_logger(__name__)


def correcting(shared: Parts, pool: PostgresPool) -> Correcting:
    """What writes meetings that have ended again."""
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
    """The API, or what says that there is none; `pool`: connections that nobody else waits for."""
    settings, store = shared.settings, PostgresStore(pool)
    agent, pages = settings.agent, settings.pages
    sessions = Sessions(
        agent.api_token.get_secret_value(),
        pages.token.get_secret_value(),
        proxy=SigningProxy(pages.user_header, pages.proxies),
    )
    if not settings.serves_people:
        log.info("api_off", reason="MOIM_API_TOKEN is not set: /v1 serves nobody, the probes are open")
        yield no_api()
        return

    def admission(room: str, identity: str, name: str) -> str:
        livekit = settings.livekit
        secret = livekit.api_secret.get_secret_value()
        return participant_token(livekit.api_key, secret, room, identity, name)

    async def documents(row: MeetingRow) -> dict[str, Any]:
        if (shape := await exported(store, row, settings)) is None:
            raise InputError(f"nothing is on record of meeting {row.id!r}")
        return shape

    async with Following(
        store,
        settings.context,
        lambda meeting, row: described(meeting, row, settings),
        shared.bus.watch if shared.bus is not None else None,
        ZoneInfo(agent.time_zone),
    ) as following:
        yield api(
            ApiParts(
                meetings=PostgresRegistry(pool),
                documents=documents,
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
                admission=admission,
                audit=PostgresAudit(pool),
                people=PostgresPeople(pool),
                orders=shared.bus,
                join_url=settings.livekit.join_url,
                kept_days=settings.consent.retention_days,
                zone=ZoneInfo(agent.time_zone),
            ),
            sessions,
            on_request=shared.metrics.api_request,
            on_refused=shared.metrics.command_refused,
        )


@asynccontextmanager
async def wished_through_redis(settings: Settings) -> AsyncIterator[RedisDispatches | None]:
    """`moim:{tenant}:dispatch`; None without a Redis."""
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
