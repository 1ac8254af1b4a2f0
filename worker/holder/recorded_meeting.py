"""Holding a meeting that comes from files: under a lease like any other, by the clock of what was heard."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from context.fold.meeting import Meeting
from stt.segment import SpeechEngine
from worker.bootstrap.parts import Parts
from worker.bootstrap.speech_engines import local_engine, speech_engine
from worker.configuration.settings import Settings
from worker.errors import InputError, warn
from worker.holder.lease_keeper import LEASE_S
from worker.holder.meeting_job import Indexing, MeetingJob
from worker.holder.presence import Presence
from worker.monitoring import jobs
from worker.outlets import SilentOutlet
from worker.ports import Holder, MeetingRow
from worker.record.restoring import read_meeting
from worker.replaying import PacedClock, Recording, ReplayClock

Play = Callable[[Presence, ReplayClock | None], Awaitable[None]]
"""Plays a recording into a meeting, and ends or leaves it; moves the clock on (None: at the real pace)."""


@asynccontextmanager
async def engine_for(recording: Recording, settings: Settings) -> AsyncIterator[SpeechEngine | None]:
    """The configured speech engine for the length of the block; None if the recording is text.

    Raises `InputError` for a recording of sound where `STT_ENGINE=none`.
    """
    if not recording.tracks:
        yield None
        return
    if settings.stt.engine == "none":
        raise InputError("STT_ENGINE=none transcribes nothing: set it to one that does, such as whisper")
    async with local_engine(settings), speech_engine(settings) as engine:
        yield engine


async def hold_recorded(
    shared: Parts,
    row: MeetingRow,
    recording: Recording,
    play: Play,
    *,
    engine: SpeechEngine | None,
    indexing: Indexing,
    realtime: bool = False,
) -> Meeting | None:
    """Hold the meeting while `play` plays the recording; the meeting as it then is, None where it was over.

    Raises `InputError` where somebody else holds it.
    """
    began = await _began(shared, row, recording)
    moving = None if realtime else ReplayClock(began)
    pid = os.getpid()
    holder = Holder(host=socket.gethostname(), worker_pid=pid, job_pid=pid)
    epoch = await shared.tables.leases.acquire(row.id, holder, LEASE_S)
    if epoch is None:
        raise InputError(f"meeting {row.id!r} is being held by another worker")
    shared.clock, shared.bus = moving or PacedClock(began), None
    # Nobody in a file can be asked whether they agree to be heard: whoever brings it answers for that, and
    # what people said in earlier meetings does not count.
    consent = shared.settings.consent.model_copy(update={"mode": "off", "lasts": "meeting"})
    shared.settings = shared.settings.model_copy(update={"consent": consent})
    job = MeetingJob(shared, row, epoch, run_dir=jobs.directory(shared.settings), pid=pid)
    held: list[Meeting] = []

    async def enter(presence: Presence) -> None:
        held.append(presence.session.manager.meeting)
        presence.covered_from_ms = 0  # a file is there from its beginning: nothing was missed meanwhile
        await asyncio.sleep(0)
        await play(presence, moving)

    await job.run(SilentOutlet(), enter, engine=engine, language=recording.language, indexing=indexing)
    return held[0] if held else None


async def _began(shared: Parts, row: MeetingRow, recording: Recording) -> datetime | None:
    """When the meeting began: as the record has it where an earlier replay began it, else as it was told."""
    before = await read_meeting(shared.store, row.id, shared.settings) if row.epoch else None
    if before is None or before.started_at is None:
        return recording.began
    if recording.began is not None and recording.began != before.started_at:
        warn(f"meeting {row.id!r} is on record since an earlier replay, and keeps the date that it has there")
    return before.started_at
