"""What was told counts once: whoever sends a webhook's bytes again changes nothing by it.

Each delivery is known by its body, which LiveKit makes different for every event, and remembered until its
token is over; after that the token alone refuses it. Only what was served is remembered: what failed here
comes again, with the same token, and is carried out then. A process remembers for itself. Where several
dispatchers run, somebody who listens on the way could have each carry it out once within the token's five
minutes: a room's beginning is believed once in its life by the record, and of its end there is at most one
look too many.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from worker.web.errors import ApiError

_MOST: Final = 20_000
"""Some 60 a second for five minutes, in 4 MB. Beyond that the oldest is forgotten first."""


class Deliveries:
    """Remembers which deliveries one door has served."""

    def __init__(self, now_s: Callable[[], float], *, most: int = _MOST) -> None:
        """`now_s`: the time of day, which tokens are about."""
        self._now_s, self._most = now_s, most
        self._served: dict[bytes, float] = {}
        """Until when each is remembered, in the order in which they came."""
        self._under_way: dict[bytes, asyncio.Event] = {}

    def __len__(self) -> int:
        return len(self._served)

    @asynccontextmanager
    async def once(self, digest: bytes, until_s: float) -> AsyncIterator[None]:
        """Around the work on it; a second one waits for how the first one ends. Raises `ApiError` (409)."""
        while (other := self._under_way.get(digest)) is not None:
            await other.wait()
        if self._served.get(digest, 0.0) > self._now_s():
            raise ApiError(409, "this was told before, and has been carried out", field="body")
        over = self._under_way[digest] = asyncio.Event()
        try:
            yield
            self._remember(digest, until_s)
        finally:
            del self._under_way[digest]
            over.set()

    def _remember(self, digest: bytes, until_s: float) -> None:
        self._served.pop(digest, None)
        self._served[digest] = until_s
        now_s = self._now_s()
        while self._served:
            first = next(iter(self._served))
            if self._served[first] > now_s and len(self._served) <= self._most:
                return
            del self._served[first]
