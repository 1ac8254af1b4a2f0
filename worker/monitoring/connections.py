"""Connections to an HTTP server: a bounded number at once, and none keeps its place without a request.

Theory of operation. A connection has a place from its beginning on. While a request of its is worked on it
is busy; otherwise it has `IDLE_S` to send a whole head, or it is closed: half-sent requests, idle keep-alive
and connections that say nothing are treated alike. Where all places are taken, the connection that has been
idle longest makes room for the newcomer, so that a flood of idle connections never keeps anybody out. A body
has `BODY_S`.

What is no HTTP is refused by aiohttp with a 400: a line in the log, not a traceback of its parser.
"""

from __future__ import annotations

import asyncio
import logging
import resource
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, Final, cast

from aiohttp import web
from aiohttp.http import HttpProcessingError

IDLE_S: Final = 10.0
"""How long a request's head may take, from the connection's beginning or from the last answer."""
BODY_S: Final = 20.0
"""How long a request's body may take, from the end of its head."""
MAX_CONNECTIONS: Final = 2_000
"""How many connections one server has at most."""
_RESERVED_FILES: Final = 256
"""File descriptors that are kept for everything else: Postgres, Redis, LiveKit, files."""
_WANTED_FILES: Final = 65_536
"""The limit of file descriptors that this process asks for."""
_SERVER: Final = "aiohttp.server"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def most_connections(most: int = MAX_CONNECTIONS) -> int:
    """Raise this process's limit of file descriptors; give how many connections it allows, `most` at most."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, _WANTED_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return most if soft == resource.RLIM_INFINITY else max(16, min(most, soft - _RESERVED_FILES))


class Connections:
    """The places of one server's connections, and which of them are idle."""

    def __init__(self, most: int, *, idle_s: float = IDLE_S, body_s: float = BODY_S) -> None:
        """Allow `most` connections at once; `idle_s` and `body_s` as `IDLE_S` and `BODY_S`."""
        self._most, self._idle_s, self._body_s = most, idle_s, body_s
        self._idle: OrderedDict[asyncio.BaseTransport, asyncio.TimerHandle] = OrderedDict()
        """Each idle connection and the timer that closes it; the first has been idle longest."""
        self._busy: set[asyncio.BaseTransport] = set()
        self.refused = 0
        """How many connections were aborted because every place was busy."""

    def __len__(self) -> int:
        return len(self._idle) + len(self._busy)

    def opened(self, transport: asyncio.BaseTransport) -> None:
        """Give a new connection a place; if none is free, abort the longest idle one, or else this one."""
        if len(self) >= self._most:
            if not self._idle:
                self.refused += 1
                cast("asyncio.Transport", transport).abort()
                return
            oldest, timer = self._idle.popitem(last=False)
            timer.cancel()
            cast("asyncio.Transport", oldest).abort()
        self._begin_idle(transport)

    def closed(self, transport: asyncio.BaseTransport) -> None:
        """Free the place of a connection that has ended."""
        self._busy.discard(transport)
        timer = self._idle.pop(transport, None)
        if timer is not None:
            timer.cancel()

    @property
    def middleware(self) -> Any:
        """The middleware that marks a connection busy while its request is worked on; the outermost one."""

        @web.middleware
        async def busy(request: web.Request, handler: Handler) -> web.StreamResponse:
            transport = request.transport
            timer = self._idle.pop(transport, None) if transport is not None else None
            if transport is None or timer is None:
                return await handler(request)
            timer.cancel()
            self._busy.add(transport)
            late = asyncio.get_running_loop().call_later(self._body_s, self._time_out_body, request)
            try:
                return await handler(request)
            finally:
                late.cancel()
                if transport in self._busy:
                    self._busy.discard(transport)
                    self._begin_idle(transport)

        return busy

    def _begin_idle(self, transport: asyncio.BaseTransport) -> None:
        loop = asyncio.get_running_loop()
        self._idle[transport] = loop.call_later(self._idle_s, self._close_idle, transport)

    def _close_idle(self, transport: asyncio.BaseTransport) -> None:
        self._idle.pop(transport, None)
        transport.close()

    def _time_out_body(self, request: web.Request) -> None:
        """Have whoever reads the body get an `HTTPRequestTimeout`, unless all of it has come."""
        if not request.content.is_eof():
            reason = f"send the whole body within {self._body_s:g} s"
            request.content.set_exception(web.HTTPRequestTimeout(reason=reason))


class _Guarded(asyncio.Protocol):
    """A connection that asks for its place before aiohttp handles its first byte."""

    def __init__(self, inner: asyncio.Protocol, connections: Connections) -> None:
        self._inner, self._connections = inner, connections
        self._transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._inner.connection_made(transport)
        self._connections.opened(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._connections.closed(self._transport)
        self._inner.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()


class BoundedSite(web.BaseSite):
    """An aiohttp site on a TCP port whose connections are bounded by `Connections`."""

    __slots__ = ("_connections", "_host", "_port")

    def __init__(self, runner: web.AppRunner, host: str, port: int, connections: Connections) -> None:
        super().__init__(runner)
        self._host, self._port, self._connections = host, port, connections

    @property
    def name(self) -> str:
        """The URL that it listens at."""
        return f"http://{self._host}:{self._port}"

    async def start(self) -> None:
        """Listen. Raises `OSError` where the port is taken or the host is not ours."""
        logger = logging.getLogger(_SERVER)
        if not any(isinstance(each, UnreadRequests) for each in logger.filters):  # once for a process
            logger.addFilter(UnreadRequests())
        server = self._runner.server
        assert server is not None
        self._server = await asyncio.get_running_loop().create_server(
            lambda: _Guarded(server(), self._connections), self._host, self._port, backlog=512
        )
        await super().start()


class UnreadRequests(logging.Filter):
    """Shortens what aiohttp logs of requests that cannot be read; a fault of ours keeps its traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record of an unreadable request as one line of level INFO; let all others through."""
        error = record.exc_info[1] if record.name == _SERVER and record.exc_info else None
        if not isinstance(error, HttpProcessingError | web.RequestPayloadError | web.HTTPRequestTimeout):
            return True
        # Not its bytes: they are the sender's, and would make each line another one.
        record.msg, record.args = f"http_unreadable: {type(error).__name__}", ()
        record.exc_info = record.exc_text = None
        record.levelno, record.levelname = logging.INFO, "INFO"
        return logging.getLogger().isEnabledFor(logging.INFO)
