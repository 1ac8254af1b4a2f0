"""Reads sound files as 16 kHz mono PCM, piece by piece: wav, flac, mp3, ogg, m4a and what else FFmpeg reads.

A file may hold several sound tracks, as programs that record a meeting write one for each participant. They
have one clock: one that begins later than the others begins with silence.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import av
import av.error

from stt.files.bad_input import BadInput
from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ

log = logging.getLogger(__name__)

_GIVE: Final = "give a wav, flac, mp3, ogg or m4a file"
_MAX_PACKET_MS: Final = 1000.0
_FROM_STRANGERS: Final = {
    "format_whitelist": "wav,w64,flac,mp3,ogg,aac,asf,aiff,amr,mov,mp4,m4a,3gp,matroska,webm",
    "protocol_whitelist": "none",
}
"""Options for an open file: no playlist or the like, which name other files, and nothing else is opened."""


def sound_tracks(path: Path, file: BinaryIO | None = None) -> list[str]:
    """The titles of the sound tracks of a file, in their order; "" for one without. Raises `BadInput`.

    `file`: it is open already, may come from a stranger, and `path` is only its name; so everywhere here.
    """
    with _opened(path, file=file) as container:
        metadata = [stream.metadata for stream in container.streams.audio]
        return [tags.get("title") or tags.get("name", "") for tags in metadata]  # `name` in a .mov


def told_ms(path: Path, file: BinaryIO | None = None) -> int:
    """How long a file says that it is; 0 where it does not, and it may be wrong. Raises `BadInput`."""
    with _opened(path, file=file) as container:
        return int((container.duration or 0) * 1000 // av.time_base)


def read_pcm(
    path: Path, *, chunk_ms: int = 50, stream: int = 0, file: BinaryIO | None = None
) -> Iterator[bytes]:
    """Decode a sound file to chunks of PCM of `chunk_ms` (the last may be shorter), as they are asked for.

    `stream`: which of its sound tracks, from 0. Memory does not grow with the length of the file. Raises
    `BadInput` at the first chunk where the file is no sound, or later where the rest can't be read; a broken
    packet in the middle becomes silence.
    """
    chunk_bytes = chunk_ms * BYTES_PER_MS
    pending = bytearray()
    for pcm in _decoded(path, stream, file):
        pending += pcm
        while len(pending) >= chunk_bytes:
            yield bytes(pending[:chunk_bytes])
            del pending[:chunk_bytes]
    if pending:
        yield bytes(pending)


def duration_ms(path: Path) -> int:
    """Measure how long the sound of a file is by decoding all of it. Raises `BadInput`."""
    return sum(len(pcm) for pcm in _decoded(path)) // BYTES_PER_MS


@contextmanager
def _opened(
    path: Path, heard: Callable[[], bool] = lambda: False, *, file: BinaryIO | None = None
) -> Iterator[Any]:
    """The file as FFmpeg's container with sound in it. What goes wrong in the block raises `BadInput`.

    `heard`: whether some of it has been decoded, so that it breaks only later.
    """
    try:
        if file is not None:
            file.seek(0)
        opened = av.open(str(path)) if file is None else av.open(file, options=_FROM_STRANGERS)
        with opened as container:
            if not container.streams.audio:
                raise BadInput(path, f"no sound in it; {_GIVE}")
            yield container
    except av.error.FFmpegError as error:
        raise BadInput(path, _reason(path, error, heard=heard(), named=file is None)) from error
    except OSError as error:
        raise BadInput(path, f"can't be read ({error.strerror}); check the path and its rights") from error


def _decoded(path: Path, stream: int = 0, file: BinaryIO | None = None) -> Iterator[bytes]:
    heard = False
    with _opened(path, lambda: heard, file=file) as container:
        for pcm in _packets(container, stream):
            heard = heard or bool(pcm)
            yield pcm
    if not heard:
        empty = file is None and path.stat().st_size == 0
        raise BadInput(path, f"{'the file is empty' if empty else 'no sound in it (0 s)'}; record it again")


def _packets(container: Any, number: int) -> Iterator[bytes]:
    """Yield the PCM packet by packet. A broken one becomes silence of its length: the clock stays right."""
    stream = container.streams.audio[number]
    yield bytes(_later_ms(stream, container.streams.audio) * BYTES_PER_MS)
    resampler = av.AudioResampler(format="s16", layout="mono", rate=SAMPLE_RATE_HZ)
    good = broken = 0
    for packet in container.demux(stream):
        try:
            frames = packet.decode()
        except av.error.InvalidDataError:
            broken += 1
            if not good or broken > good:
                raise
            lost_ms = float(packet.duration * packet.time_base * 1000) if packet.duration else 0.0
            yield bytes(int(min(lost_ms, _MAX_PACKET_MS)) * BYTES_PER_MS)
            continue
        good += 1
        for frame in frames:
            yield from map(_pcm, resampler.resample(frame))
    if good:
        yield from map(_pcm, resampler.resample(None))
    if broken:
        log.warning("audio_packets_broken", extra={"broken": broken, "good": good})


def _later_ms(stream: Any, streams: Sequence[Any]) -> int:
    """How much later a sound track begins than the first one of its file does."""
    begins_ms = [float((one.start_time or 0) * one.time_base * 1000) for one in (stream, *streams)]
    return round(begins_ms[0] - min(begins_ms))


def _pcm(frame: Any) -> bytes:
    return bytes(frame.planes[0])[: frame.samples * 2]


def _reason(path: Path, error: av.error.FFmpegError, *, heard: bool, named: bool) -> str:
    if named and not path.exists():
        return "no such file; check the path"
    if named and path.is_dir():
        return "is a folder, not a sound file"
    if named and path.stat().st_size == 0:
        return "the file is empty; record it again"
    if isinstance(error, PermissionError):
        return "can't be read (permission denied); check its rights"
    if heard:
        return (
            f"broken in the middle ({error.strerror}); what comes after that can't be read, record it again"
        )
    return f"no sound that can be decoded ({error.strerror}); {_GIVE}"
