"""A job that stands by: in the room beside the holder, silent, until it is needed or not needed any more."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from worker.adapters.livekit_room import LiveKitRoom
from worker.holder.joining import Seat, join, speak_in
from worker.holder.lease_keeper import LEASE_S
from worker.holder.meeting_job import MeetingJob
from worker.holder.presence import Presence
from worker.holder.restoring import Restored
from worker.holder.seam import OVERLAP_MS, heard_until, seamed
from worker.holder.standby import Standby, Won, well
from worker.holder.standby_ears import OnRecord, StandbyEars
from worker.meeting.session import Session, first_cause
from worker.ports import MeetingRow
from worker.process import jobs
from worker.room.hearing import track_maker

log = structlog.get_logger(__name__)

_STATUS_EVERY_S: Final = 1.0


async def stand_by(seat: Seat, *, relief: bool = False) -> str:
    """Stand by for a meeting, hold it when its holder is gone; says how that ended.

    `relief`: sent because the holder seemed to be dead. Where it is not, nobody sees us in the room.
    """
    if relief and well(seat.row):
        return "the holder is well"
    shared = seat.shared
    run_dir = jobs.directory(shared.settings)
    standby = Standby(
        shared.leases,
        shared.registry,
        shared.standbys,
        seat.row.id,
        seat.me,
        leaving=lambda: jobs.leaving(run_dir),
        relief=relief,
    )
    if not await standby.stand():
        return "another one stands by"
    log.info("standing_by", relief=relief)
    try:
        async with asyncio.TaskGroup() as tasks:
            return await _StandbyJob(seat, standby).run(tasks)
    except BaseExceptionGroup as group:
        raise first_cause(group) from group
    finally:
        await standby.give_up()


class _StandbyJob:
    def __init__(self, seat: Seat, standby: Standby) -> None:
        self._seat, self._shared, self._standby = seat, seat.shared, standby
        self._run_dir = jobs.directory(self._shared.settings)
        self._ears = StandbyEars(self._shared.clock, on_closed=lambda: standby.stop("the room is gone"))
        standby.on_look = self._keep_enough

    def _keep_enough(self, row: MeetingRow) -> None:
        """Where the holder's engine lags behind, its words are text later than the ring would keep them."""
        if row.started_at is None:
            return
        now_ms = (self._shared.clock.now_utc() - row.started_at).total_seconds() * 1000
        self._ears.keep((now_ms - min(row.unwritten.values(), default=now_ms)) / 1000)

    async def run(self, tasks: asyncio.TaskGroup) -> str:
        room = LiveKitRoom(
            self._seat.ctx.room,
            self._ears,
            tasks,
            clock=self._shared.clock,
            epoch=0,
            on_holder_gone=self._standby.look,
        )
        room.listen()
        telling = tasks.create_task(self._report(), name="standby-status")
        try:
            await join(self._seat.ctx, room)
            arrived_s = self._shared.clock.monotonic_s()
            won = await self._standby.contend()
            telling.cancel()
            jobs.remove_status(self._run_dir, self._status())
            if isinstance(won, str):
                return won
            return await self._take_over(won, room, arrived_s, tasks)
        finally:
            telling.cancel()
            await room.aclose()

    async def _take_over(
        self, won: Won, room: LiveKitRoom, arrived_s: float, tasks: asyncio.TaskGroup
    ) -> str:
        """The holder is gone: we are it, and begin where its record ends."""
        log.info("lease_acquired", epoch=won.epoch, from_standby=True, kept_bytes=self._ears.kept_bytes)
        shared = self._shared
        job = MeetingJob(shared, won.row, won.epoch, run_dir=self._run_dir, pid=self._seat.me.job_pid)
        restored = await job.restore()
        heard = await job.sound.before_us()
        make_track = track_maker(shared.engine, shared.settings.agent.language, keeper=job.sound.log)

        async def enter(presence: Presence) -> None:
            speak_in(self._seat, presence, room, won.epoch)
            session = presence.session
            now_s = shared.clock.monotonic_s()
            presence.covered_from_ms = _ms(session, max(arrived_s, now_s - self._ears.kept_s))
            room.take_over(won.epoch)
            record = on_record(session, restored, won.row, now_s)
            await self._ears.hand_to(presence.attendant, record, heard)
            await job.sound.taken_up()
            for segment_id, speaker_id in self._ears.interims.items():
                # Half a sentence that the holder has shown: ours goes out under its own id.
                key = segment_id.removeprefix(session.segment_id(""))
                presence.attendant.interim(speaker_id, key, "")
            log.info("taken_over", epoch=won.epoch, took_s=round(shared.clock.monotonic_s() - now_s, 3))
            tasks.create_task(self._standby.give_up(), name="standby-over")

        make = seamed(make_track, restored.spooled) if make_track is not None else None
        outcome = await job.run(restored, self._seat.outlets, enter, make_track=make, heard=heard)
        return ": ".join(outcome)

    async def _report(self) -> None:
        """Show the worker that we are here; leave where it drains."""
        while True:
            try:
                await asyncio.to_thread(jobs.write_status, self._run_dir, self._status())
            except OSError as error:
                log.warning("status_not_written", error=str(error))
            if jobs.leaving(self._run_dir):
                self._standby.stop("drained")
            await asyncio.sleep(_STATUS_EVERY_S)

    def _status(self) -> jobs.JobStatus:
        return jobs.JobStatus(
            pid=self._seat.me.job_pid,
            meeting_id=self._seat.row.id,
            standby=True,
            updated_s=self._shared.clock.monotonic_s(),
        )


def on_record(session: Session, restored: Restored, before: MeetingRow, now_s: float) -> OnRecord:
    """What a successor is told of the record when it hears what was kept."""
    over_s = before.lease_over_s or 0.0
    return OnRecord(
        zero_s=session.zero_s,
        resume_ms={
            track_id: until_ms - OVERLAP_MS
            for track_id, until_ms in heard_until(session.manager.meeting, restored.spooled).items()
        },
        off_record=session.manager.meeting.coverage.off_record,
        # Its last renewal: what was written to it after that, it may not have read.
        holder_until_s=now_s - over_s - LEASE_S,
    )


def _ms(session: Session, moment_s: float) -> int:
    return max(0, round((moment_s - session.zero_s) * 1000))
