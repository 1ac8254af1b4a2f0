"""Hosts meetings without a room, many in one process; their text comes from Redis.

`watch_loop` measures how late the event loop is: so long each meeting waits for its neighbours.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import structlog

import worker.agent.graph.graph  # noqa: F401 - LangGraph, before the first question waits for it
from context.ports import PortError
from worker.bootstrap.database import database
from worker.bootstrap.embedders import embedding_engine
from worker.bootstrap.parts import Parts, parts, sweeper
from worker.bootstrap.pushes import pusher
from worker.configuration.settings import Settings
from worker.errors import DONE, one_line
from worker.garbage_collection import collect_in_full_rarely
from worker.holder.lease_keeper import LEASE_S
from worker.holder.meeting_job import MeetingJob
from worker.holder.orphaned_spools import orphaned_spools
from worker.holder.presence import Presence
from worker.minutes.minutes_writing import demand_template
from worker.monitoring import jobs, telemetry
from worker.monitoring.health import JobsReadiness, serving
from worker.monitoring.jobs import OwnBoard
from worker.monitoring.metrics import process_metrics
from worker.ports import Holder, MeetingRow
from worker.process.recording_queue import recording_readers
from worker.process.stop_signals import on_stop
from worker.record.batching import LANES, SharedAppends

log = structlog.get_logger(__name__)

CLAIM_EVERY_S: Final = 0.5
_STARTS_AT_ONCE: Final = 20
"""Meetings that are taken up at a time: to restore them must not keep the words of the others waiting."""
_CONNECTIONS: Final = 5
"""Connections to Postgres for everything but appends and renewals."""
_URGENT_CONNECTIONS: Final = LANES
"""Connections to Postgres for appends alone, so that nothing slow (a restore, snapshots, passages) is ever in
front of them, however many the meetings are."""
_RETRY_MAX_S: Final = 4.0


async def host_text_meetings(settings: Settings) -> int:
    """Claim text meetings and hold them until SIGINT or SIGTERM, then leave them; return the exit code.

    Raises `ConfigError` without REDIS_URL.
    """
    settings.require("REDIS_URL")
    stop = asyncio.Event()
    with on_stop(stop.set):  # first of all: who is asked to go while it starts up goes in order, too
        await _host(settings, stop)
    return DONE


async def _host(settings: Settings, stop: asyncio.Event) -> None:
    await demand_template(settings)
    jobs.announce_worker(jobs.directory(settings), os.getpid())
    board = OwnBoard()
    async with (
        serving(process_metrics(), JobsReadiness(board.statuses), settings.process),
        embedding_engine(settings),
        parts(settings, connections=_CONNECTIONS, many=True, traced=True) as shared,
        database(settings, max_size=_URGENT_CONNECTIONS) as urgent,
        pusher(settings, shared.metrics) as pushing,
        sweeper(settings, lambda: jobs.gives_way(board.statuses(), "embeddings")) as sweeping,
        orphaned_spools(settings) as orphans,
        recording_readers(settings, lambda: bool(jobs.strain(board.statuses())), text_only=True) as files,
    ):
        # What all meetings do all the time is done for many of them at once, past what can wait.
        appends = SharedAppends(shared.store, urgent.record)
        host = TextHost(replace(shared, store=appends), board)
        works = [one.run() for one in (pushing, sweeping, orphans, files, appends) if one is not None]
        works += [watch_loop(shared.metrics.instruments.loop_lag.observe), collect_in_full_rarely()]
        async with asyncio.TaskGroup() as tasks:
            beside = [tasks.create_task(work) for work in works]
            await host.run(stop)
            for task in beside:
                task.cancel()


class TextHost:
    """Claims and holds the text meetings of one process."""

    def __init__(self, shared: Parts, board: OwnBoard) -> None:
        self._shared, self._board = shared, board
        self._limit = shared.settings.process.max_text_meetings
        self._held: set[str] = set()
        self._starting: set[str] = set()
        self._changed = asyncio.Event()
        self._strained = False

    async def run(self, stop: asyncio.Event) -> None:
        """Take up meetings that nobody holds until `stop` is set; return when all have been left."""
        stopping = asyncio.ensure_future(stop.wait())
        wait_s = CLAIM_EVERY_S
        try:
            async with asyncio.TaskGroup() as tasks:
                while not stop.is_set():
                    places = max(0, min(_STARTS_AT_ONCE - len(self._starting), self._limit - len(self._held)))
                    rows: Sequence[MeetingRow] = ()
                    try:
                        rows = await self._claim(places)
                        wait_s = CLAIM_EVERY_S
                    except PortError as error:
                        wait_s = min(2 * wait_s, _RETRY_MAX_S)
                        log.warning("claim_failed", error=str(error), retry_s=wait_s)
                    for row in rows:
                        if row.id not in self._held:
                            self._held.add(row.id)
                            self._starting.add(row.id)
                            tasks.create_task(self._hold_safely(row), name=f"meeting:{row.id}")
                    self._shared.metrics.instruments.load.set(len(self._held) / self._limit)
                    await self._pause(stopping, wait_s, more=len(rows) == places)
                self._board.draining = True
        finally:
            stopping.cancel()

    async def _claim(self, places: int) -> Sequence[MeetingRow]:
        """Claim up to `places` meetings that nobody holds, perhaps also some whose lease ran out here."""
        if not places or self._is_strained():
            return ()
        return await self._shared.tables.registry.claim_unheld(limit=places, retry_after_s=LEASE_S, text=True)

    def _is_strained(self) -> bool:
        """Whether this process cannot keep up with the meetings that it has; each change is logged."""
        strain = jobs.strain(self._board.statuses())
        if strain and not self._strained:
            log.warning("takes_no_more_meetings", cause=strain)
        elif self._strained and not strain:
            log.info("takes_meetings_again")
        self._strained = bool(strain)
        self._shared.metrics.instruments.giving_way.labels(what="meetings").set(1 if strain else 0)
        return self._strained

    async def _pause(self, stopping: asyncio.Future[Any], wait_s: float, *, more: bool) -> None:
        """Wait until it is time to look again: where there may be `more`, also until a place comes free."""
        self._changed.clear()
        changed = asyncio.ensure_future(self._changed.wait())
        waiting: set[asyncio.Future[Any]] = {stopping, changed} if more else {stopping}
        await asyncio.wait(waiting, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
        changed.cancel()

    async def _hold_safely(self, row: MeetingRow) -> None:
        with telemetry.meeting_logs(row.id):
            try:
                await self._hold(row)
            except PortError as error:
                log.warning("meeting_not_held", error=one_line(error))
            except Exception:
                # One meeting's fault is not its neighbours': the dispatcher's next claim tries again.
                log.exception("meeting_failed")
            finally:
                self._held.discard(row.id)
                self._taken_up(row.id)

    async def _hold(self, row: MeetingRow) -> None:
        shared, pid = self._shared, os.getpid()
        holder = Holder(host=socket.gethostname(), worker_pid=pid, job_pid=pid)
        epoch = await shared.tables.leases.acquire(row.id, holder, LEASE_S)
        if epoch is None:
            return
        directory = jobs.directory(shared.settings)
        job = MeetingJob(shared, row, epoch, run_dir=directory, pid=pid, board=self._board)

        async def enter(_presence: Presence) -> None:
            log.info("text_meeting_held", epoch=epoch)
            self._taken_up(row.id)

        outcome = await job.run(shared.outlets(row.id), enter)
        log.info("text_meeting_left", outcome=outcome)

    def _taken_up(self, meeting_id: str) -> None:
        self._starting.discard(meeting_id)
        if len(self._starting) <= _STARTS_AT_ONCE // 2:
            self._changed.set()


_WAKE_EVERY_S: Final = 0.02


async def watch_loop(observe: Callable[[float], None]) -> None:
    """Tell `observe` fifty times a second how many seconds late this task was woken, until cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due_s = loop.time() + _WAKE_EVERY_S
        await asyncio.sleep(_WAKE_EVERY_S)
        observe(max(0.0, loop.time() - due_s))
