"""One job of livekit-agents: one meeting in one room.

The lease comes before the room: a job that does not get it leaves without anybody having seen it.
A job that is sent to stand by is in the room first and contends for the lease (`standby_job`).
This module is imported once per worker, in the fork server that all job processes come from.
"""

from __future__ import annotations

import os
import socket

import structlog
from livekit import agents

from context.ports import PortError, Refused
from stt.vad import shared_model
from worker.adapters.livekit_room import LiveKitRoom
from worker.adapters.redis_outlet import RedisOutlet
from worker.bootstrap import Parts, parts
from worker.errors import one_line
from worker.fleet.ticket import Ticket
from worker.holder.joining import Seat, join, speak_in
from worker.holder.lease_keeper import LEASE_S
from worker.holder.meeting_job import MeetingJob
from worker.holder.presence import Presence
from worker.holder.seam import seamed
from worker.holder.standby_ears import StandbyEars
from worker.holder.standby_job import on_record, stand_by
from worker.meeting.outlets import Outlets
from worker.monitoring import telemetry
from worker.ports import Holder, MeetingRow
from worker.process import job_image, jobs
from worker.room.hearing import track_maker

log = structlog.get_logger(__name__)


async def entrypoint(ctx: agents.JobContext) -> None:
    """Hold the meeting that this dispatch is for, if nobody else does; or stand by for it."""
    settings = job_image.settings()
    telemetry.configure_job(settings)
    ticket = Ticket.decode(ctx.job.metadata)
    reason = "failed"
    log.info("job_started", meeting_id=ticket.meeting_id, job=os.getpid(), standby=ticket.standby)
    try:
        async with parts(settings) as shared:
            row = await _meeting(shared, ticket, ctx.job.room.name)
            directory = jobs.directory(settings)
            me = Holder(host=socket.gethostname(), worker_pid=jobs.worker_pid(directory), job_pid=os.getpid())
            with telemetry.meeting_logs(row.id, job=me.job_pid):
                seat = Seat(ctx, shared, row, me, _outlets(shared, row))
                reason = await (stand_by(seat, relief=ticket.relief) if ticket.standby else _hold(seat))
                log.info("job_done", reason=reason)
    except PortError as error:
        # The meeting stays wanted: the dispatcher asks for a job again, a little later each time.
        reason = one_line(error)
        log.warning("meeting_not_held", error=reason)
    finally:
        # Without this word the process would sit in the room as long as it stands.
        ctx.shutdown(reason)


async def _meeting(shared: Parts, ticket: Ticket, room: str) -> MeetingRow:
    tenant = shared.settings.agent.tenant
    if not ticket.is_of(tenant):  # it may have a meeting of ours with the same id
        raise Refused(f"dispatched for the tenant {ticket.tenant!r}, not for {tenant!r}")
    if ticket.meeting_id is not None:
        row = await shared.registry.get(ticket.meeting_id)
        if row is not None:
            return row
    return await shared.registry.want(room)


def _outlets(shared: Parts, row: MeetingRow) -> Outlets:
    outlets = Outlets()
    if shared.bus is not None:
        outlets.add(RedisOutlet(shared.bus, row.id))
    return outlets


async def _hold(seat: Seat) -> str:
    shared, row = seat.shared, seat.row
    epoch = await shared.leases.acquire(row.id, seat.me, LEASE_S)
    if epoch is None:
        return "held by another worker"
    log.info("lease_acquired", epoch=epoch)
    job = MeetingJob(shared, row, epoch, run_dir=jobs.directory(shared.settings), pid=seat.me.job_pid)
    restored = await job.restore()
    heard = await job.sound.before_us()
    make_track = track_maker(shared.engine, shared.settings.agent.language, keeper=job.sound.log)
    if make_track is not None and heard:
        make_track = seamed(make_track, restored.spooled)

    async def enter(presence: Presence) -> None:
        # The room waits in a standby's ears until the attendant has heard what came before it.
        ears = StandbyEars(shared.clock, on_closed=lambda: None) if heard else None
        room = LiveKitRoom(
            seat.ctx.room, ears or presence.attendant, presence.tasks, clock=shared.clock, epoch=epoch
        )
        speak_in(seat, presence, room, epoch)
        room.listen()
        await join(seat.ctx, room)
        if ears is not None:
            presence.covered_from_ms = presence.session.now_ms()
            record = on_record(presence.session, restored, row, shared.clock.monotonic_s())
            await ears.hand_to(presence.attendant, record, heard)
            await job.sound.taken_up()

    outcome = await job.run(restored, seat.outlets, enter, make_track=make_track, heard=heard)
    return ": ".join(outcome)


def prepare(_process: agents.JobProcess) -> None:
    """In a fresh job process, before it has a meeting: what would make the first words late."""
    shared_model()
