"""Ends a meeting from its record, where its room is gone and no job is left to do it.

What its last job heard while the record was away comes first (`holder.orphaned_spools` has left it in the
database). What it had heard and not written is told to wait: its machine cuts that sound once the meeting is
over (`worker.holder.orphaned_sound_logs`), and what is not found becomes a gap.
"""

from __future__ import annotations

import os
import socket

import structlog

from worker.bootstrap.parts import Parts
from worker.holder.late_words import LateWords
from worker.holder.lease_keeper import LEASE_S
from worker.holder.meeting_job import MeetingJob
from worker.holder.presence import Presence
from worker.monitoring import jobs
from worker.outlets import SilentOutlet
from worker.ports import Holder

log = structlog.get_logger(__name__)


async def close_from_record(shared: Parts, meeting_id: str) -> None:
    """Take the meeting's lease, restore it, and write late words, the closing summary and the end.

    Nothing happens where the meeting is unknown or held. Raises `PortError`: then it has not ended.
    """
    row = await shared.tables.registry.get(meeting_id)
    if row is None:
        return
    pid = os.getpid()
    holder = Holder(host=socket.gethostname(), worker_pid=pid, job_pid=pid)
    epoch = await shared.tables.leases.acquire(meeting_id, holder, LEASE_S)
    if epoch is None:
        return
    job = MeetingJob(shared, row, epoch, run_dir=jobs.directory(shared.settings), pid=pid)

    async def enter(presence: Presence) -> None:
        for event in presence.overlap.waits():
            presence.session.fold_now(event)
        await LateWords(shared.tables.late, presence.session, shared.metrics).take_all()
        await presence.session.close_topics()
        await presence.session.end("room_gone")

    await job.run(SilentOutlet(), enter)
    log.info("meeting_closed_from_record", meeting_id=meeting_id)
