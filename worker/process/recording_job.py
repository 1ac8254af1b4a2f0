"""Reads one file that waits, as `moim replay --record` does; a worker runs it in a process of its own.

Whatever ends this process, its lease runs out within five seconds and its claim of the file within twenty,
or within a minute while it has not told anything. Who claims the file next restores the meeting from its
record and plays the file from its beginning: lines that are on record are passed over by their keys, and
sound that is text already is not heard again.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import structlog

from context.events import events
from context.models import InputNote
from context.ports import PortError
from context.primitives.text import one_line
from stt.files.transcripts import TextLine
from worker.bootstrap.database import database
from worker.bootstrap.embedders import embedding_engine
from worker.bootstrap.parts import parts
from worker.configuration.settings import Settings
from worker.errors import DONE, UNREACHABLE, InputError
from worker.holder.presence import Presence
from worker.holder.recorded_meeting import engine_for, hold_recorded
from worker.meeting.session import Session
from worker.monitoring import telemetry
from worker.passages.indexing import MeetingIndexer
from worker.recordings.faults import FileFault
from worker.recordings.recording_reading import LONGEST_SOUND_H, lines_read, read_shape
from worker.recordings.recording_store import CLAIMED_S, RecordingRow, Recordings
from worker.recordings.stored_recording import WaitingSound, opened_again, parts_of, private_file
from worker.replaying import STEP_MS, Recording, Replay, ReplayClock, moment_in, own_participants, tracks_of

log = structlog.get_logger(__name__)

_TELL_EVERY_S: Final = 1.0
_INDEXING_S: Final = 120.0


async def read_waiting(settings: Settings, meeting_id: str) -> int:
    """Read the file that this meeting waits for, until it is on record; the exit code.

    `UNREACHABLE`: it is not done, through no fault of the file; somebody else goes on.
    """
    with telemetry.meeting_logs(meeting_id):
        async with database(settings, max_size=2) as tables:
            recordings: Recordings = tables.recordings
            row = await recordings.get(meeting_id)
            if row is None or row.state == "failed":
                return DONE
            try:
                async with AsyncExitStack() as stack:
                    job = _Job(settings, recordings, row)
                    done = await job.run(stack)
            except FileFault as fault:
                log.warning("file_given_up", fault=fault.code)
                await recordings.fail(meeting_id, fault.code, fault.value, fault.said)
                return DONE
            except (PortError, InputError) as error:
                log.warning("file_waits", error=str(error))
                return UNREACHABLE
    return DONE if done else UNREACHABLE


class _Job:
    """One file, from its parts to the end of its meeting."""

    def __init__(self, settings: Settings, recordings: Recordings, row: RecordingRow) -> None:
        self._settings, self._recordings, self._row = settings, recordings, row
        self._sound: WaitingSound | None = None
        self._session: Session | None = None
        self._telling: asyncio.Future[None]

    async def run(self, stack: AsyncExitStack) -> bool:
        """Read the file; whether its meeting has ended."""
        self._telling = asyncio.ensure_future(self._tell())
        try:
            return await self._read_file(stack)
        finally:
            self._telling.cancel()
            await asyncio.wait({self._telling})

    async def _read_file(self, stack: AsyncExitStack) -> bool:
        settings, row = self._settings, self._row
        recording = await (self._lines() if row.kind == "transcript" else self._tracks(stack))
        engine = await stack.enter_async_context(engine_for(recording, settings))
        await stack.enter_async_context(embedding_engine(settings))
        shared = await stack.enter_async_context(parts(settings))
        wanted = await shared.tables.registry.get(row.meeting_id)
        if wanted is None or wanted.status in {"ended", "failed"}:
            return True

        async def play(presence: Presence, moving: ReplayClock | None) -> None:
            await self._play(recording, presence, moving)

        meeting = await hold_recorded(shared, wanted, recording, play, engine=engine, indexing=_index)
        return meeting is None or meeting.ended is not None

    async def _lines(self) -> Recording:
        row = self._row
        read = lines_read(
            row.name, b"".join([part async for part in parts_of(self._recordings, row.meeting_id)])
        )
        return Recording(
            row.meeting_id,
            None,
            lines=tuple(TextLine(*line) for line in read.lines),
            notes=tuple(InputNote(text=one_line(text), line=line) for text, line in read.notes),
            began=moment_in(read.began, ZoneInfo(self._settings.agent.time_zone)),
        )

    async def _tracks(self, stack: AsyncExitStack) -> Recording:
        row = self._row
        file = stack.enter_context(private_file(self._settings.process.state_dir))
        async for part in parts_of(self._recordings, row.meeting_id):
            await asyncio.to_thread(file.write, part)
        async with opened_again(file) as again:
            shape = await read_shape(row.name, again)
        self._sound = WaitingSound(row, file, most_ms=LONGEST_SOUND_H * 3_600_000, step_ms=STEP_MS)
        tracks = tracks_of(Path(row.name), shape.titles)
        notes = [InputNote(text=own_participants(len(tracks)))] if len(tracks) > 1 else []
        return Recording(row.meeting_id, None, tracks=tuple(tracks), notes=tuple(notes))

    async def _play(self, recording: Recording, presence: Presence, moving: ReplayClock | None) -> None:
        """Play it, and end the meeting; also where somebody asks for its end, or has the file deleted."""
        self._session = session = presence.session
        sound = self._sound
        replay = Replay(session, presence.attendant, moving)
        if sound is not None:
            replay = Replay(
                session, presence.attendant, moving, sound=lambda track: sound.chunks(track.stream)
            )
        resume_ms = presence.overlap.on_record(session.clock.monotonic_s()).resume_ms
        playing = asyncio.ensure_future(replay.play(recording, resume_ms=resume_ms))
        try:
            await asyncio.wait({playing, self._telling}, return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():
                log.info("file_is_gone")
            else:
                playing.result()
                await self._close(presence)
        finally:
            playing.cancel()
            await asyncio.wait({playing})
        if session.stopped is None:
            await session.end("replayed")

    async def _close(self, presence: Presence) -> None:
        """Say what could not be heard, and have the last topic summarised."""
        session, sound = presence.session, self._sound
        if sound is not None and sound.fault is not None:
            session.post(events.InputNoted(note=InputNote(text=sound.fault.said)))
        await session.close_topics()

    async def _tell(self) -> None:
        """Tell each second how far it is, which keeps the claim; return when nothing is left to read.

        It begins before anything is loaded: a large file and a model take longer than a claim lasts.
        """
        while self._session is None or self._session.stopped is None:
            try:
                if not await self._recordings.tell(self._row.meeting_id, self._progress(), CLAIMED_S):
                    return
            except PortError as error:  # the meeting goes on into its spool
                log.info("progress_not_told", error=str(error))
            await asyncio.sleep(_TELL_EVERY_S)

    def _progress(self) -> int:
        """How far the reading has come: ms of sound, or lines."""
        if self._session is None:
            return 0
        sound = self._row.kind == "sound"
        return self._session.now_ms() if sound else len(self._session.manager.meeting.utterances)


async def _index(indexer: MeetingIndexer) -> None:
    """Complete the passages of the meeting; what is left is done later, by dispatcher and worker."""
    await indexer.finish(_INDEXING_S)
