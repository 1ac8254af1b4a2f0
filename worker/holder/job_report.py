"""What the holder of a meeting tells about it, second by second: status, metrics, the list of meetings."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Final

import structlog

from context.ports import PortError
from worker.bootstrap.parts import Parts
from worker.holder.lease_keeper import LeaseKeeper
from worker.meeting.session import Session
from worker.monitoring import jobs
from worker.monitoring.jobs import StatusBoard
from worker.participants.attendant import Attendant
from worker.ports import MeetingRow

log = structlog.get_logger(__name__)

STATUS_EVERY_S: Final = 1.0
_TELL_AGAIN_S: Final = 5.0
"""What stays degraded is shown again to those who watch: somebody may have come since."""


class JobReport:
    """What one holder tells about one meeting: its status, its metrics, its place in the list of meetings."""

    def __init__(self, parts: Parts, row: MeetingRow, epoch: int, board: StatusBoard, pid: int) -> None:
        """`board`: where the worker reads statuses. `pid`: the job's process."""
        self._parts, self._row, self._epoch = parts, row, epoch
        self._board, self._pid = board, pid
        self._marked_start = False
        self._told: tuple[tuple[tuple[str, ...], tuple[str, ...]], float] = ((), ()), 0.0
        """What was last passed on as degraded, and as giving way, and when."""
        self._gave_way: tuple[str, ...] = ()

    async def until_drained(self, session: Session, attendant: Attendant, keeper: LeaseKeeper) -> None:
        """Report once a second; return when the worker asks its jobs to stop."""
        while True:
            try:
                await self._tell(session, attendant, keeper)
            except Exception:
                # Whether anybody can watch the meeting is no reason to end it.
                log.exception("status_failed")
            if self._board.drain_requested():
                return
            await asyncio.sleep(STATUS_EVERY_S)

    async def _tell(self, session: Session, attendant: Attendant, keeper: LeaseKeeper) -> None:
        self._parts.pressure.waiting(attendant.tracks.backlog_s)
        status = self._status(session, attendant, away=keeper.away)
        if status.giving_way != self._gave_way:
            self._gave_way = status.giving_way
            log.warning("giving_way", what=list(status.giving_way), cause=self._parts.pressure.cause)
        try:
            await self._board.tell(status)
        except OSError as error:
            log.warning("status_not_written", error=str(error))
        metrics, manager, id_ = self._parts.metrics, session.manager, self._row.id
        degraded = tuple(part.partition(":")[0] for part in status.degraded)
        metrics.instruments.durable_lag.set(status.oldest_unwritten_s)
        metrics.meeting_degraded(id_, degraded)
        metrics.meeting_gives_way(id_, status.giving_way)
        metrics.meeting_queues(id_, {**session.waiting(), "audio_seconds": attendant.tracks.backlog_s})
        metrics.meeting_size(id_, l0=manager.get_l0_utterances(), topics=len(manager.meeting.segments))
        await self._pass_on(degraded, status.giving_way)
        await self._mark_live(session)

    async def _pass_on(self, degraded: tuple[str, ...], giving_way: tuple[str, ...]) -> None:
        """Show what is degraded or gives way to who watches: each change, and every 5 s while it lasts."""
        now_s = self._parts.clock.monotonic_s()
        before, told_s = self._told
        due_again = bool(degraded or giving_way) and now_s - told_s >= _TELL_AGAIN_S
        if self._parts.bus is None or ((degraded, giving_way) == before and not due_again):
            return
        with suppress(PortError):
            fields = {"parts": list(degraded), "giving_way": list(giving_way)}
            await self._parts.bus.pass_on(self._row.id, "degraded", fields)
            self._told = (degraded, giving_way), now_s

    async def _mark_live(self, session: Session) -> None:
        started_at = session.manager.meeting.started_at
        if self._marked_start or (self._row.status == "live" and started_at is None):
            return
        try:
            await self._parts.tables.registry.mark_live(self._row.id, self._epoch, started_at)
        except PortError as error:
            log.warning("not_marked_live", error=str(error))
            return
        self._row = self._row.model_copy(update={"status": "live"})
        self._marked_start = started_at is not None

    def gone(self, session: Session) -> None:
        """Remove this holder's status and metrics: it is going."""
        self._board.remove(self._status(session, None))
        self._parts.metrics.meeting_gone(self._row.id)

    async def register_end(self, session: Session) -> None:
        """Mark the meeting as ended in the list of meetings, at the moment that is on the record."""
        meeting, ended_at = session.manager.meeting, session.now_utc()
        if meeting.ended is not None and meeting.started_at is not None:
            ended_at = meeting.started_at + timedelta(milliseconds=meeting.ended.at_ms)
        try:
            await self._parts.tables.registry.mark_ended(self._row.id, self._epoch, ended_at)
        except PortError as error:
            # The record has its MeetingEnded: whoever restores the meeting next marks it.
            log.warning("not_marked_ended", error=str(error))

    def _status(self, session: Session, attendant: Attendant | None, *, away: bool = False) -> jobs.JobStatus:
        degraded: list[str] = []
        if session.recorder.away or away:
            degraded.append("postgres: events wait in the spool")
        if (bus := self._parts.bus) is not None and bus.away:
            degraded.append("redis: no live events, no text input")
        if trouble := session.recorder.spool_trouble:
            degraded.append(f"spool: what waits for postgres is in memory only: {trouble}")
        degraded += self._parts.thinker.degraded()
        if attendant is not None and (why := attendant.tracks.trouble):
            degraded.append(f"stt: speech waits with its sound: {why}")
        if attendant is not None and (unheard := len(attendant.encrypted.people)):
            degraded.append(f"encryption: {unheard} microphones are encrypted with a key that is not ours")
        if trouble := self._parts.indexers.of(session.manager.meeting).trouble:
            degraded.append(trouble)
        return jobs.JobStatus(
            pid=self._pid,
            meeting_id=self._row.id,
            epoch=self._epoch,
            oldest_unwritten_s=session.recorder.oldest_unwritten_s(),
            stt_backlog_s=attendant.tracks.backlog_s if attendant else 0.0,
            lag_s=self._parts.pressure.lag_s,
            giving_way=self._parts.pressure.giving_way,
            degraded=tuple(degraded),
            updated_s=self._parts.clock.monotonic_s(),
        )
