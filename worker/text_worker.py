"""Hosts meetings without a room, many in one process: their text comes from Redis."""

from __future__ import annotations

import asyncio
import os
import socket
from typing import Final

import structlog

import worker.agent.graph.graph  # noqa: F401 - LangGraph, before the first question waits for it
from context.ports import PortError
from worker import jobs, telemetry
from worker.adapters.redis_outlet import RedisOutlet
from worker.bootstrap import Parts, parts, pusher, sweeper
from worker.engine_host import embedding_engine
from worker.errors import DONE, one_line
from worker.health import HealthServer, JobsReadiness
from worker.lease_keeper import LEASE_S
from worker.loop_lag import watch_loop
from worker.meeting_job import MeetingJob, Presence
from worker.metrics import process_metrics
from worker.outlets import Outlets
from worker.ports import Holder, MeetingRow
from worker.settings import Settings
from worker.signals import on_stop

log = structlog.get_logger(__name__)

CLAIM_EVERY_S: Final = 0.5
_BATCH: Final = 20
_RETRY_MAX_S: Final = 4.0


async def host_text_meetings(settings: Settings) -> int:
    """Claim text meetings and hold them until SIGTERM; then hand them over."""
    settings.require("REDIS_URL")
    directory = jobs.directory(settings)
    jobs.announce_worker(directory, os.getpid())
    readiness = JobsReadiness(directory)
    stop = asyncio.Event()
    process = settings.process
    health = HealthServer(process_metrics(), readiness, host=process.http_host, port=process.http_port)
    await health.start()
    try:
        async with (
            embedding_engine(settings),
            parts(settings) as shared,
            pusher(settings, shared.metrics) as pushing,
            sweeper(settings) as sweeping,
        ):
            with on_stop(stop.set):
                async with asyncio.TaskGroup() as tasks:
                    beside = [tasks.create_task(one.run()) for one in (pushing, sweeping) if one is not None]
                    beside.append(tasks.create_task(watch_loop(shared.metrics.loop_lag)))
                    await _host(shared, stop)
                    for task in beside:
                        task.cancel()
    finally:
        await health.stop()
    return DONE


async def _host(shared: Parts, stop: asyncio.Event) -> None:
    wait_s = CLAIM_EVERY_S
    async with asyncio.TaskGroup() as tasks:
        while not stop.is_set():
            try:
                rows = await shared.registry.claim_unheld(limit=_BATCH, retry_after_s=LEASE_S, text=True)
                wait_s = CLAIM_EVERY_S
            except PortError as error:
                rows, wait_s = [], min(2 * wait_s, _RETRY_MAX_S)
                log.warning("claim_failed", error=str(error), retry_s=wait_s)
            for row in rows:
                tasks.create_task(_hold_safely(shared, row), name=f"meeting:{row.id}")
            try:
                async with asyncio.timeout(wait_s):
                    await stop.wait()
            except TimeoutError:
                continue
        jobs.request_drain(jobs.directory(shared.settings))


async def _hold_safely(shared: Parts, row: MeetingRow) -> None:
    with telemetry.meeting_logs(row.id):
        try:
            await _hold(shared, row)
        except PortError as error:
            log.warning("meeting_not_held", error=one_line(error))
        except Exception:
            # One meeting's fault is not its neighbours': the dispatcher's next claim tries again.
            log.exception("meeting_failed")


async def _hold(shared: Parts, row: MeetingRow) -> None:
    pid = os.getpid()
    holder = Holder(host=socket.gethostname(), worker_pid=pid, job_pid=pid)
    epoch = await shared.leases.acquire(row.id, holder, LEASE_S)
    if epoch is None:
        return
    assert shared.bus is not None
    job = MeetingJob(shared, row, epoch, run_dir=jobs.directory(shared.settings), pid=pid)

    async def enter(_presence: Presence) -> None:
        log.info("text_meeting_held", epoch=epoch)

    outlets = Outlets(RedisOutlet(shared.bus, row.id))
    outcome = await job.run(await job.restore(), outlets, enter, make_track=None)
    log.info("text_meeting_left", outcome=outcome)
