"""The client of a shared engine: a `SpeechEngine` without a model, which asks the engine's process.

One connection per client, made when it is first needed and made again after the engine was
restarted. Requests that were under way when it went are `EngineBusy`: the same stretch may be
tried again. There is no task here: the loop feeds the connection, the connection wakes whoever
waits for an answer.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any

from stt.agreement import Reading
from stt.engine.protocol import (
    MAX_BODY_BYTES,
    VERSION,
    EngineFrame,
    FrameDecoder,
    ProtocolError,
    decode_reading,
    decode_segments,
    encode,
)
from stt.outage import LONGEST_WAIT_S
from stt.rereading import GrowingStretch, OnReading, uncounted
from stt.segment import EngineBusy, EngineFailed, EngineSilent, Segment, SpeechError, Stretch
from stt.spoken_language import Shares

_RETRY_CONNECT_S = 0.1
_LONGEST_READING_S = 9.0
"""A reading of more sound takes longer than a second, and waiting for it would be no use to anybody."""


class EngineClient:
    """Speech recognition by the engine that listens on the Unix socket `socket_path`.

    `patience_s` bounds how long a request waits for an engine that isn't there (it loads a model
    when it starts), `deadline_s` how long it waits for an answer.
    """

    def __init__(
        self,
        socket_path: Path,
        *,
        gives_interims: bool = False,
        on_reading: OnReading = uncounted,
        gives_way: Callable[[], bool] = lambda: False,
        patience_s: float = 10.0,
        deadline_s: float = LONGEST_WAIT_S,
    ) -> None:
        """`on_reading` is told what became of each reading that is made for interims.

        `gives_way` says whether these have to wait for the machine just now.
        """
        self.gives_interims, self._on_reading, self._gives_way = gives_interims, on_reading, gives_way
        self.name = "engine"
        """`engine` until the first hello, then the model's name."""
        self._socket_path = socket_path
        self._patience_s = patience_s
        self._deadline_s = deadline_s
        self._connection: _Connection | None = None
        self._connecting = asyncio.Lock()
        self._numbers = itertools.count(1)
        self._closed = False

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        """See `SpeechEngine.transcribe`; the engine is asked for the final when the stretch has ended."""
        growing = GrowingStretch(
            stretch,
            partial(self._read, expected=stretch.expected) if self.gives_interims else None,
            longest_s=_LONGEST_READING_S,
            on_reading=self._on_reading,
            gives_way=self._gives_way,
        )
        async with aclosing(growing.interims()) as interims:
            async for interim in interims:
                yield interim
        length = sum(map(len, growing.chunks))
        if length > MAX_BODY_BYTES:
            raise EngineFailed(f"a stretch longer than {MAX_BODY_BYTES // 32_000} s")
        if not length:
            return
        answer = await self._ask(
            "transcribe",
            language=stretch.language,
            expected=dict(stretch.expected()),
            terms=stretch.terms,
            body=growing.chunks,
        )
        try:
            segments = decode_segments(answer.header)
        except ProtocolError as error:
            raise EngineFailed(str(error)) from error
        for segment in segments:
            yield segment

    async def _read(self, sound: bytes, language: str, *, expected: Callable[[], Shares]) -> Reading:
        answer = await self._ask("read", language=language, expected=dict(expected()), body=sound)
        try:
            return decode_reading(answer.header)
        except ProtocolError as error:
            raise EngineFailed(str(error)) from error

    async def done(self) -> int | None:
        """See `stt.outage.Progressing`; None where the engine does not answer."""
        try:
            return int((await self._ask("stats")).header["stats"]["done"])
        except (SpeechError, LookupError, TypeError):
            return None

    async def aclose(self) -> None:
        """See `SpeechEngine.aclose`; requests that are under way raise `EngineFailed`."""
        self._closed = True
        if self._connection is not None:
            self._connection.close(EngineFailed("the client was closed"))
            self._connection = None

    async def _ask(self, kind: str, **fields: Any) -> EngineFrame:
        connection = await self._connected()
        request_id = str(next(self._numbers))
        try:
            async with asyncio.timeout(self._deadline_s):
                answer = await connection.ask(request_id, encode(kind, id=request_id, **fields))
        except TimeoutError as error:
            raise EngineSilent(f"no answer from the speech engine in {self._deadline_s:.0f} s") from error
        if answer.kind in {"busy", "failed"}:
            reason = str(answer.header.get("reason", f"the speech engine: {answer.kind}"))
            raise (EngineBusy if answer.kind == "busy" else EngineFailed)(reason)
        return answer

    async def _connected(self) -> _Connection:
        async with self._connecting:
            if self._closed:
                raise EngineFailed("the client was closed")
            if self._connection is None or self._connection.lost:
                self._connection = await self._connect()
                self.name = self._connection.model
            return self._connection

    async def _connect(self) -> _Connection:
        loop, path = asyncio.get_running_loop(), str(self._socket_path)
        try:
            async with asyncio.timeout(self._patience_s):
                while True:
                    try:
                        _, connection = await loop.create_unix_connection(_Connection, path)
                        await connection.greeted()
                    except (OSError, EngineBusy):
                        await asyncio.sleep(_RETRY_CONNECT_S)
                    else:
                        return connection
        except TimeoutError as error:
            raise EngineBusy(f"no speech engine at {path} after {self._patience_s:g} s") from error


class _Connection(asyncio.Protocol):
    """One connection to the engine, and the requests on it that wait for their answer."""

    def __init__(self) -> None:
        self.lost = False
        self.model = ""
        self._decoder = FrameDecoder()
        self._transport: asyncio.Transport | None = None
        self._hello: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._open: dict[str, asyncio.Future[EngineFrame]] = {}

    async def greeted(self) -> None:
        """Wait until the engine has said which model it holds. Raises `SpeechError`."""
        try:
            await self._hello
        except asyncio.CancelledError:
            self.close(EngineBusy("given up"))
            raise

    async def ask(self, request_id: str, message: bytes) -> EngineFrame:
        """Send a request and wait for its answer; cancelling this withdraws it. Raises `SpeechError`."""
        if self._transport is None:
            raise EngineBusy("the speech engine went away")
        future: asyncio.Future[EngineFrame] = asyncio.get_running_loop().create_future()
        self._open[request_id] = future
        self._transport.write(message)
        try:
            return await future
        except asyncio.CancelledError:
            if not self.lost:
                self._transport.write(encode("cancel", id=request_id))
            raise
        finally:
            self._open.pop(request_id, None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        try:
            for frame in self._decoder.feed(data):
                self._receive(frame)
        except ProtocolError as error:
            self.close(EngineFailed(f"the speech engine speaks nonsense: {error}"))

    def _receive(self, frame: EngineFrame) -> None:
        if frame.kind == "hello":
            if frame.header.get("version") != VERSION:
                raise ProtocolError(f"protocol {frame.header.get('version')}, not {VERSION}")
            self.model = str(frame.header.get("model", ""))
            if not self._hello.done():
                self._hello.set_result(None)
        elif (future := self._open.get(frame.id)) is not None and not future.done():
            future.set_result(frame)

    def connection_lost(self, _exc: Exception | None) -> None:
        self.close(EngineBusy("the speech engine went away"))

    def close(self, reason: SpeechError) -> None:
        """Close the connection; everybody who waits on it gets `reason`."""
        self.lost = True
        if self._transport is not None:
            self._transport.close()
            self._transport = None
        for future in self._open.values():
            if not future.done():
                future.set_exception(reason)
        if not self._hello.done():
            self._hello.set_exception(reason)
            self._hello.exception()  # looked at, so that nobody warns of it
