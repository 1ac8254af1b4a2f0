"""Wires the HTTP API of a dispatcher."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from aiohttp import web

from worker.bootstrap.database import Database
from worker.bootstrap.parts import Parts, correcting
from worker.bootstrap.rooms import room_token
from worker.documents.library import Library
from worker.meeting.asking import Asker
from worker.meeting.panels import Panels
from worker.web.api import api, no_api
from worker.web.backends import Api
from worker.web.following import Following
from worker.web.sessions import Sessions

log = structlog.get_logger(__name__)


@asynccontextmanager
async def served_api(shared: Parts, tables: Database, urgent: Database) -> AsyncIterator[web.Application]:
    """Give the API within the block, or without a token what says that it is off.

    `tables` are of the API alone, so that no request waits for the dispatcher's own queries. `urgent` has
    connections of its own for what each request needs, whoever sends it: its right, and its row in the audit.
    """
    settings, record = shared.settings, tables.record
    if not settings.serves_people:
        log.info("api_off", reason="MOIM_API_TOKEN is not set: /v1 serves nobody, the probes are open")
        yield no_api()
        return
    async with Following(record, settings, shared.bus) as following:
        yield api(
            Api(
                settings=settings,
                sessions=Sessions(settings, urgent.sessions),
                kept_sessions=urgent.sessions,
                meetings=tables.registry,
                store=record,
                answers=Asker(record, shared.thinker, settings, bus=shared.bus, clock=shared.clock),
                summaries=shared.thinker,
                corrections=correcting(shared, tables),
                erasures=tables.erasures,
                retriever=shared.retriever,
                overviews=tables.overviews,
                library=Library(tables.documents, tables.passages),
                panels=Panels(record, settings, bus=shared.bus),
                links=urgent.links,
                following=following,
                audit=urgent.audit,
                people=tables.people,
                room_token=room_token(settings),
                orders=shared.bus,
            ),
            on_request=shared.metrics.api_request,
            on_refused=shared.metrics.command_refused,
        )
