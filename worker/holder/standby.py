"""Standing by for a meeting: tell the registry, watch the lease, take it when it is free.

The row of a lease says when it would end, so the standby looks again just then: a dead holder is replaced
some hundredths of a second after the end of its lease. It looks every second besides, for a lease may be
let go before its end: by a holder that leaves, which is also seen leaving the room (`look_now`; no proof of
anything, only a reason to look), or by the worker of a job that died (`worker.fleet.reaper`).

Whose sound a standby may keep is looked up now and again in what the holder has put on record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from context.ports import PortError
from context.primitives.guest_identity import is_one_of
from worker.audit_log import Consents
from worker.clock import happens
from worker.holder.lease_keeper import LEASE_S
from worker.participants.consent import ConsentRule
from worker.ports import Holder, LeaseStore, MeetingRegistry, MeetingRow, Standbys

log = structlog.get_logger(__name__)

NOTE_TTL_S: Final = 12.0
"""A standby that tells the registry of itself is believed to live for so long."""
LOOK_EVERY_S: Final = 1.0
_NOTE_EVERY_S: Final = 4.0
WELL_S: Final = 3.0
"""So much is left of a lease only where its holder has renewed it in time, or nearly."""
_BEHIND_S: Final = 0.03
"""So long after the end of a lease it is looked up: it is surely over then."""
_FREE_AGAIN_S: Final = 0.2
"""The time until the next look where the lease was free and somebody else took it first."""
_AWAY_S: Final = 0.5
"""The time until the next look where the database did not answer."""


@dataclass(frozen=True, slots=True)
class Won:
    """A lease that a standby has won."""

    row: MeetingRow
    """The meeting just before, so that `lease_over_s` and `unwritten` are those of the holder before."""
    epoch: int


def holder_is_well(row: MeetingRow) -> bool:
    """Tell whether a meeting has a holder that has just renewed its lease."""
    return row.holder is not None and row.lease_over_s is not None and -row.lease_over_s > WELL_S


class Standby:
    """Contends for one meeting's lease, for a job that stands by."""

    def __init__(
        self,
        leases: LeaseStore,
        registry: MeetingRegistry,
        standbys: Standbys,
        meeting_id: str,
        me: Holder,
        *,
        leaving: Callable[[], bool] = lambda: False,
        relief: bool = False,
    ) -> None:
        """`leaving`: whether this worker stops, so that it must get no meeting.

        `relief`: there is no need of this standby where the holder turns out to be alive.
        """
        self._leases, self._registry, self._standbys = leases, registry, standbys
        self._meeting_id, self._me, self._leaving, self._relief = meeting_id, me, leaving, relief
        self.on_look: Callable[[MeetingRow], None] = lambda _row: None
        """Called with the meeting's row at every look, once a second at least."""
        self._news = asyncio.Event()
        self._over: str | None = None
        self._note_again_s = 0.0

    async def stand(self) -> bool:
        """Tell the registry that this job stands by; False if another job does or the meeting is over."""
        return await self._standbys.note(self._meeting_id, self._me, NOTE_TTL_S)

    def look_now(self) -> None:
        """Look at the lease at once: something happened that may have ended it."""
        self._news.set()

    def stop(self, why: str) -> None:
        """End `contend`, which returns this reason."""
        self._over = self._over or why
        self._news.set()

    async def contend(self) -> Won | str:
        """Wait for the lease and take it; return a text that says why where that will not happen."""
        while self._over is None:
            self._news.clear()
            try:
                wait_s = await self._try()
            except PortError as error:
                # Whoever holds it can't lose it to anybody else meanwhile.
                log.warning("standby_cannot_look", error=str(error))
                wait_s = _AWAY_S
            if isinstance(wait_s, Won | str):
                return wait_s
            await happens(self._news, wait_s)
        return self._over

    async def _try(self) -> Won | str | float:
        """Look once: the lease was won, why it never will be, or in how many seconds to look again."""
        row = await self._registry.get(self._meeting_id)
        if row is None or row.status in {"ended", "failed"}:
            return "the meeting is over"
        if self._leaving():
            return "drained"
        self.on_look(row)
        if row.holder is None:
            epoch = await self._leases.acquire(self._meeting_id, self._me, LEASE_S)
            return _FREE_AGAIN_S if epoch is None else Won(row, epoch)
        if self._relief and holder_is_well(row):
            return "the holder is well"
        now_s = asyncio.get_running_loop().time()
        if now_s >= self._note_again_s:
            if not await self.stand():
                return "another one stands by"
            self._note_again_s = now_s + _NOTE_EVERY_S
        left_s = -row.lease_over_s if row.lease_over_s is not None else 0.0
        return min(max(left_s, 0.0) + _BEHIND_S, LOOK_EVERY_S)

    async def give_up(self) -> None:
        """Tell the registry that this job stands by no longer: it is the holder, or not needed."""
        try:
            await self._standbys.drop(self._meeting_id, self._me)
        except PortError as error:
            log.info("standby_not_dropped", error=str(error))  # its time runs out by itself


class StandbyConsent:
    """Who has agreed to be heard in one meeting, as far as a standby knows. At first nobody is heard."""

    def __init__(self, consents: Consents, rule: ConsentRule, meeting_id: str) -> None:
        self._consents, self._rule, self._meeting_id = consents, rule, meeting_id
        self._told: dict[str, bool] | None = None
        self._earlier: dict[str, bool | None] = {}
        self._asked: set[str] = set()
        self.changed: Callable[[str], None] = lambda _identity: None
        """Called with the identity of somebody for whom `may_hear` has changed."""

    def may_hear(self, identity: str) -> bool:
        """See `Listener.may_hear`. Whoever is asked about is looked up from then on."""
        self._asked.add(identity)
        if self._told is None:
            return False
        # Under whichever identity of their browser they said so last.
        agreed = next((self._told[who] for who in reversed(self._told) if is_one_of(who, (identity,))), None)
        if agreed is None and self._rule.lasting:
            if identity not in self._earlier:
                return False
            agreed = self._earlier[identity]
        return self._rule.allows(agreed)

    async def follow(self) -> None:
        """Look up consents every second until cancelled; while Postgres is away, those known last count."""
        while True:
            heard = {identity: self.may_hear(identity) for identity in tuple(self._asked)}
            try:
                self._told = await self._consents.of(self._meeting_id)
                if self._rule.lasting:
                    for identity in heard.keys() - self._told.keys() - self._earlier.keys():
                        self._earlier[identity] = await self._consents.newest(identity)
            except PortError as error:
                log.info("consent_not_looked_up", error=str(error))
            for identity in tuple(self._asked):
                if self.may_hear(identity) != heard.get(identity, False):
                    self.changed(identity)
            await asyncio.sleep(LOOK_EVERY_S)
