"""The server of the speech engine: one recogniser, whose readings give way to finals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from stt.agreement import Reading
from stt.engine.engine_server import Connection, ModelServer
from stt.engine.fair_queue import EngineRequest
from stt.engine.protocol import EngineFrame, ProtocolError, encode_reading, encode_segments
from stt.segment import Segment
from stt.spoken_language import FIRST_SHARES, Shares

_FINAL: Final = "final"
_READING: Final = "reading"


class Recogniser(Protocol):
    """Port of blocking speech recognition, safe to call from several threads."""

    name: str

    def recognise(
        self, pcm: bytes, language: str, expected: Shares = FIRST_SHARES, terms: Sequence[str] = ()
    ) -> list[Segment]:
        """Recognise a stretch (`ko`, `en`, `auto`); no segments: nothing was said. Raises `SpeechError`.

        `expected`: which languages, before it is heard; for `auto`. `terms`: see `Stretch.terms`.
        """

    def read(
        self, pcm: bytes, language: str, goes_on: Callable[[], bool], expected: Shares = FIRST_SHARES
    ) -> Reading:
        """Read the sound of a stretch that grows, with little effort.

        Between its steps it asks whether it `goes_on`; if not, it raises `EngineBusy`.
        """


class EngineServer(ModelServer):
    """Serves one recogniser of speech; a request is a stretch of sound, its answer the segments.

    Readings give way to finals. One is taken only if it can begin at once, and readings take half of the
    workers at most: where there are two, one is left for the next final. A reading is given up at its next
    step when a final finds no free worker, or when its client takes it back.
    """

    def __init__(
        self, recogniser: Recogniser, socket_path: Path, *, workers: int = 2, **options: Any
    ) -> None:
        """`workers`, `options`: see `ModelServer`."""
        super().__init__(recogniser.name, socket_path, workers=workers, kinds=(_FINAL, _READING), **options)
        self._recogniser = recogniser
        self._workers, self._most_readings = workers, max(1, workers // 2)

    def enqueue(self, connection: Connection, frame: EngineFrame) -> None:
        """See `ModelServer.enqueue`; requests are `transcribe` and `read` frames, whose body is PCM."""
        language = str(frame.header.get("language", "auto"))
        expected = frame.header.get("expected", FIRST_SHARES)
        if not isinstance(expected, dict):
            raise ProtocolError("expected languages that are no shares")
        terms, reads = _terms(frame.header.get("terms")), frame.kind == "read"
        request = EngineRequest(connection, frame.id, language, frame.body, expected, terms, gives_way=reads)
        if frame.kind == "transcribe":
            self._put(request, _FINAL)
        elif frame.kind != "read":
            raise ProtocolError(f"unknown kind {frame.kind[:40]!r}")
        elif self._is_busy():
            connection.send("busy", id=frame.id, reason="readings give way to finals")
        else:
            self._put(request, _READING)

    def _is_busy(self) -> bool:
        """Tell whether a reading would have to wait, or a final for it."""
        waiting = len(self._queues[_READING])  # a free worker is about to take it
        readings = waiting + sum(request.gives_way for request in self._under_way)
        return (
            len(self._queues[_FINAL]) > 0
            or len(self._under_way) + waiting >= self._workers
            or readings >= self._most_readings
        )

    def carry_out(self, request: EngineRequest[Connection]) -> dict[str, Any]:
        """See `ModelServer.carry_out`."""
        if not request.gives_way:
            segments = self._recogniser.recognise(request.body, request.kind, request.expected, request.terms)
            return encode_segments(segments)

        def goes_on() -> bool:
            return not request.withdrawn.is_set() and not self._queues[_FINAL]

        return encode_reading(self._recogniser.read(request.body, request.kind, goes_on, request.expected))


def _terms(named: object) -> tuple[str, ...]:
    """The terms in a frame's header. Raises `ProtocolError` where they are no list of texts."""
    if named is None:
        return ()
    if not isinstance(named, list) or not all(isinstance(term, str) for term in named):
        raise ProtocolError("terms that are no list of texts")
    return tuple(named)
