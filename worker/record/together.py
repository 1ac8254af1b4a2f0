"""What the many meetings of one process write all the time, written for many of them at once.

A commit waits for the disk, some milliseconds where it is idle and a hundred where it is not. Each meeting
by itself would bring as many commits as there are turns. Together there are as many as the disk takes: what
comes while a commit is under way goes into the next one, and a turn waits for one, at most for two. In the
same way two hundred meetings that renew their leases every 1.5 s are 133 transactions a second by
themselves, and ten together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from context.ports import Fenced, MeetingStore, PortError, RecordedEvent, Snapshot, StoredMeeting
from worker.ports import Holder, LeaseStore, Renewal

LANES: Final = 4
"""Commits under way at a time. While the disk stalls under one, the others are in the log already, and the
next write to the disk is for all of them: with two, who came last waited for three writes, not for two."""
GATHER_S: Final = 0.1
"""A renewal waits so long for others to go with it: little of a lease's five seconds."""
_APPENDS_AT_ONCE: Final = 50
_RENEWALS_AT_ONCE: Final = 500

W = TypeVar("W")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Batch:
    """What is to be appended to one meeting."""

    meeting_id: str
    epoch: int
    events: Sequence[RecordedEvent]


class Together(PortError):
    """One of several stands in the way of the others."""


def _give(asker: asyncio.Future[A], answer: A | Exception) -> None:
    if asker.done():  # it waits no longer
        return
    if isinstance(answer, Exception):
        asker.set_exception(answer)
    else:
        asker.set_result(answer)


class _Wishes(Generic[W, A]):
    """Those that nobody has taken up yet, each with its asker, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: list[tuple[W, asyncio.Future[A]]] = []
        self._wished = asyncio.Event()

    async def granted(self, wish: W) -> A:
        """Wait for the answer to one."""
        asker: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._waiting.append((wish, asker))
        self._wished.set()
        return await asker

    async def taken(self, most: int, gather_s: float = 0.0) -> list[tuple[W, asyncio.Future[A]]]:
        """Wait for some, and `gather_s` for more; of the oldest ones those whose askers still wait."""
        await self._wished.wait()
        if gather_s:
            await asyncio.sleep(gather_s)
        taken, self._waiting = self._waiting[:most], self._waiting[most:]
        if not self._waiting:
            self._wished.clear()
        return [(wish, asker) for wish, asker in taken if not asker.done()]


def _fenced(meeting_id: str, epoch: int) -> Fenced:
    return Fenced(f"meeting {meeting_id!r} is no longer held under epoch {epoch}")


# ---- appends ----------------------------------------------------------------------------------


class ManyAppends(MeetingStore, Protocol):
    """A store that commits several meetings together."""

    async def append_many(self, batches: Sequence[Batch]) -> list[bool]:
        """`append` of each; False for one that is fenced. Raises `Together`, or as `append`."""


class SharedAppends:
    """A `MeetingStore` whose appends go together; `run` must run beside its users."""

    def __init__(self, store: ManyAppends, *, appending: ManyAppends | None = None) -> None:
        """`appending`: the same store by ways of its own, where others must not stand before appends."""
        self._store, self._appending = store, appending or store
        self._wishes = _Wishes[Batch, None]()

    async def append(self, meeting_id: str, epoch: int, events: Sequence[RecordedEvent]) -> None:
        """As the store does it. One that is cancelled may still be carried out, under its own epoch."""
        if events:
            await self._wishes.granted(Batch(meeting_id, epoch, events))

    async def save_snapshot(self, meeting_id: str, epoch: int, snapshot: Snapshot) -> None:
        """As the store does it."""
        await self._store.save_snapshot(meeting_id, epoch, snapshot)

    async def load(self, meeting_id: str, *, use_snapshot: bool = True) -> StoredMeeting | None:
        """As the store does it."""
        return await self._store.load(meeting_id, use_snapshot=use_snapshot)

    async def run(self) -> None:
        """Commit what comes, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for number in range(LANES):
                tasks.create_task(self._lane(), name=f"appends-{number}")

    async def _lane(self) -> None:
        while True:
            wishes = await self._wishes.taken(_APPENDS_AT_ONCE)
            if wishes:
                # By id: two processes that share meetings (an old holder, a new one) lock them in one order.
                await self._commit(sorted(wishes, key=lambda wish: wish[0].meeting_id))

    async def _commit(self, wishes: Sequence[tuple[Batch, asyncio.Future[None]]]) -> None:
        batches = [batch for batch, _ in wishes]
        try:
            if len(batches) == 1:
                await self._appending.append(batches[0].meeting_id, batches[0].epoch, batches[0].events)
                kept = [True]
            else:
                kept = await self._appending.append_many(batches)
        except Together:  # then each by itself
            async with asyncio.TaskGroup() as tasks:
                for wish in wishes:
                    tasks.create_task(self._commit([wish]))
        except Exception as error:  # noqa: BLE001 - each of them gets it: its recorder tries again
            for _, asker in wishes:
                _give(asker, error)
        else:
            for (batch, asker), ok in zip(wishes, kept, strict=True):
                _give(asker, None if ok else _fenced(batch.meeting_id, batch.epoch))


# ---- renewals ---------------------------------------------------------------------------------


class ManyLeases(LeaseStore, Protocol):
    """Leases that can be renewed together."""

    async def renew_many(self, held: Mapping[str, int], ttl_s: float) -> Mapping[str, Renewal]:
        """Renewals by meeting; those that are lost are missing. Raises `PortError`."""


@dataclass(frozen=True, slots=True)
class _Held:
    meeting_id: str
    epoch: int
    ttl_s: float


class SharedRenewals:
    """A `LeaseStore` whose renewals go together; `run` must run beside its users."""

    def __init__(
        self, leases: ManyLeases, *, gather_s: float = GATHER_S, renewing: ManyLeases | None = None
    ) -> None:
        """`renewing`: the same leases by a way of its own, where others must not stand before renewals."""
        self._leases, self._gather_s, self._renewing = leases, gather_s, renewing or leases
        self._wishes = _Wishes[_Held, Renewal]()

    async def acquire(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        """As the store does it."""
        return await self._leases.acquire(meeting_id, holder, ttl_s)

    async def release(self, meeting_id: str, epoch: int) -> None:
        """As the store does it."""
        await self._leases.release(meeting_id, epoch)

    async def renew(
        self,
        meeting_id: str,
        epoch: int,
        ttl_s: float,
        *,
        unwritten: Mapping[str, int] | None = None,  # noqa: ARG002 - nobody speaks in a text meeting
    ) -> Renewal:
        """Extend, with the others. Raises `Fenced`, and what the store raises for all of them."""
        return await self._wishes.granted(_Held(meeting_id, epoch, ttl_s))

    async def run(self) -> None:
        """Renew what comes, until cancelled."""
        while True:
            if wishes := await self._wishes.taken(_RENEWALS_AT_ONCE, self._gather_s):
                await self._renew(wishes)

    async def _renew(self, wishes: Sequence[tuple[_Held, asyncio.Future[Renewal]]]) -> None:
        """Of two holders of one meeting in this process the one with the higher epoch is renewed."""
        epochs: dict[str, int] = {}
        for held, _ in wishes:
            epochs[held.meeting_id] = max(held.epoch, epochs.get(held.meeting_id, 0))
        try:
            renewed = await self._renewing.renew_many(epochs, min(held.ttl_s for held, _ in wishes))
        except Exception as error:  # noqa: BLE001 - what a keeper does about it is its own affair
            for _, asker in wishes:
                _give(asker, error)
            return
        for held, asker in wishes:
            name, epoch = held.meeting_id, held.epoch
            renewal = renewed.get(name) if epoch == epochs[name] else None
            _give(asker, renewal or _fenced(name, epoch))
