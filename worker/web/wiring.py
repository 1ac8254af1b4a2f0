"""Wires the HTTP API of a dispatcher."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import structlog
from aiohttp import web

from worker.bootstrap.database import Database, database
from worker.bootstrap.parts import Parts, correcting
from worker.bootstrap.rooms import room_token
from worker.configuration.sockets import dispatcher_socket
from worker.documents.library import Library
from worker.meeting.asker import Asker
from worker.meeting.panels import Panels
from worker.record.batching import SharedNotes
from worker.web.api import api, api_for_commands, no_api
from worker.web.backends import Api
from worker.web.following import Following
from worker.web.local_socket import commands_socket
from worker.web.sessions import Sessions

log = structlog.get_logger(__name__)


@asynccontextmanager
async def served_api(
    shared: Parts,
    tables: Database,
    urgent: Database,
    link_ended: Callable[[], object] = lambda: None,
) -> AsyncIterator[web.Application]:
    """Give the API within the block, or without a token what says that it is off; commands have it always.

    `tables` are of the API alone, so that no request waits for the dispatcher's own queries. What each
    request needs has connections of its own: `urgent` its right to be here, and one more its row in the
    audit log, without which nothing is answered. `link_ended` is called once a link is withdrawn.
    """
    settings, record = shared.settings, tables.record
    async with (
        database(settings, max_size=1) as noting,
        Following(record, settings, shared.bus) as following,
        asyncio.TaskGroup() as tasks,
    ):
        audit = SharedNotes(tables.audit, noting.audit)
        writing = tasks.create_task(audit.run(), name="audit")
        parts = _api_parts(shared, tables, urgent, following=following, audit=audit, link_ended=link_ended)
        for_commands = api_for_commands(parts, on_request=shared.metrics.api_request)
        async with commands_socket(for_commands, dispatcher_socket(settings)):
            if settings.serves_people:
                counted, refused = shared.metrics.api_request, shared.metrics.command_refused
                yield api(parts, on_request=counted, on_refused=refused)
            else:
                reason = "MOIM_API_TOKEN is not set: /v1 serves commands alone, the probes are open"
                log.info("api_off", reason=reason)
                yield no_api()
        writing.cancel()


def _api_parts(
    shared: Parts,
    tables: Database,
    urgent: Database,
    *,
    following: Following,
    audit: SharedNotes,
    link_ended: Callable[[], object],
) -> Api:
    """What every request works with: see `served_api`."""
    settings, record = shared.settings, tables.record
    return Api(
        settings=settings,
        sessions=Sessions(settings, urgent.sessions),
        kept_sessions=urgent.sessions,
        meetings=tables.registry,
        store=record,
        answers=Asker(
            record,
            shared.thinker,
            settings,
            bus=shared.bus,
            clock=shared.clock,
            take_up=shared.indexers.take_up,
        ),
        summaries=shared.thinker,
        corrections=correcting(shared, tables),
        erasures=tables.erasures,
        retriever=shared.retriever,
        overviews=tables.overviews,
        library=Library(tables.documents, tables.passages),
        recordings=tables.recordings,
        panels=Panels(record, settings, bus=shared.bus),
        links=urgent.links,
        following=following,
        audit=audit,
        people=tables.people,
        room_token=room_token(settings),
        commands=shared.bus,
        link_ended=link_ended,
    )
