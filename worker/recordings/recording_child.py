"""What runs in the child processes that read a file: its bytes go in, lines or sound come out.

Sound and text are read by what `moim replay` reads them with (`stt.files`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from worker.sandbox.sandbox_faults import Declined

MOST_LINES: Final = 50_000
"""Most lines of a transcript: a meeting of some forty hours."""
PIECE_MS: Final = 1000
"""So much sound is in a piece that the decoder yields."""


def lines_of(name: str, data: bytes) -> bytes:
    """Read a transcript of this name, and give what is in it as JSON. Raises `Declined`."""
    from stt.files.bad_input import BadInput
    from stt.files.transcripts import read_transcript

    try:
        read = read_transcript(Path(name), data)
    except BadInput as error:
        where = f"line {error.line}: " if error.line is not None else ""
        raise Declined(where + error.problem) from error
    if len(read.lines) > MOST_LINES:
        raise Declined(f"it has {len(read.lines):,} lines, at most {MOST_LINES:,} are read: split it")
    shape = {
        "began": read.began.isoformat() if read.began is not None else None,
        "lines": [
            (line.index, line.speaker, line.name, line.text, line.start_ms, line.end_ms, line.times_derived)
            for line in read.lines
        ],
        "notes": [(note.text, note.line) for note in read.notes],
    }
    return json.dumps(shape).encode()  # ASCII alone: lone surrogates pass


def shape_of(name: str, file: BinaryIO) -> Iterator[bytes]:
    """Give the titles of a file's sound tracks, and how long it says that it is. Raises `Declined`."""
    from stt.files.audio import sound_tracks, told_ms
    from stt.files.bad_input import BadInput

    try:
        shape = (sound_tracks(Path(name), file), told_ms(Path(name), file))
    except BadInput as error:
        raise Declined(error.problem) from error
    yield json.dumps(shape).encode()


def sound_of(argument: str, file: BinaryIO) -> Iterator[bytes]:
    """Decode one sound track to pieces of PCM; `argument`: the track's number, a blank, the file's name.

    Raises `Declined`, also in the middle.
    """
    from stt.files.audio import read_pcm
    from stt.files.bad_input import BadInput

    stream, _, name = argument.partition(" ")
    try:
        yield from read_pcm(Path(name), chunk_ms=PIECE_MS, stream=int(stream), file=file)
    except BadInput as error:
        raise Declined(error.problem) from error
