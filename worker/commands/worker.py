"""Join meetings that are dispatched to this agent name, one job process per room.

Examples:
    moim worker                 register with LIVEKIT_URL and wait for meetings
    moim worker --text          host meetings that are fed by Redis, without rooms
    MOIM_HTTP_PORT=9100 moim worker
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import structlog

from worker.bootstrap.database import database
from worker.bootstrap.embedders import embedding_engine
from worker.bootstrap.parts import sweeper
from worker.bootstrap.speech_engines import local_engine
from worker.configuration.folders import demand_state_folder
from worker.configuration.settings import Settings, export, exported
from worker.errors import DONE, FAILED, one_line
from worker.fleet.fleet_watch import greet_livekit
from worker.fleet.places import Places
from worker.fleet.reaper import Reaper
from worker.holder.late_speech import late_speech
from worker.holder.orphaned_spools import orphaned_spools
from worker.monitoring import jobs, telemetry
from worker.monitoring.health import JobsReadiness, serving
from worker.monitoring.metrics import process_metrics
from worker.ports import Holder
from worker.process import fork_server
from worker.process.recording_queue import recording_readers
from worker.process.stop_signals import on_stop

if TYPE_CHECKING:
    from livekit.agents import AgentServer

log = structlog.get_logger(__name__)

_SPARING_VARIABLES = {
    # livekit-agents' own voice and turn models, which no meeting of ours uses: 240 MB.
    "LIVEKIT_AGENTS_PRELOAD_LOCAL_INFERENCE": "0",
    # glibc gives each of a job's dozen threads a heap of its own otherwise.
    "MALLOC_ARENA_MAX": "2",
    # And it keeps what a large buffer took (an utterance's sound) once it has seen one come and go: without
    # this a job holds 1 MB for buffers it no longer has, and zeroed tables are written from end to end.
    "MALLOC_MMAP_THRESHOLD_": "131072",
    "MALLOC_TRIM_THRESHOLD_": "131072",
    # gRPC's core (CLOVA Speech) writes lines of its own, in no format of ours; errors reach us anyway.
    "GRPC_VERBOSITY": "NONE",
}
"""What other libraries read from the environment of the fork server, unless somebody has set it."""
_HANDOVER_S = 20.0
"""How long jobs that are asked to leave may take for last words, summary, snapshot and lease."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--text", action="store_true", help="meetings without a room, many in this process")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Take meetings in rooms, or with `--text` meetings without one, until SIGTERM."""
    telemetry.configure(settings)
    settings.require("DATABASE_URL")
    demand_state_folder(settings)
    if args.text:
        from worker.process.text_worker import host_text_meetings

        return asyncio.run(host_text_meetings(settings))
    settings.require("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")
    return asyncio.run(_join_rooms(settings))


class _Registration:
    """Whether LiveKit knows this worker, as far as this process can tell: called, it gives True or False."""

    def __init__(self) -> None:
        self.first = asyncio.Event()
        """Set when LiveKit has taken the worker for the first time."""
        self.server: AgentServer | None = None

    def __call__(self) -> bool:
        # After the first time livekit-agents tells nobody that it lost the server: it only tries again.
        return self.first.is_set() and not getattr(self.server, "_connecting", False)


async def _join_rooms(settings: Settings) -> int:
    """Start up and serve until SIGTERM; the exit code. A signal while it starts up stops it in order, too."""
    stop, starting = asyncio.Event(), asyncio.current_task()

    def ask() -> None:
        stop.set()
        if starting is not None:
            starting.cancel()

    def started() -> None:
        nonlocal starting
        starting = None

    with on_stop(ask):
        try:
            return await _work(settings, stop, started)
        except asyncio.CancelledError:
            if not stop.is_set():
                raise
            return DONE


async def _work(settings: Settings, stop: asyncio.Event, started: Callable[[], None]) -> int:
    directory = jobs.directory(settings)
    jobs.announce_worker(directory, os.getpid())
    for name, value in _SPARING_VARIABLES.items():
        if not exported(name):
            export(name, value)
    fork_server.start_early()  # with that environment
    await greet_livekit(settings)
    me = Holder(host=socket.gethostname(), worker_pid=os.getpid(), job_pid=os.getpid())
    registration, places = _Registration(), Places(settings.process.max_meetings, me)
    readiness = JobsReadiness(lambda: jobs.read_statuses(directory), registration, places.degraded)
    async with AsyncExitStack() as stack:
        # First: a port that is taken is told before the models are read, not after.
        await stack.enter_async_context(serving(process_metrics(), readiness, settings.process))
        room_side = await _loaded(settings, stack)
        registration.server = server = room_side.room_server(
            settings, readiness.statuses, on_registered=registration.first.set, on_load=places.seen
        )
        sweeping = await stack.enter_async_context(
            sweeper(settings, lambda: jobs.gives_way(readiness.statuses(), "embeddings"))
        )
        tables = await stack.enter_async_context(database(settings, max_size=1))
        orphans = await stack.enter_async_context(orphaned_spools(settings))
        late = await stack.enter_async_context(late_speech(settings))
        files = await stack.enter_async_context(
            recording_readers(settings, lambda: bool(jobs.strain(readiness.statuses())))
        )
        beside = [
            Reaper(directory, tables.leases, tables.standbys, me).run(),
            orphans.run(),
            files.run(),
            places.tell_full(tables.registry),
            places.offer(tables.registry, registration.first, lambda: room_side.tell_load(server)),
        ]
        if sweeping is not None:
            beside.append(sweeping.run())
        if late is not None:  # it goes on while meetings go, and a while longer
            await stack.enter_async_context(late.working(stop, settings.process.drain_s))
        started()
        return await _serve(server, settings, directory, beside, stop)


async def _loaded(settings: Settings, stack: AsyncExitStack) -> ModuleType:
    """Start the local engines, and import LiveKit's side (`worker.process.room_server`), which is returned.

    Each takes seconds, so they go on at the same time, and beside the start of the fork server.
    """
    importing = asyncio.to_thread(import_module, "worker.process.room_server")
    await stack.enter_async_context(embedding_engine(settings))
    room_side, _ = await asyncio.gather(importing, stack.enter_async_context(local_engine(settings)))
    return room_side


async def _serve(
    server: AgentServer,
    settings: Settings,
    directory: Path,
    beside: Sequence[Coroutine[Any, Any, None]],
    stop: asyncio.Event,
) -> int:
    """Take meetings until `stop`, then let them go; the exit code. `beside` runs until `stop`."""
    running = asyncio.ensure_future(server.run())
    stopping = asyncio.ensure_future(stop.wait())
    others = [asyncio.ensure_future(work) for work in beside]
    for task in others:
        task.add_done_callback(_tell_failure)
    await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
    for other in (*others, stopping):
        other.cancel()
    if running.done():
        lost = running.exception()
        log.error("worker_lost_livekit", error=one_line(lost) if lost is not None else "it went away")
        return FAILED
    # No new meetings; those that run go elsewhere or end by themselves; at the deadline they stop.
    limit_s = settings.process.drain_s
    log.info("draining", deadline_s=limit_s, meetings=len(server.active_jobs))
    empty = asyncio.ensure_future(server.drain(timeout=None))
    if limit_s > 0:
        jobs.request_handover(directory)
    done, _ = await asyncio.wait({empty}, timeout=limit_s)
    if not done:
        log.info("stopping_meetings", meetings=len(server.active_jobs))
        jobs.request_drain(directory)
        done, _ = await asyncio.wait({empty}, timeout=_HANDOVER_S)
    if not done:
        empty.cancel()
        log.warning("meetings_left_behind", meetings=len(server.active_jobs))
    await server.aclose()
    await running
    return DONE


def _tell_failure(task: asyncio.Future[None]) -> None:
    """Log that work beside the meetings has failed: it is missing from now on, and nobody awaits it."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("work_beside_failed", exc_info=error)
