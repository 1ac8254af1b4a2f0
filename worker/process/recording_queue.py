"""Has files that wait read, one by one, each in a process of its own (`worker.process.recording_job`)."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from signal import SIGKILL
from typing import Final

import structlog

from context.ports import PortError
from worker.bootstrap.database import database
from worker.configuration.settings import Settings, child_environment
from worker.errors import DONE, UNREACHABLE
from worker.parent_death import death_signal_prefix
from worker.process.fork_server_lifetime import PARENT
from worker.recordings.faults import FileFault
from worker.recordings.recording_store import STARTED_WITHIN_S, Kind, RecordingRow, Recordings

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 2.0
MOST_TRIES: Final = 3
"""A file whose process has died so often without getting any further is given up."""
_AGAIN_AFTER_S: Final = 6.0
"""A file that its process has left is read again after this: its lease is over by then."""
_LET_GO_WITHIN_S: Final = 2.0


class RecordingReaders:
    """Claims files for one worker process, and has them read."""

    def __init__(
        self,
        recordings: Recordings,
        kinds: tuple[Kind, ...],
        gives_way: Callable[[], bool] = lambda: False,
    ) -> None:
        """`kinds`: what this worker can read. `gives_way`: whether its meetings need the machine just now."""
        self._recordings, self._kinds, self._gives_way = recordings, kinds, gives_way

    async def run(self) -> None:
        """Look every two seconds, until cancelled; what is read then is left to another worker."""
        while True:
            try:
                row = (
                    None if self._gives_way() else await self._recordings.claim(self._kinds, STARTED_WITHIN_S)
                )
                if row is not None:
                    await self._read_recording(row)
                    continue
            except PortError as error:
                log.info("files_wait", error=str(error))
            except Exception:
                log.exception("file_reading_failed")
            await asyncio.sleep(LOOK_EVERY_S)

    async def _read_recording(self, row: RecordingRow) -> None:
        if row.tries > MOST_TRIES:
            fault = FileFault(row.name, "given_up", str(MOST_TRIES))
            log.error("file_given_up", meeting_id=row.meeting_id, fault=fault.code)
            await self._recordings.fail(row.meeting_id, fault.code, fault.value, fault.said)
            return
        process = await _started(row.meeting_id)
        log.info("file_is_read", meeting_id=row.meeting_id, kind=row.kind, bytes=row.bytes, pid=process.pid)
        try:
            code = await process.wait()
        except asyncio.CancelledError:
            await self._leave(process, row)
            raise
        if code == UNREACHABLE:  # no fault of the file: anything else counts as a try
            await self._recordings.let_go(row.meeting_id, _AGAIN_AFTER_S)
        write = log.info if code == DONE else log.warning
        write("file_reading_ended", meeting_id=row.meeting_id, code=code)

    async def _leave(self, process: Process, row: RecordingRow) -> None:
        """End the process at once, and leave its file to another worker."""
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        with suppress(PortError, TimeoutError):
            async with asyncio.timeout(_LET_GO_WITHIN_S):
                await self._recordings.let_go(row.meeting_id, _AGAIN_AFTER_S)


async def _started(meeting_id: str) -> Process:
    command = (sys.executable, "-m", "worker", "replay", "--waiting", meeting_id)
    environment = child_environment({})
    environment.pop(PARENT, None)  # a word to the fork server alone: a command would warn of it
    return await asyncio.create_subprocess_exec(
        *death_signal_prefix(SIGKILL), *command, stdin=DEVNULL, stdout=DEVNULL, env=environment
    )


@asynccontextmanager
async def recording_readers(
    settings: Settings, gives_way: Callable[[], bool] = lambda: False, *, text_only: bool = False
) -> AsyncIterator[RecordingReaders]:
    """Give the readers of a worker for the block: of transcripts alone if `text_only`, or without engine."""
    deaf = text_only or settings.stt.engine == "none"
    async with database(settings, max_size=1) as tables:
        yield RecordingReaders(
            tables.recordings, ("transcript",) if deaf else ("transcript", "sound"), gives_way
        )
