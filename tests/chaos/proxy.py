"""A TCP proxy before LiveKit that can cut a worker's websocket, and leave what rooms are made of alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final
from urllib.parse import urlsplit

_HEAD_BYTES: Final = 4096
_CHUNK: Final = 65_536


class WorkerProxy:
    """`cut()` ends the websockets on `/agent` and lets no new one through until `mend()`."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._target = parts.hostname or "127.0.0.1", parts.port or 7880
        self._agents: set[asyncio.StreamWriter] = set()
        self._open = True
        self.url = ""
        self.registrations = 0
        """Websockets of workers so far."""
        self.turned_away = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[WorkerProxy]:
        """Listen on a free loopback port."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            self.cut()

    def cut(self) -> None:
        """The workers lose their server; rooms do not."""
        self._open = False
        for writer in list(self._agents):
            writer.transport.abort()

    def mend(self) -> None:
        """They may come again."""
        self._open = True

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.read(_HEAD_BYTES)
            if agent := head.startswith(b"GET /agent"):
                if not self._open:
                    self.turned_away += 1
                    writer.transport.abort()
                    return
                self.registrations += 1
                self._agents.add(writer)
            there, away = await asyncio.open_connection(*self._target)
            away.write(head)
            await asyncio.wait(
                [asyncio.ensure_future(_pump(reader, away)), asyncio.ensure_future(_pump(there, writer))],
                return_when=asyncio.FIRST_COMPLETED,
            )
            away.close()
            if agent:
                self._agents.discard(writer)
        writer.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
