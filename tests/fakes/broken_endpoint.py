"""A server that sends exactly the bytes that it is told, and the shapes of broken replies that it is told.

It speaks TCP and not HTTP, so that it can lie about lengths, pack nonsense, break off and drip.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

JSON = "application/json"
EVENTS = "text/event-stream"
LOGIN = "<!DOCTYPE html><html><body><form action='/login'>Sign in / 로그인</form></body></html>"


@dataclass(frozen=True)
class Reply:
    """What one request is answered with."""

    body: bytes = b""
    status: int = 200
    kind: str = JSON
    headers: tuple[str, ...] = ()
    length: int | None = None
    """The length that is claimed; None: none, and the connection's end ends the body."""
    pieces: int = 1
    """Into so many pieces the body is cut, wherever that falls."""
    pause_s: float = 0.0
    """Between two pieces."""
    repeats: int = 1
    """How often the body comes; 0: without end."""
    reset: bool = False
    """Whether the connection is reset at the end, instead of closed."""
    head: bytes | None = None
    """What is sent in the place of the status and the headers."""


@dataclass
class BrokenEndpoint:
    """Answers each request with `reply`, but `/login` with a page; counts them."""

    reply: Reply = field(default_factory=Reply)
    replies: list[Reply] = field(default_factory=list)
    """What the next requests are answered with, before `reply`."""
    base_url: str = ""
    bodies: list[bytes] = field(default_factory=list)
    sent: int = 0
    """Bytes of bodies that were sent."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[BrokenEndpoint]:
        """Listen on a free loopback port."""
        tasks: set[asyncio.Task[Any]] = set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._serve(reader, writer)
            writer.close()
            tasks.discard(task)

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        try:
            yield self
        finally:
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = next(
            (
                int(line.partition(":")[2])
                for line in head.splitlines()
                if line.lower().startswith("content-length")
            ),
            0,
        )
        body = await reader.readexactly(length)
        if "/login" in head.splitlines()[0]:
            await self._send(writer, Reply(LOGIN.encode(), kind="text/html"))
            return
        self.bodies.append(body)
        await self._send(writer, self.replies.pop(0) if self.replies else self.reply)

    async def _send(self, writer: asyncio.StreamWriter, reply: Reply) -> None:
        lines = [f"HTTP/1.1 {reply.status} Told", "Connection: close", *reply.headers]
        lines += [f"Content-Type: {reply.kind}"] if reply.kind else []
        lines += [f"Content-Length: {reply.length}"] if reply.length is not None else []
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        writer.write(head if reply.head is None else reply.head)
        size = max(1, -(-len(reply.body) // reply.pieces))
        times = 0
        while not reply.repeats or times < reply.repeats:
            times += 1
            for start in range(0, len(reply.body), size):
                writer.write(reply.body[start : start + size])
                self.sent += size
                await writer.drain()
                await asyncio.sleep(reply.pause_s)
        if reply.reset:
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()


def of(value: Any, **change: Any) -> Reply:
    """`value` as JSON."""
    return Reply(json.dumps(value, ensure_ascii=False).encode(), **change)


def events(
    *values: Any, done: bool = True, end: str = "\n\n", before: str = "data: ", **change: Any
) -> Reply:
    """`values` as a stream of events; a text goes as it is."""
    lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in values]
    lines += ["[DONE]"] if done else []
    return Reply("".join(f"{before}{line}{end}" for line in lines).encode(), **{"kind": EVENTS, **change})


def anyones() -> dict[str, Reply]:
    """The shapes that break any endpoint, whatever it is for: by name."""
    page = LOGIN.encode()
    shapes: dict[str, Reply] = {
        "login page": Reply(page, kind="text/html"),
        "login page called JSON": Reply(page),
        "login page called a stream": Reply(page, kind=EVENTS),
        "login page called text": Reply(page, kind="text/plain"),
        "redirect to the login": Reply(b"", 302, headers=("Location: /login",), length=0),
        "redirect in circles": Reply(b"", 307, headers=("Location: /v1/again",), length=0),
        "redirect to nowhere": Reply(b"", 301, length=0),
        "empty body": Reply(b"", length=0),
        "blank body": Reply(b" \r\n\t\n "),
        "204": Reply(b"", 204, kind=""),
        "null": of(None),
        "list": of([1, "둘", None]),
        "string": of("안녕하세요"),
        "number": of(42),
        "true": of(True),
        "empty object": of({}),
        "half a JSON": Reply(b'{"choices": [{"mess'),
        "two JSONs": Reply(b"{}{}"),
        "JSON too deep": Reply(b"[" * 100_000),
        "JSON of a huge number": Reply(b'{"choices": ' + b"9" * 10_000 + b"}"),
        "error in a 200": of({"error": {"message": "the engine died", "code": None}}),
        "error in a 200, as text": of({"error": "overloaded"}),
        "error in a 200, with its status": of({"error": {"message": "no key", "code": 401}}),
        "error in a stream": events({"error": {"message": "the engine died"}}, done=False),
        "length is a lie": Reply(b'{"a": 1}', length=5000),
        "wrong charset": Reply('{"text": "안녕"}'.encode("cp949")),
        "unknown charset": Reply(
            '{"text": "안녕"}'.encode("cp949"), kind="application/json; charset=nonsense"
        ),
        "charset is no charset": Reply(
            '{"text": "안녕"}'.encode("cp949"), kind="application/json; charset=hex"
        ),
        "gzip garbage": Reply(b"\x1f\x8b not gzip at all", headers=("Content-Encoding: gzip",)),
        "endless blanks": Reply(b" " * 65536, repeats=0),
        "endless JSON": Reply(b'["' + b"x" * 65536 + b'"],', repeats=0),
        "endless comments": Reply(b": still here\n\n", kind=EVENTS, repeats=0, pause_s=0.05),
        "an endless line": Reply(b"data: " + b"x" * 65536, kind=EVENTS, repeats=0),
        "slow drip": Reply(b'{"choices": [' + b" " * 5000, pieces=5000, pause_s=0.05),
        "headers, then silence": Reply(b"{", pause_s=60.0),
        "reset at once": Reply(b"", reset=True),
        "reset in the middle": Reply(b'{"choices": [{"mes', length=500, reset=True),
        "stream of nothing": events(),
        "stream of comments": Reply(b": ping\n\n: ping\n\n", kind=EVENTS),
        "stream of null": events(None, None),
    }
    ok = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
    shapes |= {
        "redirect to an address that is none": Reply(
            b"", 307, headers=("Location: http://[::x/v1",), length=0
        ),
        "redirect to another scheme": Reply(b"", 308, headers=("Location: ftp://127.0.0.1/v1",), length=0),
        "redirect to a closed door": Reply(b"", 307, headers=("Location: http://127.0.0.1:9/v1",), length=0),
        "not modified": Reply(b"", 304, kind=""),
        "a status that is none": Reply(b"", 999),
        "no HTTP at all": Reply(b"", head=b"SSH-2.0-OpenSSH_9.6\r\n\r\n"),
        "headers without end": Reply(b"X-Pad: " + b"x" * 65536 + b"\r\n", repeats=0, head=ok),
        "two lengths": Reply(b"{}", head=ok + b"Content-Length: 2\r\nContent-Length: 7\r\n\r\n"),
        "a length below nought": Reply(b"{}", head=ok + b"Content-Length: -2\r\n\r\n"),
        "length is too short": Reply(b'{"choices": [], "data": [], "text": ""}', length=9),
        "chunks that never end": Reply(b"2\r\n{}\r\n", headers=("Transfer-Encoding: chunked",)),
        "chunks of no size": Reply(b"zz\r\n{}\r\n0\r\n\r\n", headers=("Transfer-Encoding: chunked",)),
        "gzip that is cut off": Reply(
            gzip.compress(b"[1, 2]" * 999)[:-12], headers=("Content-Encoding: gzip",)
        ),
        "gzip of far more": Reply(gzip.compress(b" " * 2**26), headers=("Content-Encoding: gzip",)),
        "packed in an unknown way": Reply(
            b"\x00\x01\x02\x03\x04\x05\x06\x07\x08", headers=("Content-Encoding: zzz",)
        ),
        "a picture": Reply(b"\x89PNG\r\n\x1a\n" + b"\x00" * 99, kind="image/png"),
        "XML": Reply(
            b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", kind="application/xml"
        ),
        "a message in a 200": of({"message": "Not Found", "code": 404}),
        "a detail in a 200": of({"detail": [{"loc": ["body"], "msg": "field required"}]}),
        "a row of errors": of({"errors": [{"message": "the engine died"}]}),
        "an event called an error": events({"message": "died"}, done=False, before="event: error\ndata: "),
        "an event of another kind": events({"type": "ping"}, before="event: ping\ndata: "),
        "a stream of [DONE]s": Reply(b"data: [DONE]\n\n" * 99, kind=EVENTS),
        "data without a colon": Reply(b"data\n\ndata\n\n", kind=EVENTS),
        "JSON behind a guard": Reply(b")]}',\n{}"),
    }
    statuses = (
        402,
        407,
        421,
        451,
        511,
        400,
        401,
        403,
        404,
        408,
        409,
        413,
        418,
        422,
        429,
        500,
        501,
        502,
        503,
        504,
        599,
    )
    shapes |= {f"{status} with a page": Reply(page, status, kind="text/html") for status in statuses}
    shapes["500, endless"] = Reply(b"x" * 65536, 500, repeats=0)
    shapes["500, dripping"] = Reply(b"x" * 5000, 500, pieces=5000, pause_s=0.05)
    shapes["400 in an odd shape"] = of([{"loc": ["body"], "msg": "안 됨"}], status=400)
    return shapes
