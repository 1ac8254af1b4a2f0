"""One job of livekit-agents: one meeting in one room.

The lease comes before the room: a job that does not get it leaves without anybody having seen it.
This module is imported once per worker, in the fork server that all job processes come from.
"""

from __future__ import annotations

import asyncio
import os
import socket
from typing import Final

import structlog
from livekit import agents

from context.ports import PortError, Unavailable
from stt.vad import shared_model
from worker import job_image, jobs, telemetry
from worker.adapters.livekit_room import LiveKitRoom
from worker.adapters.livekit_voice import LiveKitVoice, load_voice
from worker.adapters.redis_outlet import RedisOutlet
from worker.bootstrap import Parts, parts
from worker.errors import one_line
from worker.hearing import track_maker
from worker.lease_keeper import LEASE_S
from worker.meeting_job import MeetingJob, Presence
from worker.outlets import Outlets
from worker.ports import Holder, MeetingRow
from worker.ticket import Ticket

log = structlog.get_logger(__name__)

CONNECT_DEADLINE_S: Final = 15.0


async def entrypoint(ctx: agents.JobContext) -> None:
    """Hold the meeting that this dispatch is for, if nobody else does."""
    settings = job_image.settings()
    telemetry.configure_job(settings)
    ticket = Ticket.decode(ctx.job.metadata)
    reason = "failed"
    try:
        async with parts(settings) as shared:
            row = await _meeting(shared, ticket, ctx.job.room.name)
            with telemetry.meeting_logs(row.id):
                reason = await _hold(ctx, shared, row)
                log.info("job_done", reason=reason)
    except PortError as error:
        # The meeting stays wanted: the dispatcher asks for a job again, a little later each time.
        reason = one_line(error)
        log.warning("meeting_not_held", error=reason)
    finally:
        # Without this word the process would sit in the room as long as it stands.
        ctx.shutdown(reason)


async def _meeting(shared: Parts, ticket: Ticket, room: str) -> MeetingRow:
    if ticket.meeting_id is not None:
        row = await shared.registry.get(ticket.meeting_id)
        if row is not None:
            return row
    return await shared.registry.want(room)


async def _hold(ctx: agents.JobContext, shared: Parts, row: MeetingRow) -> str:
    directory = jobs.directory(shared.settings)
    holder = Holder(host=socket.gethostname(), worker_pid=jobs.worker_pid(directory), job_pid=os.getpid())
    epoch = await shared.leases.acquire(row.id, holder, LEASE_S)
    if epoch is None:
        return "held by another worker"
    log.info("lease_acquired", epoch=epoch)
    job = MeetingJob(shared, row, epoch, run_dir=directory, pid=os.getpid())
    restored = await job.restore()
    outlets = Outlets()
    if shared.bus is not None:
        outlets.add(RedisOutlet(shared.bus, row.id))

    async def enter(presence: Presence) -> None:
        room = LiveKitRoom(ctx.room, presence.attendant, presence.tasks, clock=shared.clock, epoch=epoch)
        presence.closers.append(room.aclose)
        outlets.add(room, first=True)
        room.listen()
        if (engine := shared.settings.tts.engine) != "none":
            voice = LiveKitVoice(ctx.room, load_voice(engine), presence.tasks.create_task)
            presence.closers.append(voice.aclose)
            outlets.add(voice)
        try:
            async with asyncio.timeout(CONNECT_DEADLINE_S):
                await ctx.connect(auto_subscribe=agents.AutoSubscribe.AUDIO_ONLY)
                await room.arrive()
        except Exception as error:
            why = one_line(error) or f"no answer within {CONNECT_DEADLINE_S:.0f} s"
            raise Unavailable(f"room {ctx.job.room.name!r} could not be joined: {why}") from error

    outcome = await job.run(
        restored, outlets, enter, make_track=track_maker(shared.engine, shared.settings.agent.language)
    )
    return ": ".join(outcome)


def prepare(_process: agents.JobProcess) -> None:
    """In a fresh job process, before it has a meeting: what would make the first words late."""
    shared_model()
