"""Keeps a meeting's lease alive, and notices when it is lost or when the meeting is to end.

Theory of operation. Two loops work at this. The meeting's own loop may be late, by seconds where the machine
is at its limit, and who is late is not dead. So the lease is renewed beside it (`renewing`), in a thread with
an event loop and a connection of its own (`RenewalRunner`; it is `worker.record.renewal_thread`). Each
renewal first asks the meeting's loop for a sign of life, and waits a moment for it. Where none has come for
20 s the meeting hangs, and its lease is not renewed until one comes.

While Postgres is out of reach nobody else can take the lease either, so the holder goes on (its events wait
in the spool), and it is renewed as soon as it can be, if its epoch still stands. Where only the thread's
connection is at fault the meeting's own ones renew it. That nothing stale is written is not this module's
duty: the store checks the epoch of every append.

A process that stood still (SIGSTOP, a frozen machine) wakes up not knowing that its lease has ended. So
whatever goes out asks `sure` first: beyond the lease's end by our own clock the store is asked before
anything is shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any, Final, Protocol

import structlog

from context.ports import Fenced, PortError
from worker.clock import happens
from worker.ports import LeaseStore

log = structlog.get_logger(__name__)

LEASE_S: Final = 5.0
"""A lease stands for so long after each renewal."""
RENEW_EVERY_S: Final = 1.5
HANGS_S: Final = 20.0
"""A loop that has given no sign of life for so long is not waited for: its meeting goes to another holder."""
_ANSWERS_WITHIN_S: Final = 0.5
"""A loop that answers later than this is late: the lease is renewed without what it would tell."""
_AWAY_KNOWN_S: Final = RENEW_EVERY_S + LEASE_S + 1.0
"""That the store is away is believed so long: `renewing` asks more often, unless the process stood still."""

Unwritten = Mapping[str, int]
"""Participant → where, in ms, their oldest speech begins that is not written: see `MeetingRow.unwritten`."""
Renewing = Callable[[LeaseStore], Coroutine[Any, Any, None]]
"""Renews a lease in this store until it is lost."""


class RenewalRunner(Protocol):
    """Runs what renews a lease where a late loop of the meeting does not delay it."""

    async def run(self, renewing: Renewing) -> None:
        """Run it to its end; where this is cancelled, it is cancelled, and over once this returns."""


class LeaseKeeper:
    """Keeps one lease (`run`), and knows whether it still stands (`sure`)."""

    def __init__(
        self,
        leases: LeaseStore,
        meeting_id: str,
        epoch: int,
        *,
        beside: RenewalRunner | None = None,
        on_lost: Callable[[], object] = lambda: None,
        on_end_requested: Callable[[], object] = lambda: None,
        on_lag: Callable[[float], object] = lambda _lag_s: None,
        unwritten: Callable[[], Unwritten | None] = lambda: None,
        heard: Callable[[], Unwritten] = dict,
    ) -> None:
        """`beside` None: the lease is renewed on the loop that calls `run`.

        `on_lost` and `on_end_requested` are called once at most. `on_lag` is told at each sign of life for
        how many seconds it was waited for. `unwritten`: what a successor is to know should this job die now.
        `heard`: the same for everybody who is there, as if all that they say from now on was lost; it is
        told of a loop that is late, and so hears nothing. All of these are called on the loop of `run`.
        """
        self._leases, self._meeting_id, self._epoch = leases, meeting_id, epoch
        self._beside = beside
        self._on_lost, self._on_end_requested, self._on_lag = on_lost, on_end_requested, on_lag
        self._unwritten, self._heard = unwritten, heard
        self.away = False
        """True while the store does not answer."""
        self._asked_s: float | None = None
        """The moment since which the meeting's loop is waited for; None: it is not."""
        self._alive_s = 0.0
        """When the meeting's loop gave its last sign of life, on the clock of event loops."""
        self._answered = asyncio.Event()
        self._answered.set()
        self._told: Unwritten | None = None
        self._heard_then: Unwritten = {}
        self._sure_until_s = 0.0
        """Before this moment, on the same clock, nobody else can have taken the lease."""
        self._tried_s = 0.0
        """When the store was asked last, whatever it answered."""
        self._lost = False
        self._ending = False
        self._failed_beside = False
        """Whether the lease could not be renewed beside this loop, so that this is to be tried from here."""
        self._news = asyncio.Event()
        self._asking = asyncio.Lock()

    # ---- on the meeting's loop ----------------------------------------------------------------

    async def sure(self) -> bool:
        """Tell whether the lease still is this holder's; the store is asked only where that is in doubt.

        True also while the store is known to be away: then nobody else can take the lease.
        """
        if self._in_doubt():
            async with self._asking:
                if self._in_doubt():
                    await self.renew()
                if self._lost:
                    self._news.set()
        return not self._lost

    def _in_doubt(self) -> bool:
        now_s = _now_s()
        known_until_s = self._tried_s + _AWAY_KNOWN_S if self.away else self._sure_until_s
        return not self._lost and now_s >= known_until_s

    async def run(self) -> None:
        """Keep the lease until cancelled; return when it is lost."""
        self._alive_s = _now_s()
        on_loop = asyncio.get_running_loop().call_soon_threadsafe

        def renewing(leases: LeaseStore) -> Coroutine[Any, Any, None]:
            return self.renewing(leases, on_loop)

        work = renewing(self._leases) if self._beside is None else self._beside.run(renewing)
        async with asyncio.TaskGroup() as tasks:
            beside = tasks.create_task(work, name="renewals")
            await self._follow()
            beside.cancel()

    async def _follow(self) -> None:
        """Do what is due on this loop, as the callbacks; return when the lease is lost, after `on_lost`."""
        end_announced = False
        while not self._lost:
            await self._news.wait()
            self._news.clear()
            if self._failed_beside and not self._lost:
                self._failed_beside = False
                await self.renew()
            if self._ending and not end_announced:
                end_announced = True
                self._on_end_requested()
        self._on_lost()

    async def renew(self) -> None:
        """Try once to renew the lease, with what is not written now."""
        self._give_sign()
        await self._renew(self._leases)

    def _give_sign(self) -> None:
        """Note that the meeting's loop lives, on which this is called, and what it has heard by now."""
        self._told, self._heard_then = self._unwritten(), self._heard()
        self._alive_s = _now_s()
        if self._asked_s is not None:
            self._on_lag(self._alive_s - self._asked_s)
        self._asked_s = None

    # ---- where the lease is renewed -----------------------------------------------------------

    async def renewing(self, leases: LeaseStore, on_loop: Callable[[Callable[[], object]], object]) -> None:
        """Renew the lease every 1.5 s while the meeting's loop lives; return when the lease is lost.

        `on_loop` has something called on the meeting's loop, from whichever thread this runs in.
        """
        next_s, hangs = _now_s() + RENEW_EVERY_S, False
        while not self._lost:
            await asyncio.sleep(next_s - _now_s())
            next_s = _now_s() + RENEW_EVERY_S  # from here: a slow answer delays no other renewal
            in_time = await self._sign_of_life(on_loop)
            silent_s = _now_s() - self._alive_s
            if silent_s >= HANGS_S:
                if not hangs:
                    log.error("meeting_hangs", epoch=self._epoch, silent_s=round(silent_s, 1))
                hangs = True
                continue
            hangs = False
            await self._renew(leases, on_time=in_time)
            if self._ending or self._failed_beside:
                _tell(on_loop, self._news.set)
        _tell(on_loop, self._news.set)

    async def _sign_of_life(self, on_loop: Callable[[Callable[[], object]], object]) -> bool:
        """Ask the meeting's loop for a sign of life; tell whether it came at once."""
        if self._answered.is_set():  # else the last question still waits on that loop
            here, self._answered, self._asked_s = asyncio.get_running_loop(), asyncio.Event(), _now_s()

            def answer() -> None:
                self._give_sign()
                _tell(here.call_soon_threadsafe, self._answered.set)

            _tell(on_loop, answer)
        return await happens(self._answered, _ANSWERS_WITHIN_S)

    async def _renew(self, leases: LeaseStore, *, on_time: bool = True) -> None:
        """Try once to renew the lease, and note what came of it."""
        asked_s = self._tried_s = _now_s()
        unwritten = self._told
        if not on_time and self._heard_then:  # nothing was heard since the last sign of life
            unwritten = {**self._heard_then, **(self._told or {})}
        try:
            async with asyncio.timeout(LEASE_S):
                renewal = await leases.renew(self._meeting_id, self._epoch, LEASE_S, unwritten=unwritten)
        except Fenced:
            if not self._lost:
                log.warning("lease_lost", epoch=self._epoch)
            self._lost = True
            return
        except (PortError, TimeoutError) as error:
            # `Refused` too: a password that was changed meanwhile may be put right again.
            if leases is not self._leases:
                self._failed_beside = True
                return
            if not self.away:
                log.warning("lease_not_renewed", error=str(error) or type(error).__name__)
            self.away = True
            return
        self.away = False
        self._sure_until_s = max(self._sure_until_s, asked_s + LEASE_S)
        self._ending = self._ending or renewal.end_requested


def _now_s() -> float:
    """Give the present moment on the clock that all event loops of the process share."""
    return asyncio.get_running_loop().time()


def _tell(on_loop: Callable[[Callable[[], object]], object], what: Callable[[], object]) -> None:
    """Have `what` called on another loop, if that still runs."""
    with suppress(RuntimeError):  # it was closed meanwhile
        on_loop(what)
