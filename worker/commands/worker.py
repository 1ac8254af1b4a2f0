"""`moim worker`: join meetings, one job process per room; or host text meetings in this process."""

from __future__ import annotations

import argparse
import asyncio
import os
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from worker import jobs, telemetry
from worker.engine_host import local_engine
from worker.errors import DONE, FAILED
from worker.health import HealthServer, JobsReadiness
from worker.metrics import process_metrics
from worker.settings import Settings
from worker.signals import on_stop

if TYPE_CHECKING:
    from livekit.agents import AgentServer

log = structlog.get_logger(__name__)

DESCRIPTION = "Join meetings that are dispatched to this agent name, one job process per room."
EXAMPLES = """  moim worker                 register with LIVEKIT_URL and wait for meetings
  moim worker --text          host meetings that are fed by Redis, without rooms
  MOIM_HTTP_PORT=9100 moim worker
"""
_HANDOVER_S = 20.0
"""Last words, snapshot and lease of a job that is asked to leave."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--text", action="store_true", help="meetings without a room, many in this process")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Work until SIGTERM."""
    telemetry.configure(settings)
    settings.require("DATABASE_URL")
    if args.text:
        from worker.text_worker import host_text_meetings

        return asyncio.run(host_text_meetings(settings))
    settings.require("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")
    return asyncio.run(_join_rooms(settings))


async def _join_rooms(settings: Settings) -> int:
    from worker.room_server import room_server

    directory = jobs.directory(settings)
    jobs.announce_worker(directory, os.getpid())
    registered = asyncio.Event()
    readiness = JobsReadiness(directory, registered.is_set)
    stop = asyncio.Event()
    async with AsyncExitStack() as stack:
        if settings.stt.engine == "whisper":
            await stack.enter_async_context(local_engine(settings))
        server = room_server(settings, readiness.statuses, on_registered=registered.set)
        health = HealthServer(
            process_metrics(), readiness, host=settings.process.http_host, port=settings.process.http_port
        )
        await health.start()
        stack.push_async_callback(health.stop)
        with on_stop(stop.set):
            running = asyncio.ensure_future(server.run())
            stopping = asyncio.ensure_future(stop.wait())
            await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                stopping.cancel()
                log.error("worker_lost_livekit", error=str(running.exception()))
                return FAILED
            await _drain(server, settings, directory)
            await server.aclose()
            await running
    return DONE


async def _drain(server: AgentServer, settings: Settings, directory: Path) -> None:
    """No new meetings; those that run may end by themselves, then they are handed over."""
    limit_s = settings.process.drain_s
    log.info("draining", deadline_s=limit_s, meetings=len(server.active_jobs))
    empty = asyncio.ensure_future(server.drain(timeout=None))
    done, _ = await asyncio.wait({empty}, timeout=limit_s)
    if not done:
        log.info("handing_over", meetings=len(server.active_jobs))
        jobs.request_drain(directory)
        done, _ = await asyncio.wait({empty}, timeout=_HANDOVER_S)
    if not done:
        empty.cancel()
        log.warning("meetings_left_behind", meetings=len(server.active_jobs))
