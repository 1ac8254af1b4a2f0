"""Keeps a meeting's lease alive, and notices when it is lost or when the meeting is to end.

The lease is renewed well before it ends. While Postgres is out of reach nobody else can take it
either, so the holder goes on (its events wait in the spool) and renews as soon as it can, if its
epoch still stands. That nothing stale is written is not this loop's duty: the store checks the
epoch of every append.

A process that stood still (SIGSTOP, a frozen machine, a blocked loop) wakes up not knowing that its
lease has ended. So whatever goes out asks `sure` first: beyond the lease's end by our own clock the
store is asked before anything is shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

import structlog

from context.ports import Fenced, PortError
from worker.ports import LeaseStore, Renewal

log = structlog.get_logger(__name__)

LEASE_S: Final = 5.0
"""A lease stands for so long after each renewal."""
RENEW_EVERY_S: Final = 1.5
_AWAY_KNOWN_S: Final = RENEW_EVERY_S + LEASE_S + 1.0
"""That the store is away is believed so long: `run` asks more often, unless the process stood still."""


class LeaseKeeper:
    """Renews one lease (`run`), and knows whether it still stands (`sure`)."""

    def __init__(
        self,
        leases: LeaseStore,
        meeting_id: str,
        epoch: int,
        *,
        on_lost: Callable[[], object] = lambda: None,
        on_end_requested: Callable[[], object] = lambda: None,
        unwritten: Callable[[], Mapping[str, int] | None] = lambda: None,
    ) -> None:
        """`on_lost` and `on_end_requested` are called once at most, and must not block the renewals.

        `unwritten`: what a successor is to know should this job die now (`MeetingRow.unwritten`).
        """
        self._leases, self._meeting_id, self._epoch = leases, meeting_id, epoch
        self._on_lost, self._on_end_requested = on_lost, on_end_requested
        self._unwritten = unwritten
        self.away = False
        """True while the store does not answer."""
        self._sure_until_s = 0.0
        """Before this moment, on the event loop's clock, nobody else can have taken the lease."""
        self._tried_s = 0.0
        """When the store was asked last, whatever it answered."""
        self._lost = False
        self._asking = asyncio.Lock()

    async def sure(self) -> bool:
        """Tell whether the lease still is this holder's; the store is asked only where that is in doubt.

        True also while the store is known to be away: then nobody else can take the lease.
        """
        if self._in_doubt():
            async with self._asking:
                if self._in_doubt():
                    await self._renew()
        return not self._lost

    def _in_doubt(self) -> bool:
        now_s = asyncio.get_running_loop().time()
        known_until_s = self._tried_s + _AWAY_KNOWN_S if self.away else self._sure_until_s
        return not self._lost and now_s >= known_until_s

    async def run(self) -> None:
        """Renew the lease every 1.5 s until cancelled; return when it is lost."""
        end_announced = False
        while True:
            await asyncio.sleep(RENEW_EVERY_S)
            renewal = await self._renew()
            if self._lost:
                self._on_lost()
                return
            if renewal is not None and renewal.end_requested and not end_announced:
                end_announced = True
                self._on_end_requested()

    async def _renew(self) -> Renewal | None:
        """Try once to renew the lease; None where that did not succeed."""
        asked_s = self._tried_s = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(LEASE_S):
                renewal = await self._leases.renew(
                    self._meeting_id, self._epoch, LEASE_S, unwritten=self._unwritten()
                )
        except Fenced:
            if not self._lost:
                log.warning("lease_lost", epoch=self._epoch)
            self._lost = True
            return None
        except (PortError, TimeoutError) as error:
            # `Refused` too: a password that was changed meanwhile may be put right again.
            if not self.away:
                log.warning("lease_not_renewed", error=str(error) or type(error).__name__)
            self.away = True
            return None
        self.away = False
        self._sure_until_s = asked_s + LEASE_S
        return renewal
