"""Reading a file that somebody brought, in a child process; what is wrong with it is a `FileFault`."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, BinaryIO, Final, NamedTuple

import structlog
from pydantic import Field, ValidationError

from context.models import Frozen
from stt.files.rows import MAX_MS
from stt.files.suffixes import is_audio, is_transcript
from stt.segment import BYTES_PER_MS
from worker.recordings.faults import FileFault
from worker.recordings.recording_child import MOST_LINES, PIECE_MS, lines_of, shape_of, sound_of
from worker.recordings.recording_store import Kind
from worker.sandbox.sandbox_faults import Crashed, Declined, TookTooLong, TookTooMuch
from worker.sandbox.sandboxed_call import Bounds, call_sandboxed, stream_sandboxed

log = structlog.get_logger(__name__)

LARGEST_TEXT_MB: Final = 16
"""The size of the largest transcript, in millions of bytes: one of ten hours has some 2."""
LONGEST_SOUND_H: Final = 6
"""The length of the longest recording; of one that did not say how long it is, the rest is not heard."""
MOST_TRACKS: Final = 16
"""Most sound tracks of a file, each a participant with a decoder of their own."""
_MEMORY_BYTES: Final = 1536 * 1024 * 1024
_TEXT: Final = Bounds(deadline_s=60.0, memory_bytes=_MEMORY_BYTES, result_bytes=48 * 1024 * 1024)
_SHAPE: Final = Bounds(deadline_s=60.0, memory_bytes=_MEMORY_BYTES, result_bytes=64 * 1024)
_PIECE_WITHIN_S: Final = 60.0
"""Within this time the decoder yields the next second of sound, on a busy machine."""
_DECODING_PACE: Final = 10
"""Sound is decoded at this many times its pace, or its decoder is ended."""

_CHILD_FAULTS: Final = (Declined, TookTooLong, TookTooMuch, Crashed)
"""What a child process may come to."""
_SAVE_ANEW: Final = "no reader gets through it: save it anew, or as text"
_Ms = Annotated[int, Field(ge=0, le=MAX_MS)]
_Number = Annotated[int, Field(ge=0, le=10 * MOST_LINES)]


class ReadLines(Frozen):
    """A transcript as `lines_of` gives it, checked: a child that was taken over may give anything."""

    began: datetime | None
    """When the meeting began; without a zone it is that of who saved the file."""
    lines: Annotated[
        tuple[tuple[_Number, str, str, str, _Ms, _Ms, bool], ...], Field(min_length=1, max_length=MOST_LINES)
    ]
    """The fields of `stt.files.transcripts.TextLine`."""
    notes: Annotated[tuple[tuple[str, int | None], ...], Field(max_length=MOST_LINES)]
    """What was not read as it stands there, with its line."""


class Shape(NamedTuple):
    """The tracks and the length that a file of sound gives for itself."""

    titles: tuple[str, ...]
    """The titles of its sound tracks, in their order; "" for one without."""
    length_ms: int
    """0: it does not say."""


def kind_of(name: str) -> Kind:
    """Tell what a file of this name is to be read as. Raises `FileFault`."""
    path = PurePosixPath(name)
    if is_transcript(path):
        return "transcript"
    if is_audio(path):
        return "sound"
    raise FileFault(name, "kind", path.suffix or name)


async def read_lines(name: str, data: bytes) -> bytes:
    """Read a transcript, and give what `lines_read` takes. Raises `FileFault`."""
    if not data:
        raise FileFault(name, "empty")
    try:
        return await call_sandboxed(lines_of, name, data, _TEXT)
    except _CHILD_FAULTS as error:
        raise _fault(name, error, sound=False) from error


def lines_read(name: str, read: bytes) -> ReadLines:
    """Check what `read_lines` has read. Raises `FileFault`."""
    try:
        return ReadLines.model_validate_json(read)
    except ValidationError as error:
        log.warning("lines_not_believed", faults=error.error_count())
        raise FileFault(name, "unreadable", _SAVE_ANEW) from None


async def read_shape(name: str, file: BinaryIO) -> Shape:
    """Look at a file of sound: its tracks, and how long it says that it is. Raises `FileFault`."""
    try:
        async with aclosing(stream_sandboxed(shape_of, name, file, _SHAPE)) as pieces:
            read = await anext(pieces, b"")
    except _CHILD_FAULTS as error:
        raise _fault(name, error) from error
    try:
        titles, length_ms = json.loads(read)
        shape = Shape(tuple(map(str, titles)), max(0, int(length_ms)))
    except (ValueError, TypeError, OverflowError):
        raise FileFault(name, "no_sound") from None
    if len(shape.titles) > MOST_TRACKS:
        raise FileFault(name, "tracks", str(len(shape.titles)), most=str(MOST_TRACKS))
    return shape


async def decoded(name: str, stream: int, file: BinaryIO, *, most_ms: int) -> AsyncGenerator[bytes]:
    """Decode one sound track of a file, a second of PCM at a time. Raises `FileFault`.

    Where there is more than `most_ms` of it, that is a fault behind the last piece.
    """
    cpu_s = most_ms / 1000 / _DECODING_PACE + 60
    bounds = Bounds(_PIECE_WITHIN_S, _MEMORY_BYTES, PIECE_MS * BYTES_PER_MS, cpu_s=cpu_s)
    heard_ms = 0
    try:
        async with aclosing(stream_sandboxed(sound_of, f"{stream} {name}", file, bounds)) as pieces:
            async for piece in pieces:
                if heard_ms >= most_ms:
                    raise FileFault(name, "length", f"more than {hours(most_ms)}", most=hours(most_ms))
                heard_ms += PIECE_MS
                yield piece
    except _CHILD_FAULTS as error:
        raise _fault(name, error) from error


def hours(length_ms: int) -> str:
    """Say how long that is: `1.5 h`."""
    return f"{length_ms / 3_600_000:.3g} h"


def _fault(name: str, error: Exception, *, sound: bool = True) -> FileFault:
    """Give the fault of a file for what became of the child that read it."""
    match error:
        case TookTooLong():
            return FileFault(name, "slow", "1 min")
        case TookTooMuch():
            return FileFault(name, "memory")
        case Crashed():
            log.warning("file_reader_crashed", sound=sound, how=str(error))
    if sound:
        return FileFault(name, "no_sound")
    return FileFault(name, "unreadable", str(error) if isinstance(error, Declined) else _SAVE_ANEW)
