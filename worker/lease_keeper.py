"""Keeps a meeting's lease alive, and notices when it is lost or when the meeting is to end.

The lease is renewed well before it ends. While Postgres is out of reach nobody else can take it
either, so the holder goes on (its events wait in the spool) and renews as soon as it can, if its
epoch still stands. That nothing stale is written is not this loop's duty: the store checks the
epoch of every append.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from context.ports import Fenced, PortError
from worker.ports import LeaseStore

log = structlog.get_logger(__name__)

LEASE_S: Final = 5.0
RENEW_EVERY_S: Final = 1.5


class LeaseKeeper:
    """Renews one lease until cancelled."""

    def __init__(
        self,
        leases: LeaseStore,
        meeting_id: str,
        epoch: int,
        *,
        on_lost: Callable[[], Awaitable[None]],
        on_end_requested: Callable[[], Awaitable[None]],
    ) -> None:
        self._leases, self._meeting_id, self._epoch = leases, meeting_id, epoch
        self._on_lost, self._on_end_requested = on_lost, on_end_requested
        self.away = False

    async def run(self) -> None:
        """Renew every 1.5 s; returns when the lease is lost or the end was requested and announced."""
        end_announced = False
        while True:
            await asyncio.sleep(RENEW_EVERY_S)
            try:
                async with asyncio.timeout(LEASE_S):
                    renewal = await self._leases.renew(self._meeting_id, self._epoch, LEASE_S)
            except Fenced:
                log.warning("lease_lost", epoch=self._epoch)
                await self._on_lost()
                return
            except (PortError, TimeoutError) as error:
                # `Refused` too: a password that was changed meanwhile may be put right again.
                if not self.away:
                    log.warning("lease_not_renewed", error=str(error))
                self.away = True
                continue
            self.away = False
            if renewal.end_requested and not end_announced:
                end_announced = True
                await self._on_end_requested()
