"""A CLOVA Speech server on loopback: the same proto over grpc.aio, its rules, and every fault at a switch.

It understands `tests.fakes.spoken`: what a stretch says is settled in pieces when it is flushed (and,
in the middle of a stretch, its first half after `piece_ms`). It refuses what the real one refuses: a missing or
wrong secret, sound before the answer to CONFIG, messages that are too long, a stream too many.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import grpc
from grpc import aio

from stt.providers.clova import wire
from stt.providers.clova.domains import DomainAddress, parse_domain
from stt.segment import EngineFailed
from tests.fakes import spoken

TLS: Final = Path(__file__).parents[1] / "data" / "tls"

Mood = Literal[
    "well",
    # when the stream begins
    "auth", "plan", "quota", "too_many", "no_slot", "internal", "invalid", "ends_at_once", "drops_at_once",
    # at CONFIG
    "config_failure", "config_error", "config_hang", "config_garbage", "boosting_failure", "boosting_left_out",
    # while it hears
    "disconnect", "lifespan", "closes_early", "cancels", "deaf",
    # when it answers
    "hang", "slow", "garbage", "not_an_object", "error", "recognize_error", "no_echo", "no_times",
    "twice", "unordered", "stray", "late",
]  # fmt: skip


@dataclass
class Heard:
    """What one stream brought."""

    config: dict[str, Any] = field(default_factory=dict)
    chunks: list[tuple[float, int]] = field(default_factory=list)
    """(when on the loop's clock, bytes)."""
    flushes: list[int] = field(default_factory=list)
    sound: bytes = b""
    ended: bool = False
    """The client said that it sends nothing more."""
    connection: str = ""
    """Streams of one connection have the same."""


@dataclass
class ClovaSpeechServer:
    """`mood` is how every stream goes; `once` moods come first, one stream each."""

    secret: str = "s3cret"
    max_channels: int = 15
    mood: Mood = "well"
    once: list[Mood] = field(default_factory=list)
    slow_s: float = 0.1
    piece_ms: int = 600
    tls: bool = False
    """With `tests/data/tls`, which nobody trusts who was not told to."""
    target: str = ""
    streams: list[Heard] = field(default_factory=list)
    open_now: int = 0
    open_most: int = 0
    release: asyncio.Event = field(default_factory=asyncio.Event)
    _running: threading.Event = field(default_factory=threading.Event)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _loop: asyncio.AbstractEventLoop | None = None

    @property
    def address(self) -> DomainAddress:
        """The address as a setting names it."""
        return parse_domain(self.pair)

    @property
    def pair(self) -> str:
        """`invoke_url|secret`."""
        return f"{'https' if self.tls else 'http'}://{self.target}/external/v1/1/abc|{self.secret}"

    @asynccontextmanager
    async def running(self) -> AsyncIterator[ClovaSpeechServer]:
        """Listen on a free loopback port, in a thread of its own: its tasks are not the test's."""
        thread = threading.Thread(target=asyncio.run, args=(self._serve(),), name="clova-speech")
        thread.start()
        await asyncio.to_thread(self._running.wait)
        try:
            yield self
        finally:
            assert self._loop is not None
            self._loop.call_soon_threadsafe(self._stop.set)
            await asyncio.to_thread(thread.join)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        server = aio.server(options=[("grpc.so_reuseport", 0)])
        handler = grpc.stream_stream_rpc_method_handler(
            self._recognize,
            request_deserializer=wire.Request.FromString,
            response_serializer=wire.Response.SerializeToString,
        )
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(wire.SERVICE, {wire.METHOD: handler}),)
        )
        if self.tls:
            pair = (TLS / "localhost.key").read_bytes(), (TLS / "localhost.crt").read_bytes()
            port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
        else:
            port = server.add_insecure_port("127.0.0.1:0")
        self.target = f"127.0.0.1:{port}"
        await server.start()
        self._running.set()
        await self._stop.wait()
        self.release.set()
        await server.stop(0)
        await server.wait_for_termination()

    async def _recognize(self, _requests: Any, context: aio.ServicerContext) -> None:
        heard = Heard(connection=context.peer())
        self.streams.append(heard)
        if self.open_now >= self.max_channels:
            await _refuse(context, "too_many", self.max_channels)
        self.open_now += 1
        self.open_most = max(self.open_most, self.open_now)
        try:
            await _Recognition(self, heard, context).run(self.once.pop(0) if self.once else self.mood)
        finally:
            self.open_now -= 1


class _Recognition:
    """One stream."""

    def __init__(self, server: ClovaSpeechServer, heard: Heard, context: aio.ServicerContext) -> None:
        self._server, self._heard, self._context = server, heard, context
        self._mood: Mood = "well"
        self._begin = 0
        """Byte of the stream at which the present stretch begins."""
        self._settled = 0
        """Pieces of the present stretch that are out."""
        self._position = 0
        self._late: list[dict[str, Any]] = []
        """Owed from before the flush; sent when the client speaks again, or ends."""

    async def run(self, mood: Mood) -> None:
        self._mood = mood
        metadata = dict(self._context.invocation_metadata() or ())
        if metadata.get("authorization") != f"Bearer {self._server.secret}":
            mood = "auth"
        await _refuse(self._context, mood, self._server.max_channels)
        if mood == "ends_at_once":
            return
        await self._configure(await self._read())
        while (request := await self._read()) is not None:
            if request.type != wire.DATA or len(request.data.chunk) > wire.MAX_CHUNK_BYTES:
                await self._context.abort(grpc.StatusCode.INVALID_ARGUMENT, "not a DATA request")
            await self._hear(request.data)
        self._heard.ended = True
        await self._send_late()
        if self._mood == "no_echo":
            await self._settle(self._pieces(), None)

    async def _read(self) -> Any:
        request = await self._context.read()
        return None if request is aio.EOF else request

    async def _configure(self, request: Any) -> None:
        if request is None or request.type != wire.CONFIG:
            await self._context.abort(grpc.StatusCode.FAILED_PRECONDITION, "ConfigRequest did not complete")
        config = self._heard.config = json.loads(request.config.config)
        boosted = "keywordBoosting" in config
        match self._mood:
            case "config_hang":
                await self._server.release.wait()
            case "config_garbage":
                await self._write_text("<html>")
            case "config_error":
                await self._write({"responseType": ["error"], "error": {"status": "Invalid language"}})
            case "config_failure":
                await self._acknowledge("Failure")
            case "boosting_failure" if boosted:
                await self._acknowledge("Failure", keywordBoosting="Invalid words")
            case "boosting_left_out" if boosted:
                await self._acknowledge("Success", keywordBoosting="Failure")
            case _:
                # Whoever sends sound before this answer is not served.
                early = asyncio.ensure_future(self._read())
                done, _ = await asyncio.wait({early}, timeout=0.01)
                if done and early.result() is not None:
                    await self._context.abort(
                        grpc.StatusCode.FAILED_PRECONDITION, "ConfigRequest did not complete"
                    )
                await self._acknowledge("Success", **({"keywordBoosting": "Success"} if boosted else {}))
                if done:
                    return
                if (first := await early) is not None:
                    await self._hear(first.data)

    async def _acknowledge(self, status: str, **parts: str) -> None:
        config = {"status": status} | {name: {"status": said} for name, said in parts.items()}
        await self._write({"uid": "u", "responseType": ["config"], "config": config})

    async def _hear(self, data: Any) -> None:
        await self._send_late()
        extra = json.loads(data.extra_contents)
        self._heard.chunks.append((asyncio.get_running_loop().time(), len(data.chunk)))
        self._heard.sound += data.chunk
        stretch = self._heard.sound[self._begin :]
        if spoken.value_of(stretch) == spoken.OVERLOADED:
            await self._context.abort(grpc.StatusCode.INTERNAL, "No more slot")
        if len(stretch) > 32 * 200:
            await self._fail_midway()
        if extra["epFlag"]:
            assert extra["seqId"] != 0
            self._heard.flushes.append(extra["seqId"])
            await self._answer(extra["seqId"])
            if self._mood != "no_echo":
                self._begin, self._settled = len(self._heard.sound), 0
        elif len(stretch) >= 32 * self._server.piece_ms and not self._settled and self._mood == "well":
            await self._settle(self._pieces()[:1], None)
            self._settled = 1

    async def _fail_midway(self) -> None:
        match self._mood:
            case "disconnect":
                await self._context.abort(grpc.StatusCode.UNAVAILABLE, "upstream connect error")
            case "lifespan":
                await self._context.abort(grpc.StatusCode.ABORTED, "Lifespan expired")
            case "cancels":
                await self._context.abort(grpc.StatusCode.CANCELLED, "stopped")
            case "closes_early":
                await self._context.abort(grpc.StatusCode.ABORTED, "closing")
            case "deaf":
                await self._server.release.wait()

    def _pieces(self) -> list[tuple[str, int, int]]:
        """(text, start, end in ms of the stretch): each line in two pieces."""
        stretch = self._heard.sound[self._begin :]
        try:
            said = spoken.said(stretch)
        except EngineFailed:
            return []
        if not said:
            return []
        words, ms = said[0].text.split(), len(stretch) // 32
        middle = len(words) // 2
        return [(" ".join(words[:middle]), 0, ms // 2), (" ".join(words[middle:]), ms // 2, ms)]

    async def _answer(self, seq: int) -> None:
        stretch = self._heard.sound[self._begin :]
        pieces = self._pieces()[self._settled :]
        match self._mood:
            case "hang":
                await self._server.release.wait()
            case "slow":
                await asyncio.sleep(self._server.slow_s)
            case "garbage":
                await self._write_text("\x00{not json")
            case "not_an_object":
                await self._write_text("[1, 2]")
            case "error":
                await self._write({"responseType": ["error"], "error": {"message": "decoder fault"}})
            case "no_echo":
                return
        if self._mood == "recognize_error" or spoken.value_of(stretch) == spoken.BROKEN:
            fault = {"status": "can't understand", "epFlag": True, "seqId": seq, "audio": ""}
            await self._write({"responseType": ["recognize"], "recognize": fault})
            return
        if self._mood == "unordered" and len(pieces) == 2:
            first, second = pieces
            start = self._position
            await self._settle([second], None, position=start + len(first[0]) + 1)
            await self._settle([first], seq, position=start)
            return
        await self._settle(pieces, seq)
        if self._mood == "twice":
            await self._settle([], seq)
        if self._mood == "stray":
            await self._write(_piece("남의 말", 0, 10, 99, epd="unvoice"))
        if self._mood == "late":
            self._late = [_piece(text, *times, self._position) for text, *times in pieces[-1:]]

    async def _settle(
        self, pieces: list[tuple[str, int, int]], seq: int | None, position: int | None = None
    ) -> None:
        """Send pieces; the last one echoes `seq`, and where there is none, an empty one does."""
        shift_ms = self._begin // 32
        for number, (text, start_ms, end_ms) in enumerate(pieces or ([("", 0, 0)] if seq else [])):
            echo = seq if number == max(0, len(pieces) - 1) else None
            reply = _piece(
                text,
                start_ms + shift_ms,
                end_ms + shift_ms,
                self._position if position is None else position,
                seq=echo,
            )
            if self._mood == "no_times":
                for name in ("startTimestamp", "endTimestamp", "alignInfos", "confidence"):
                    del reply["transcription"][name]
            await self._write(reply)
            if self._mood == "twice" and text:
                await self._write(_piece(text, start_ms + shift_ms, end_ms + shift_ms, self._position))
            self._position += len(text) + 1

    async def _send_late(self) -> None:
        while self._late:
            await self._write(self._late.pop())

    async def _write(self, reply: dict[str, Any]) -> None:
        await self._write_text(json.dumps(reply, ensure_ascii=False))

    async def _write_text(self, contents: str) -> None:
        await self._context.write(wire.Response(contents=contents))


def _piece(
    text: str, start_ms: int, end_ms: int, position: int, *, seq: int | None = None, epd: str = "period"
) -> dict[str, Any]:
    return {
        "uid": "u",
        "responseType": ["transcription"],
        "transcription": {
            "text": text,
            "position": position,
            "periodPositions": [len(text) - 1] if text else [],
            "periodAlignIndices": [],
            "epFlag": seq is not None,
            "seqId": seq or 0,
            "epdType": "endPoint" if seq is not None else epd,
            "startTimestamp": start_ms,
            "endTimestamp": end_ms,
            "confidence": 0.97,
            "alignInfos": [{"word": text[:1], "start": start_ms, "end": end_ms, "confidence": 0.97}],
        },
    }


async def _refuse(context: aio.ServicerContext, mood: str, channels: int) -> None:
    code = grpc.StatusCode
    refusals = {
        "auth": (code.UNAUTHENTICATED, "ERROR_INVALID_SECRET"),
        "plan": (code.UNIMPLEMENTED, "not served"),
        "quota": (code.RESOURCE_EXHAUSTED, "Quota exceeded"),
        "too_many": (code.RESOURCE_EXHAUSTED, f"Too many channels, the max channel is: {channels}"),
        "no_slot": (code.UNKNOWN, "No more slot"),
        "internal": (code.INTERNAL, "oops"),
        "invalid": (code.INVALID_ARGUMENT, "bad request"),
        "drops_at_once": (code.UNAVAILABLE, "Socket closed"),
    }
    if mood in refusals:
        await context.abort(*refusals[mood])
