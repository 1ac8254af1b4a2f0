"""See to it that every open meeting has a worker, also after a death. Any number may run. With MOIM_API_TOKEN
it serves the HTTP API at MOIM_HTTP_PORT. Meetings come from there, from `moim dispatch`, from Redis
(moim:TENANT:dispatch), and from rooms that fit MOIM_ROOM_PATTERN (LiveKit's webhook, or polling).

Examples:
    moim dispatcher                             reconcile until SIGTERM
    MOIM_ROOM_PATTERN='standup-*' MOIM_ROOM_POLL_S=5 moim dispatcher
    curl -H "Authorization: Bearer $MOIM_API_TOKEN" localhost:8080/v1/openapi.json
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

import structlog

from context.config import ConfigError
from worker.bootstrap.database import Database, database, schema_fault
from worker.bootstrap.parts import Parts, correcting, parts
from worker.bootstrap.pushes import keep_nothing_to_push, pusher
from worker.bootstrap.rooms import placement
from worker.bootstrap.streams import dispatches
from worker.configuration.settings import Settings
from worker.errors import DONE
from worker.fleet.closing_from_record import close_from_record
from worker.fleet.dispatcher import Dispatcher
from worker.fleet.ended_links import EndedLinks
from worker.fleet.ended_meetings import ERASE_EVERY_S, LATE_EVERY_S, retain, write_again
from worker.fleet.fleet_watch import FleetWatch, greet_livekit
from worker.fleet.room_requests import RoomRequests, want_from_redis
from worker.holder.late_words import GONE_AFTER_S, LateWords
from worker.meeting.session import Session
from worker.minutes.minutes_writing import demand_template
from worker.monitoring import telemetry
from worker.monitoring.health import Readiness, serving
from worker.process.first_question import load
from worker.process.stop_signals import on_stop
from worker.push.pusher import Pusher
from worker.recordings.stored_recording import give_up_unkept
from worker.web.api import API_PREFIX
from worker.web.livekit_webhook import HOOK_PREFIX, webhook
from worker.web.pages import page_routes
from worker.web.wiring import served_api

log = structlog.get_logger(__name__)


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Declare no arguments: settings say everything."""


def run(_args: argparse.Namespace, settings: Settings) -> int:
    """Compare open meetings with leases, and ask LiveKit for jobs where one is missing, until SIGTERM."""
    telemetry.configure(settings)
    settings.require("DATABASE_URL", "LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")
    return asyncio.run(_dispatch(settings))


async def _dispatch(settings: Settings) -> int:
    await demand_template(settings)
    stop = asyncio.Event()
    async with (
        parts(settings, of_record=True) as shared,
        placement(settings) as livekit,
        database(settings, max_size=1) as listening,  # LISTEN keeps its connection
        database(settings, max_size=2) as looking,
        database(settings) as asked,  # what others ask for must not keep the dispatcher from its own
        database(settings, max_size=2) as urgent,  # and their number not from being let in
        pusher(settings, shared.metrics) as pushing,
        dispatches(settings) as request_stream,
    ):
        registry, meetings = looking.registry, asked.registry
        dispatcher = Dispatcher(
            registry,
            livekit,
            tenant=settings.process.tenant,
            clock=shared.clock,
            close_meeting=lambda meeting_id: close_from_record(shared, meeting_id),
            wake=listening.registry.wakes(),
            standbys=shared.tables.standbys,
            every_standby=settings.process.standby,
            on_dispatch=shared.metrics.dispatched,
        )
        guests_out = EndedLinks(looking.links, livekit)
        watch = FleetWatch(registry, shared.metrics, partial(schema_fault, settings))
        room_requests = RoomRequests(meetings, settings.dispatch.room_pattern)

        readiness = _readiness(
            watch, pushing, redis_is_away=lambda: request_stream is not None and request_stream.away
        )
        told = (dispatcher.hurry, guests_out.hurry)
        with on_stop(stop.set):
            async with _served(shared, (asked, urgent), room_requests, told, readiness):
                works = [dispatcher.run(), watch.run(), guests_out.run(), *_rewriting(shared, looking, asked)]
                works.append(greet_livekit(settings))  # a refused key ends them all
                works.append(load(settings))
                works.append(shared.indexers.run_late())
                works.append(pushing.run() if pushing is not None else keep_nothing_to_push(looking))
                if request_stream is not None:
                    tenant = settings.process.tenant
                    works.append(
                        want_from_redis(request_stream, meetings, tenant=tenant, on_wanted=dispatcher.hurry)
                    )
                if every_s := settings.dispatch.poll_s:
                    works.append(room_requests.poll(livekit, every_s, dispatcher.hurry))
                await _run_until(stop, works)
    return DONE


async def _run_until(stop: asyncio.Event, works: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run tasks side by side until `stop` is set; one that fails ends them all."""
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(work) for work in works]
        await stop.wait()
        for task in running:
            task.cancel()


def _readiness(watch: FleetWatch, pushing: Pusher | None, *, redis_is_away: Callable[[], bool]) -> Readiness:
    """What `/readyz` asks: why the dispatcher cannot work, and what works less well than it should."""

    def readiness() -> tuple[list[str], list[str]]:
        degraded = watch.degraded() + (pushing.degraded() if pushing is not None else [])
        if redis_is_away():
            degraded.append(
                "redis: it cannot be reached: questions, live pages and requests for rooms by it wait"
            )
        return watch.problems(), degraded

    return readiness


def _rewriting(shared: Parts, looking: Database, asked: Database) -> Iterator[Coroutine[Any, Any, None]]:
    """The tasks that write to meetings that are over: what is erased, kept long enough, or came late."""
    rewriting, erasures = correcting(shared, asked), looking.erasures
    yield write_again(erasures.meetings, rewriting.erase, what="erasure", every_s=ERASE_EVERY_S)
    yield write_again(looking.passages.claim_unfinished, rewriting.finish_passages, what="passages")
    unkept = partial(give_up_unkept, looking.recordings)
    yield write_again(looking.recordings.abandoned, unkept, what="abandoned_file")
    yield retain(erasures, shared.settings.consent.retention_days, shared.metrics)

    def late(session: Session) -> LateWords:
        return LateWords(looking.late, session, shared.metrics)

    async def take(meeting_id: str) -> None:
        await rewriting.add_late(meeting_id, lambda session: late(session).take_all())

    async def give_up(meeting_id: str) -> None:
        await rewriting.add_late(meeting_id, lambda session: late(session).give_up())

    yield write_again(looking.late.over, take, what="late_words", every_s=LATE_EVERY_S)
    yield write_again(partial(looking.late.unseen, GONE_AFTER_S), give_up, what="lost_speech")
    if shared.thinker.judges:
        find = looking.registry.late_drafts
        yield write_again(find, rewriting.make_late_drafts, what="late_draft")


@asynccontextmanager
async def _served(
    shared: Parts,
    asked: tuple[Database, Database],
    room_requests: RoomRequests,
    told: tuple[Callable[[], object], Callable[[], object]],
    readiness: Readiness,
) -> AsyncIterator[None]:
    """Serve HTTP while the block runs; nothing if the port is taken, by a worker on this machine say.

    `asked`: the two sets of tables that `served_api` takes. `told`: what is called once a meeting is wanted,
    and once a link is withdrawn.
    """
    settings, (hurry, link_ended) = shared.settings, told
    livekit = settings.livekit
    hook = webhook(
        room_requests,
        livekit.api_key,
        livekit.api_secret,
        on_wanted=hurry,
        on_request=shared.metrics.api_request,
        on_refused=shared.metrics.command_refused,
    )
    async with served_api(shared, *asked, link_ended) as api, AsyncExitStack() as stack:
        surface = serving(
            shared.metrics,
            readiness,
            settings.process,
            mounts={API_PREFIX: api, HOOK_PREFIX: hook},
            pages=page_routes(livekit.join_url) if settings.serves_people else (),
        )
        try:
            await stack.enter_async_context(surface)
        except ConfigError as error:
            log.warning("dispatcher_without_http", error=str(error))
        yield
