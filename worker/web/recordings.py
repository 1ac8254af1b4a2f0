"""`/v1/recordings`: a recording or a transcript that becomes a meeting, and how far that is.

Theory of operation. A file is received into one without a name, counted as it comes. A child process looks
at it: of a transcript it gives the lines, of sound the tracks and the length. What is wrong is told at once,
in one line. Then a meeting is wanted with the file, which is kept in Postgres in parts until a worker has
read it.
"""

from __future__ import annotations

import asyncio
import io
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Annotated, Any, BinaryIO, Final

from aiohttp import web
from aiohttp.http import HttpProcessingError
from pydantic import AfterValidator, Field

from context.ports import PortError
from context.primitives.text import one_line
from stt.files.suffixes import SOUND, TRANSCRIPTS
from worker.messages import printable
from worker.recordings.faults import FileFault
from worker.recordings.recording_reading import (
    LARGEST_TEXT_MB,
    LONGEST_SOUND_H,
    hours,
    kind_of,
    lines_read,
    read_lines,
    read_shape,
)
from worker.recordings.recording_store import Kind, RecordingRow
from worker.recordings.stored_recording import give_up_unkept, keep_parts, opened_again, private_file
from worker.web.backends import api_of
from worker.web.bodies import QueryString, read_query
from worker.web.json_answers import RETRY_SOON, ApiError, json_response

MAX_WAITING_FILES: Final = 50
"""So many files of a tenant wait in Postgres at most, until a worker has read them."""
_RECEIVED_AT_ONCE: Final = 8
_READ_AT_ONCE: Final = 2
"""Reading takes a core; one place is left to others, whoever sends files."""
_PIECE_WITHIN_S: Final = 30.0
"""A sender from whom nothing comes for so long is gone."""
_STATUS: Final = {"kind": 415, "size": 413, "length": 413}
"""The status of an answer that says what is wrong with a file; 400 for all else."""


class AddRecording(QueryString):
    """The query string of a recording: the file's name. The body is the file itself."""

    name: Annotated[
        str, Field(min_length=1, max_length=200), AfterValidator(printable), AfterValidator(one_line)
    ] = Field(
        description="the file's name: its ending tells the kind (.wav .mp3 .m4a .vtt .srt .txt .docx …)"
    )


async def add(request: web.Request) -> web.Response:
    """Handle `POST /v1/recordings`: want a meeting that is read from the file in the body."""
    parts, name = api_of(request), _file_name(read_query(request, AddRecording).name)
    recordings, quotas = parts.recordings, parts.quotas
    files, _ = await recordings.waiting()
    if files >= MAX_WAITING_FILES:
        mend = f"{files} files wait to be read, of {MAX_WAITING_FILES} at most: wait for some of them"
        raise ApiError(429, mend, headers=RETRY_SOON)
    try:
        kind = _kind(name, parts.settings.stt.engine)
        with private_file(parts.settings.process.state_dir) as file:
            with quotas.place(request, "uploads of recordings", _RECEIVED_AT_ONCE):
                size = await _received(request, name, kind, file)
            with quotas.place(request, "recordings", _READ_AT_ONCE):
                recording, total = await _looked_at(name, kind, file)
            meeting_id = await recordings.want(
                name, kind, one_line(PurePosixPath(name).stem) or name, size_bytes=size, total=total
            )
            try:
                await keep_parts(recordings, meeting_id, recording)
            except BaseException:
                with suppress(PortError):
                    await give_up_unkept(recordings, meeting_id)
                raise
    except FileFault as fault:
        raise ApiError(
            _STATUS.get(fault.code, 400), str(fault), field=f"file.{fault.code}", value=fault.value or None
        ) from fault
    shape = {"meeting_id": meeting_id, "name": name, "kind": kind, "bytes": size, "total": total}
    return json_response(shape, status=202)


def _kind(name: str, engine: str) -> Kind:
    """What a file is to be read as. Raises `FileFault`, also for sound where nothing recognises any."""
    kind = kind_of(name)
    if kind == "sound" and engine == "none":
        raise FileFault(name, "engine", engine)
    return kind


def _file_name(path: str) -> str:
    """The file's name without the folders in front of it, whichever way they are written."""
    return PurePosixPath(path.replace("\\", "/")).name or path


async def _received(request: web.Request, name: str, kind: Kind, file: BinaryIO) -> int:
    """Take the file that is sent, counted in the sender's quota: as it is told before, and unpacked."""
    parts = api_of(request)
    most = 1_000_000 * (LARGEST_TEXT_MB if kind == "transcript" else parts.settings.recordings.largest_mb)
    announced = request.content_length or 0
    if announced > most:
        raise _too_large(name, announced, most)
    await parts.quotas.spend_upload(request, announced, "recordings")
    size = 0
    while piece := await _next_piece(request):
        size += len(piece)
        if size > most:
            raise _too_large(name, size, most)
        await asyncio.to_thread(file.write, piece)
    if size > announced:
        await parts.quotas.spend_upload(request, size - announced, "recordings")
    if not size:
        raise FileFault(name, "empty")
    return size


async def _next_piece(request: web.Request) -> bytes:
    try:
        async with asyncio.timeout(_PIECE_WITHIN_S):
            return await request.content.readany()
    except TimeoutError:
        raise ApiError(
            408, f"nothing came for {_PIECE_WITHIN_S:.0f} s: send it again", field="body"
        ) from None
    except (web.RequestPayloadError, HttpProcessingError):
        mend = "it cannot be read: send it as its Content-Encoding and Transfer-Encoding say"
        raise ApiError(400, mend, field="body") from None
    except ConnectionError:  # nobody reads this answer; the count of requests has it
        raise ApiError(400, "the connection ended before the body did", field="body") from None


def _too_large(name: str, size: int, most: int) -> FileFault:
    return FileFault(name, "size", f"{size / 1e6:.1f} MB", most=f"{most / 1e6:.0f} MB")


async def _looked_at(name: str, kind: Kind, file: BinaryIO) -> tuple[BinaryIO, int]:
    """Give what is to be kept of a file, and how much that is: lines, or ms of sound. Raises `FileFault`."""
    if kind == "transcript":
        file.seek(0)
        read = await read_lines(name, await asyncio.to_thread(file.read))
        return io.BytesIO(read), len((await asyncio.to_thread(lines_read, name, read)).lines)
    async with opened_again(file) as again:
        shape = await read_shape(name, again)
    if shape.length_ms > (most_ms := LONGEST_SOUND_H * 3_600_000):
        raise FileFault(name, "length", hours(shape.length_ms), most=hours(most_ms))
    return file, shape.length_ms


async def list_some(request: web.Request) -> web.Response:
    """Handle `GET /v1/recordings`: the files that wait, are read or have failed, and what they may be.

    Who knows the kinds and bounds need not send what would be refused.
    """
    parts = api_of(request)
    shape = {
        "recordings": [_row_fields(row) for row in await parts.recordings.list_all()],
        "sound": SOUND,
        "transcripts": TRANSCRIPTS,
        "engine": parts.settings.stt.engine,
        "largest_mb": parts.settings.recordings.largest_mb,
        "largest_transcript_mb": LARGEST_TEXT_MB,
        "longest_hours": LONGEST_SOUND_H,
    }
    return json_response(shape)


def _row_fields(row: RecordingRow) -> dict[str, Any]:
    return row.model_dump(mode="json", exclude={"tries"})
