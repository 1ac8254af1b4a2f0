"""One client of a shared engine: frames in, frames out. What they mean is its server's to say."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Protocol

from stt.engine.protocol import Frame, FrameDecoder, ProtocolError, encode

log = logging.getLogger(__name__)


class Host(Protocol):
    """A server, as its connections see it."""

    def joined(self, connection: Connection) -> None:
        """A client came."""
        ...

    def left(self, connection: Connection) -> None:
        """A client went, and nobody waits for its answers."""
        ...

    def receive(self, connection: Connection, frame: Frame) -> None:
        """One message. Raises `ProtocolError` on nonsense, which ends the connection."""
        ...


class Connection(asyncio.Protocol):
    """One client."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._decoder = FrameDecoder()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Told by the loop."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._host.joined(self)

    def data_received(self, data: bytes) -> None:
        """Told by the loop."""
        try:
            for frame in self._decoder.feed(data):
                self._host.receive(self, frame)
        except ProtocolError as error:
            log.warning("client_speaks_nonsense", extra={"reason": str(error)})
            self.close()

    def connection_lost(self, _exc: Exception | None) -> None:
        """Told by the loop."""
        self._transport = None
        self._host.left(self)

    def send(self, kind: str, **fields: Any) -> None:
        """Answer, where there is still somebody to hear it."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(encode(kind, **fields))

    def close(self) -> None:
        """Flush and hang up."""
        if self._transport is not None:
            self._transport.close()
