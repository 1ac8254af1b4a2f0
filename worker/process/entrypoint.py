"""What livekit-agents runs in a job process: one job, for one meeting in one room.

A job takes the lease before it enters the room: one that does not get it leaves without anybody having seen
it. A job that is sent to stand by is in the room first and contends for the lease (`worker.holder.takeover`).
This module is imported once per worker, in the fork server that all job processes come from.
"""

from __future__ import annotations

import os
import socket

import structlog
from livekit import agents

from context.ports import PortError, Refused
from stt.vad import shared_model
from worker.bootstrap.parts import Parts, parts
from worker.errors import one_line
from worker.holder.takeover import Seat, hold, stand_by
from worker.job_metadata import JobMetadata
from worker.monitoring import jobs, telemetry
from worker.ports import Holder, MeetingRow
from worker.process import job_image

log = structlog.get_logger(__name__)


async def entrypoint(ctx: agents.JobContext) -> None:
    """Hold the meeting that this dispatch is for, if nobody else does, or stand by for it.

    Returns when that is over, and has the job shut down; a failure of database or LiveKit is logged.
    """
    settings = job_image.settings()
    telemetry.configure(settings)
    metadata = JobMetadata.decode(ctx.job.metadata)
    reason = "failed"
    log.info("job_started", meeting_id=metadata.meeting_id, job=os.getpid(), standby=metadata.standby)
    try:
        async with parts(settings, traced=True) as shared:
            row = await _meeting(shared, metadata, ctx.job.room.name)
            directory = jobs.directory(settings)
            me = Holder(host=socket.gethostname(), worker_pid=jobs.worker_pid(directory), job_pid=os.getpid())
            with telemetry.meeting_logs(row.id, job=me.job_pid):
                seat = Seat(ctx, shared, row, me, shared.outlets(row.id))
                reason = await (stand_by(seat, relief=metadata.relief) if metadata.standby else hold(seat))
                log.info("job_done", reason=reason)
    except PortError as error:
        # The meeting stays wanted: the dispatcher asks for a job again, a little later each time.
        reason = one_line(error)
        log.warning("meeting_not_held", error=reason)
    finally:
        # Without this word the process would sit in the room as long as it stands.
        ctx.shutdown(reason)


async def _meeting(shared: Parts, metadata: JobMetadata, room: str) -> MeetingRow:
    tenant = shared.settings.process.tenant
    if not metadata.is_of(tenant):  # it may have a meeting of ours with the same id
        raise Refused(f"dispatched for the tenant {metadata.tenant!r}, not for {tenant!r}")
    row = await shared.tables.registry.get(metadata.meeting_id) if metadata.meeting_id is not None else None
    return row if row is not None else await shared.tables.registry.want(room)


def prepare(_process: agents.JobProcess) -> None:
    """Load, in a fresh job process, what would make its meeting's first words late: the voice detector."""
    shared_model()
