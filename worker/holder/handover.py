"""A holder that is asked to go: a successor is found and listens before this one leaves.

The successor is a standby in another worker (the dispatcher sends one when it is sought). Once it is in
the room, the holder waits for a moment in which nobody speaks and no sound waits to become text, and leaves
as if it had been killed: a turn that is under way is not cut, as the standby has the sound of it. In a talk
without pauses it goes after a while all the same, as long as the standby's ring holds what waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog

from context.ports import Fenced, PortError
from stt.sound import KEPT_S
from worker.holder.lease_keeper import LEASE_S
from worker.meeting.session import Session
from worker.monitoring import jobs
from worker.participants.tracks import Tracks
from worker.ports import Holder, LeaseStore, MeetingRegistry, Standbys

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 0.5
SOUGHT_S: Final = 10.0
"""A request for a successor stands for so long; it is renewed at every look."""
SETTLED_S: Final = 1.0
"""The time from a successor's arrival in the room until it surely hears everybody."""
QUIET_WITHIN_S: Final = 10.0
"""A quiet moment is waited for so long; then the holder goes while people speak."""
_MOST_WAITING_MS: Final = int(KEPT_S * 1000 * 2 / 3)
"""So much sound that is not yet text a successor surely still has."""


class Handover:
    """One holder's way out: waits to be asked to go, finds a successor, and leaves."""

    def __init__(
        self,
        standbys: Standbys,
        registry: MeetingRegistry,
        leases: LeaseStore,
        run_dir: Path,
        *,
        me: Holder,
        epoch: int,
        session: Session,
        tracks: Tracks,
        in_room: Callable[[Holder], bool],
    ) -> None:
        """`run_dir`: where the worker's request stands. `in_room`: whether the room shows this standby."""
        self._standbys, self._registry, self._leases, self._run_dir = standbys, registry, leases, run_dir
        self._me, self._epoch = me, epoch
        self._session, self._tracks = session, tracks
        self._in_room = in_room

    async def run(self) -> None:
        """Wait to be asked, for a successor, and for a good moment; then leave. Returns, too, when fenced."""
        while not jobs.handover_requested(self._run_dir):  # noqa: ASYNC110 - a file: another process asks
            await asyncio.sleep(LOOK_EVERY_S)
        log.info("successor_sought")
        try:
            await self._settled()
            # The last renewal told of speech that is text by now: nothing of it is missing.
            meeting_id, unwritten = self._session.meeting_id, self._tracks.unwritten
            await self._leases.renew(meeting_id, self._epoch, LEASE_S, unwritten=unwritten)
            await self._standbys.successor_found(meeting_id)
        except Fenced:
            return  # somebody has taken it: the keeper of the lease says the rest
        except PortError as error:
            log.info("wish_not_withdrawn", error=str(error))  # it runs out by itself
        log.info("handed_over", waiting_ms=self._tracks.behind_ms)
        await self._session.leave("handed_over")

    async def _settled(self) -> None:
        """Return at a quiet moment in which a successor has been there for a while. Raises `Fenced`."""
        while True:
            successor = await self._successor()
            if successor is not None:
                await self._quiet()
                # A dead one is noted for a while, and may have made way for one that has just come.
                if await self._successor() == successor:
                    return
            await asyncio.sleep(LOOK_EVERY_S)

    async def _successor(self) -> Holder | None:
        """Ask for a successor again, and return who stands by in another worker and is in the room."""
        meeting_id = self._session.meeting_id
        try:
            await self._standbys.seek_successor(meeting_id, self._epoch, SOUGHT_S)
            row = await self._registry.get(meeting_id)
        except Fenced:
            raise
        except PortError as error:
            log.warning("successor_not_sought", error=str(error))
            return None
        if row is None or row.standby is None or row.standby.same_worker(self._me):
            return None
        return row.standby if self._in_room(row.standby) else None

    async def _quiet(self) -> None:
        """Return when nothing waits, or after a while when little enough waits."""
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        until_s = began_s + QUIET_WITHIN_S
        while True:
            await asyncio.sleep(LOOK_EVERY_S / 2)
            waiting_ms, there_s = self._tracks.behind_ms, loop.time() - began_s - SETTLED_S
            if there_s < 0:
                continue
            quiet = waiting_ms == 0 and not self._session.waiting()["answers"]
            late = loop.time() >= until_s and waiting_ms < min(_MOST_WAITING_MS, there_s * 1000)
            if quiet or late:
                return
