"""The stream `moim:{tenant}:dispatch`, by which other programs want meetings.

Its readers are one consumer group: each entry goes to one of the tenant's dispatchers, and comes again until
one has called `done`. What a dispatcher had taken and did not finish goes to another after `_ABANDONED_MS`.
An outage is waited out, and a Redis that came back empty gets its group again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, Final

from redis.exceptions import ResponseError

from worker.adapters.redis_connection import RedisConnection
from worker.adapters.redis_signatures import Signer
from worker.adapters.redis_streams import StreamNames
from worker.messages import DispatchEntry, DispatchMessage, Unsigned, read_dispatch

STREAM_CAP: Final = 10_000
"""About so many entries are kept, done with or not."""
_ENTRIES_AT_ONCE: Final = 20
_BLOCK_MS: Final = 2_000
_ABANDONED_MS: Final = 30_000


class RedisDispatches(RedisConnection):
    """`RoomRequestStream` for one dispatcher of one tenant, and the way to write into that stream."""

    def __init__(
        self,
        url: str,
        *,
        names: StreamNames,
        name: str,
        token: str = "",
        on_refused: Callable[[str], None] = lambda _via: None,
    ) -> None:
        """`names`: the tenant's. `name`: this dispatcher's, unlike any other's.

        With a `token` entries must be signed; `on_refused` is called with `dispatch` for each that is not.
        """
        super().__init__(url)
        self._signer = Signer(token)
        self._stream = names.dispatch
        self._group, self._name, self._on_refused = f"moim:{names.tenant}", name, on_refused

    async def entries(self) -> AsyncIterator[DispatchEntry]:
        """See `RoomRequestStream.entries`."""
        while True:
            for place, fields in await self.until_there(self._read, self._stream):
                position = place.decode()
                fault = partial(self._signer.fault, self._stream, position)
                message = read_dispatch((fields or {}).get(b"json"), fault)
                if isinstance(message, Unsigned):
                    self._on_refused("dispatch")
                yield DispatchEntry(self._stream, position, message)

    async def done(self, entry: DispatchEntry) -> None:
        """See `RoomRequestStream.done`. Raises `Unavailable`."""
        await self.do(self.quick.xack(entry.stream, self._group, entry.position))

    async def want(self, message: DispatchMessage) -> str:
        """Write an entry, as another program would; return its position. Raises `PortError`."""
        fields = self._signer.signed(self._stream, message.model_dump(exclude_none=True))
        return await self.append(self._stream, fields, cap=STREAM_CAP)

    async def _read(self) -> list[tuple[bytes, Any]]:
        """Return position and fields of what others left undone, and of what is new."""
        await self.do(self._join())
        claiming = self.quick.xautoclaim(
            self._stream, self._group, self._name, _ABANDONED_MS, count=_ENTRIES_AT_ONCE
        )
        claimed: list[tuple[bytes, Any]]
        _, claimed, *_ = await self.do(claiming)
        reading = self.patient.xreadgroup(
            self._group, self._name, {self._stream: ">"}, count=_ENTRIES_AT_ONCE, block=_BLOCK_MS
        )
        for _, entries in await self.do(reading) or ():
            claimed += entries
        return claimed

    async def _join(self) -> None:
        """Make the consumer group where it is not there; it reads the stream from the beginning."""
        try:
            await self.quick.xgroup_create(self._stream, self._group, id="0", mkstream=True)
        except ResponseError as error:
            if not str(error).startswith("BUSYGROUP"):
                raise
