"""The protocol on an engine's socket. Pure: bytes in, frames out.

A frame is a 4-byte big-endian length, that many bytes of JSON (an object with `kind` and, where
it belongs to a request, `id`), then `body` bytes of PCM where the object says so. Requests of one
connection are told apart by `id` and answered in any order.

    client -> engine   transcribe {id, language, expected, terms, body}
                       read {id, language, expected, body}   cancel {id}   stats {id}
    engine -> client   hello {version, model}   result {id, segments} or, of `read`, {id, words, language}
                       busy {id, reason}   failed {id, reason}   stats {id, stats}

`expected` are the languages that are expected where `language` is `auto`, `terms` those of the stretch.
`read` asks for a quick reading of sound that still grows.

A machine's workers share its engine, and during an update they are of two versions. So a protocol that
changes gets a higher `VERSION`, which the socket's name has as well: each version has an engine of its own.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from stt.agreement import Reading, TimedWord
from stt.segment import SAMPLE_RATE_HZ, Segment

VERSION: Final = 2
MAX_HEADER_BYTES: Final = 256 * 1024
MAX_BODY_BYTES: Final = SAMPLE_RATE_HZ * 2 * 300
"""Five minutes of sound: ten times what a track's gate ever sends in one stretch."""

_LENGTH = struct.Struct(">I")


class ProtocolError(Exception):
    """The other side does not speak this protocol; the connection has to be closed."""


@dataclass(frozen=True, slots=True)
class EngineFrame:
    """One message: a JSON object and the bytes that follow it."""

    header: dict[str, Any]
    body: bytes = b""
    """The bytes that follow it: PCM in `transcribe`; empty in most kinds."""

    @property
    def kind(self) -> str:
        """The kind of message, as the module lists them; empty where the header names none."""
        return str(self.header.get("kind", ""))

    @property
    def id(self) -> str:
        """The request that the message belongs to; empty where it belongs to none."""
        return str(self.header.get("id", ""))


@dataclass(frozen=True, slots=True)
class EngineStats:
    """How much an engine has to do and has done."""

    queued: int
    """Requests that wait for a worker thread."""
    running: int
    """Requests that are being worked on."""
    done: int
    """Requests for finals answered with a result since the start."""
    refused: int
    """Requests answered `busy` since the start."""


def encode(kind: str, *, body: bytes | Sequence[bytes] = b"", **fields: Any) -> bytes:
    """Write one frame as bytes. `fields` go into the header; the body may come in several pieces."""
    pieces = (body,) if isinstance(body, bytes) else body
    header: dict[str, Any] = {"kind": kind, **fields}
    if length := sum(map(len, pieces)):
        header["body"] = length
    raw = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return b"".join((_LENGTH.pack(len(raw)), raw, *pieces))


def encode_reading(reading: Reading) -> dict[str, Any]:
    """Write a reading as the fields of a `result`."""
    return {"words": [[word.text, word.end_ms] for word in reading.words], "language": reading.language}


def decode_reading(header: Mapping[str, Any]) -> Reading:
    """Make a reading of a `result`'s fields. Raises `ProtocolError` where they are none."""
    try:
        words = tuple(
            TimedWord(str(text), None if end_ms is None else int(end_ms)) for text, end_ms in header["words"]
        )
        return Reading(words, header.get("language"))
    except (LookupError, TypeError, ValueError) as error:
        raise ProtocolError(f"not a reading: {error}") from error


def encode_segments(segments: Sequence[Segment]) -> dict[str, Any]:
    """Write finals as the fields of a `result`."""
    return {"segments": [asdict(segment) for segment in segments]}


def decode_segments(header: Mapping[str, Any]) -> list[Segment]:
    """Make finals of a `result`'s fields. Raises `ProtocolError` where they are none."""
    try:
        return [_segment(**item) for item in header["segments"]]
    except (LookupError, TypeError, ValueError) as error:
        raise ProtocolError(f"not a list of segments: {error}") from error


def _segment(*, doubtful: Any, sounded: Any, **fields: Any) -> Segment:
    spans = tuple((int(start), int(end)) for start, end in doubtful)
    shares = None if sounded is None else {str(code): float(sounded[code]) for code in sounded}
    return Segment(**fields, doubtful=spans, sounded=shares)


class FrameDecoder:
    """Cuts a stream of bytes into frames, in whatever pieces it arrives."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._header: dict[str, Any] | None = None

    def feed(self, data: bytes) -> Iterator[EngineFrame]:
        """Take the next bytes and yield the frames that they complete. Raises `ProtocolError`."""
        self._buffer += data
        while self._header is not None or self._read_header():
            assert self._header is not None
            length = self._header.get("body", 0)
            if len(self._buffer) < length:
                return
            frame = EngineFrame(self._header, bytes(self._buffer[:length]))
            del self._buffer[:length]
            self._header = None
            yield frame

    def _read_header(self) -> bool:
        if len(self._buffer) < _LENGTH.size:
            return False
        (length,) = _LENGTH.unpack_from(self._buffer)
        if length > MAX_HEADER_BYTES:
            raise ProtocolError(f"a header of {length} bytes")
        if len(self._buffer) < _LENGTH.size + length:
            return False
        try:
            header = json.loads(self._buffer[_LENGTH.size : _LENGTH.size + length])
        except ValueError as error:
            raise ProtocolError("a header that is not JSON") from error
        body_bytes = header.get("body", 0) if isinstance(header, dict) else None
        if not isinstance(body_bytes, int) or not 0 <= body_bytes <= MAX_BODY_BYTES:
            raise ProtocolError("a header without sense, or a body too large")
        del self._buffer[: _LENGTH.size + length]
        self._header = header
        return True
