"""Writes a meeting's events to the record, in order, and tells when they are safe to show.

One writer task. An event is committed at once when the writer is idle; what arrives while a
commit is under way goes together into the next one. `settled(seq)` is the gate in front of every
publication: it answers True once the event is committed, and False when the store is away and the
event lies in the local spool (or, on a full disk, in memory only). The writer keeps trying and
replays everything in order, so an event is never skipped and never written twice.

A store that does not answer counts as away after `PATIENCE_S`, while its answer is still awaited: a
database that stands still (frozen, its disk stalled) must not hold back what people are to read.

`Fenced` ends it: another holder has a higher epoch, and nothing of ours may follow.
"""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import islice
from math import inf
from typing import Final

import structlog

from context.ports import Fenced, MeetingStore, PortError, RecordedEvent, Refused, Snapshot
from worker.clock import Clock, happens
from worker.record.spool import Spool

log = structlog.get_logger(__name__)

PATIENCE_S: Final = 1.0
"""A commit takes some milliseconds; one that takes this long is shown as not durable, for now."""
_BATCH_EVENTS: Final = 200
"""Events in a commit at most. Half as many after each try that failed, so that a slow database takes some."""
_KEPT_EVENTS: Final = 64
"""So many committed events are remembered, as a database's own standby that takes over may lack them."""
_RETRY_FIRST_S: Final = 0.1
_RETRY_MAX_S: Final = 2.0
_RETRY_DISK_S: Final = 5.0
"""A disk that refused to take events is tried again after this, with all that it lacks."""


class Recorder:
    """Writes one meeting's record under one epoch. `run` has to run beside its users."""

    def __init__(
        self,
        store: MeetingStore | None,
        meeting_id: str,
        epoch: int,
        *,
        clock: Clock,
        spool: Spool | None = None,
        committed: int = 0,
    ) -> None:
        """`store` None: nothing is kept, and everything counts as committed at once.

        `committed` is the number of the last event on record so far. `spool` None: there is none, so what
        the store can't take is in memory only.
        """
        self._store, self._meeting_id, self._epoch = store, meeting_id, epoch
        self._clock, self._spool = clock, spool
        self._pending: deque[tuple[RecordedEvent, float]] = deque()
        self._kept: deque[RecordedEvent] = deque(maxlen=_KEPT_EVENTS)
        self.committed = committed
        """The number of the last event on the record."""
        self._spooled = committed
        """The number up to which events may be shown although the store is away."""
        self._on_disk = committed
        """The number up to which they are in the spool or on record, less than `_spooled` on a full disk."""
        self._disk_again_s = -inf
        self._disk = asyncio.Lock()
        """Held while the spool is written or cleared, so that no event is cleared that was just written."""
        self.spool_trouble = ""
        """Why the spool does not take what the store can't, so that a crash would lose it; empty: it does."""
        self.away = False
        """Whether the store is out of reach."""
        self._work = asyncio.Event()
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []

    @property
    def keeps(self) -> bool:
        """Whether there is a store, so that anything is kept."""
        return self._store is not None

    @property
    def pending(self) -> int:
        """How many events wait for their commit."""
        return len(self._pending)

    def oldest_unwritten_s(self) -> float:
        """How long the oldest event has been waiting for its commit; 0 where none waits."""
        return self._clock.monotonic_s() - self._pending[0][1] if self._pending else 0.0

    def write(self, event: RecordedEvent) -> None:
        """Queue an event to be committed; its number has to follow the last one's. Never waits."""
        if self._store is None:
            self.committed = event.seq
            return
        self._pending.append((event, self._clock.monotonic_s()))
        self._work.set()

    async def settled(self, seq: int) -> bool:
        """Wait until event `seq` may be shown. True: it is committed; False: the store is away."""
        while self.committed < seq:
            if self.away and self._spooled >= seq:
                return False
            await self._change(seq)
        return True

    async def _change(self, seq: int) -> None:
        """Wait once: until event `seq` is committed, or the store or spool has changed while it is away."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append((seq, waiter))
        await waiter

    async def run(self) -> None:
        """Commit what is written until cancelled. Raises `Fenced` when another holder has a higher epoch.

        A store that refuses (a changed password, a missing table) is away like one that is down: the
        meeting goes on, its events wait, and the reason is in the log (the job's status says only `away`).
        """
        retry_s, at_most, refused = _RETRY_FIRST_S, _BATCH_EVENTS, False
        while True:
            while not self._pending:
                self._work.clear()
                await self._work.wait()
            batch = [event for event, _ in islice(self._pending, at_most)]
            try:
                # What is on record already counts once; where the store lacks it, nothing could follow.
                await self._append([*self._kept, *batch] if refused else batch)
            except Fenced:
                if self._spool is not None:  # for the other holder: see `worker.holder.orphaned_spools`
                    await self._to_disk(self._spool)
                raise
            except Exception as error:
                if not isinstance(error, PortError):
                    log.exception("record_fault")  # of ours; no reason to end the meeting
                await self._store_is_away(str(error) or type(error).__name__)
                await self._wait_out(retry_s)
                retry_s = min(retry_s * 2, _RETRY_MAX_S)
                at_most, refused = max(1, at_most // 2), isinstance(error, Refused)
                continue
            retry_s, at_most, refused = _RETRY_FIRST_S, min(2 * at_most, _BATCH_EVENTS), False
            for _ in batch:
                self._pending.popleft()
            self._kept += batch
            self.committed = batch[-1].seq
            if self.away and not self._pending:
                log.info("record_store_back", committed=self.committed)
                self.away, self.spool_trouble, self._disk_again_s = False, "", -inf
                await self.forget_spool()
            self._wake()

    async def _append(self, batch: list[RecordedEvent]) -> None:
        """Commit a batch; where that takes long, what is pending goes to the spool meanwhile."""
        assert self._store is not None
        appending = asyncio.ensure_future(self._store.append(self._meeting_id, self._epoch, batch))
        try:
            patience_s = 0.0 if self.away else PATIENCE_S
            done, _ = await asyncio.wait({appending}, timeout=patience_s)
            if not done:
                appending.add_done_callback(lambda _: self._work.set())
                await self._store_is_away(f"no answer within {patience_s:g} s")
                while not appending.done():
                    self._work.clear()
                    await self._spool_fresh()
                    if not appending.done():
                        await self._work.wait()
            await appending
        finally:
            if not appending.done():  # we are stopped: nothing of ours goes on behind our back
                appending.cancel()
                await asyncio.gather(appending, return_exceptions=True)
            elif not appending.cancelled():
                appending.exception()  # looked at, so that nobody warns of it

    async def save(self, snapshot: Snapshot) -> None:
        """Save a snapshot beside the events. Raises what `MeetingStore.save_snapshot` raises."""
        if self._store is not None:
            await self._store.save_snapshot(self._meeting_id, self._epoch, snapshot)

    async def drain(self, deadline_s: float) -> bool:
        """Wait until everything written so far is committed; False: the deadline came first."""
        if not self._pending:
            return True
        last = self._pending[-1][0].seq
        try:
            async with asyncio.timeout(deadline_s):
                while self.committed < last:
                    await self._change(last)
        except TimeoutError:
            return False
        return True

    async def _store_is_away(self, error: str) -> None:
        if not self.away:
            log.warning("record_store_away", error=error, pending=len(self._pending))
            self.away = True
        await self._spool_fresh()

    async def _wait_out(self, retry_s: float) -> None:
        """Wait until the next try; what is written meanwhile goes to the spool at once."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + retry_s
        while (left_s := until_s - loop.time()) > 0 and await happens(self._work, left_s):
            self._work.clear()
            await self._spool_fresh()

    async def _spool_fresh(self) -> None:
        """Spool what is pending and new, and allow it to be shown, whether or not the disk took it."""
        fresh = [event for event, _ in self._pending if event.seq > self._spooled]
        if not fresh and not self.spool_trouble:
            return
        if self._spool is not None and self._clock.monotonic_s() >= self._disk_again_s:
            await self._to_disk(self._spool)
        if fresh:
            self._spooled = fresh[-1].seq
            self._wake()

    async def _to_disk(self, spool: Spool) -> None:
        """Append to the spool all that it lacks: so it has no hole, whatever the disk refused before."""
        lacking = [event for event, _ in self._pending if event.seq > self._on_disk]
        if not lacking:
            return
        try:
            async with self._disk:
                await asyncio.to_thread(spool.append, lacking)
        except (OSError, ValueError) as error:
            # A full disk: the events are in memory, and the meeting goes on with that.
            self._disk_again_s = self._clock.monotonic_s() + _RETRY_DISK_S
            if not self.spool_trouble:
                log.error("record_spool_failed", error=str(error))  # noqa: TRY400 - no traceback wanted
            self.spool_trouble = str(error)
        else:
            self._on_disk = lacking[-1].seq
            self.spool_trouble = ""

    async def forget_spool(self) -> None:
        """Clear the spool, everything in it being on the record, unless the store is away again."""
        if self._spool is None:
            return
        async with self._disk:
            if self.away:
                return
            try:
                await asyncio.to_thread(self._spool.clear)
            except OSError as error:
                log.warning("spool_not_cleared", error=str(error))

    def _wake(self) -> None:
        waiting, self._waiters = self._waiters, []
        for seq, waiter in waiting:
            if seq > self.committed and not self.away:
                self._waiters.append((seq, waiter))
            elif not waiter.done():
                waiter.set_result(None)
