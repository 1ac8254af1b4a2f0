"""The parts of a file that waits, put together again, and its sound as tracks of a replay take it."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from itertools import count
from pathlib import Path
from typing import BinaryIO

from stt.segment import BYTES_PER_MS
from worker.recordings.faults import FileFault
from worker.recordings.recording_reading import decoded
from worker.recordings.recording_store import PART_BYTES, RecordingRow, Recordings


async def keep_parts(recordings: Recordings, meeting_id: str, data: BinaryIO) -> None:
    """Keep a file from its beginning on, part by part, and note that it is complete."""
    data.seek(0)
    for number in count():
        part = await asyncio.to_thread(data.read, PART_BYTES)
        if not part:
            break
        await recordings.put(meeting_id, number, part)
    await recordings.complete(meeting_id)


async def give_up_unkept(recordings: Recordings, meeting_id: str) -> None:
    """Give up a file that did not come whole, and with it its meeting."""
    fault = FileFault(meeting_id, "not_kept")
    await recordings.fail(meeting_id, fault.code, fault.value, fault.said)


async def parts_of(recordings: Recordings, meeting_id: str) -> AsyncIterator[bytes]:
    """Give the parts of a file in their order."""
    for number in count():
        part = await recordings.part(meeting_id, number)
        if part is None:
            return
        yield part


def private_file(folder: Path) -> BinaryIO:
    """Open a file without a name, which is gone with this process, however that ends."""
    folder.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryFile(dir=folder)


@asynccontextmanager
async def opened_again(file: BinaryIO) -> AsyncIterator[BinaryIO]:
    """Open a file without a name once more, to be read alone, with a place in it of its own."""
    file.flush()
    try:
        again: BinaryIO = os.fdopen(os.open(f"/proc/self/fd/{file.fileno()}", os.O_RDONLY), "rb")
    except OSError:  # only Linux does that
        again = tempfile.TemporaryFile()  # noqa: SIM115 - the block below closes it
        file.seek(0)
        await asyncio.to_thread(shutil.copyfileobj, file, again)
        again.seek(0)
    with again:
        yield again


class WaitingSound:
    """The sound of one file, `worker.replaying.Sound` by its track's number.

    What of it can be heard is heard: a fault behind that is kept in `fault`. A file of which nothing can be
    heard raises it.
    """

    def __init__(self, row: RecordingRow, file: BinaryIO, *, most_ms: int, step_ms: int) -> None:
        """`file`: all of it. Chunks have `step_ms`; sound behind `most_ms` is not heard."""
        self._row, self._file, self._most_ms = row, file, most_ms
        self._step_bytes = step_ms * BYTES_PER_MS
        self.fault: FileFault | None = None

    async def chunks(self, stream: int) -> AsyncGenerator[bytes]:
        """Give the chunks of a track; the last may be shorter."""
        heard = 0
        try:
            async with (
                opened_again(self._file) as file,
                aclosing(decoded(self._row.name, stream, file, most_ms=self._most_ms)) as pieces,
            ):
                async for piece in pieces:
                    for start in range(0, len(piece), self._step_bytes):
                        yield piece[start : start + self._step_bytes]
                    heard += len(piece)
        except FileFault as fault:
            if not heard:
                raise
            broken = FileFault(self._row.name, "broken", _clock(heard // BYTES_PER_MS))
            self.fault = fault if fault.code == "length" else broken


def _clock(at_ms: int) -> str:
    minutes, seconds = divmod(at_ms // 1000, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
