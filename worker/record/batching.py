"""Commits, lease renewals and audit rows of one process, made for several meetings or requests together.

A commit waits for the disk, some milliseconds where it is idle and a hundred where it is not. Each meeting
by itself would bring as many commits as there are turns. Together there are as many as the disk takes: what
comes while a commit is under way goes into the next one, and a turn waits for one, at most for two. In the
same way two hundred meetings that renew their leases every 1.5 s are 133 transactions a second by
themselves, and ten together, and a flood of requests for the API does not make their audit rows fail.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, Protocol, TypeVar

from context.ports import Fenced, MeetingStore, PortError, RecordedEvent, Snapshot, StoredMeeting
from worker.audit_log import Audit, AuditEntry, Deed
from worker.ports import Holder, LeaseStore, Renewal

LANES: Final = 4
"""Commits under way at a time. While the disk stalls under one, the others are in the log already, and the
next write to the disk is for all of them: with two lanes the last one waited for three writes, not two."""
GATHER_S: Final = 0.1
"""How long a renewal waits for others to go with it: little of a lease's five seconds."""
_APPENDS_AT_ONCE: Final = 50
_RENEWALS_AT_ONCE: Final = 500
_NOTES_AT_ONCE: Final = 500

R = TypeVar("R")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Batch:
    """The events to be appended to one meeting, under one epoch."""

    meeting_id: str
    epoch: int
    events: Sequence[RecordedEvent]


class BatchRefused(PortError):
    """Several meetings could not be committed together, because of one; each may be by itself."""


def _answer(waiter: asyncio.Future[A], answer: A | Exception) -> None:
    if waiter.done():  # it was cancelled
        return
    if isinstance(answer, Exception):
        waiter.set_exception(answer)
    else:
        waiter.set_result(answer)


class _Requests(Generic[R, A]):
    """Requests that nobody has taken yet, in the order in which they came, each with who waits for it."""

    def __init__(self) -> None:
        self._waiting: list[tuple[R, asyncio.Future[A]]] = []
        self._some = asyncio.Event()

    async def ask(self, request: R) -> A:
        """Queue a request and wait for its answer. Raises the exception that it is answered with."""
        waiter: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, waiter))
        self._some.set()
        return await waiter

    async def take(self, most: int, gather_s: float = 0.0) -> list[tuple[R, asyncio.Future[A]]]:
        """Wait for a request, and `gather_s` for more, and take the `most` oldest; `_answer` each.

        Those that nobody waits for any more are left out, so the list may be empty.
        """
        await self._some.wait()
        if gather_s:
            await asyncio.sleep(gather_s)
        taken, self._waiting = self._waiting[:most], self._waiting[most:]
        if not self._waiting:
            self._some.clear()
        return [(request, waiter) for request, waiter in taken if not waiter.done()]


# ---- appends ----------------------------------------------------------------------------------


class ManyAppends(MeetingStore, Protocol):
    """Port of a store that can commit several meetings together."""

    async def append_many(self, batches: Sequence[Batch]) -> list[bool]:
        """Commit all batches in one transaction; returns for each whether it was, False: it is fenced.

        Raises `BatchRefused`, or as `append` does; nothing is committed then.
        """


class SharedAppends:
    """A `MeetingStore` that commits appends of many meetings together; `run` must run beside its users."""

    def __init__(self, store: MeetingStore, appending: ManyAppends) -> None:
        """`appending` is the same store by connections of its own, so that appends wait for nothing else."""
        self._store, self._appending = store, appending
        self._requests = _Requests[Batch, None]()

    async def append(self, meeting_id: str, epoch: int, events: Sequence[RecordedEvent]) -> None:
        """See `MeetingStore.append`. One that is cancelled may still be committed, under its own epoch."""
        if events:
            await self._requests.ask(Batch(meeting_id, epoch, events))

    async def save_snapshot(self, meeting_id: str, epoch: int, snapshot: Snapshot) -> None:
        """See `MeetingStore.save_snapshot`."""
        await self._store.save_snapshot(meeting_id, epoch, snapshot)

    async def load(self, meeting_id: str, *, use_snapshot: bool = True) -> StoredMeeting | None:
        """See `MeetingStore.load`."""
        return await self._store.load(meeting_id, use_snapshot=use_snapshot)

    async def run(self) -> None:
        """Commit what is appended, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for number in range(LANES):
                tasks.create_task(self._lane(), name=f"appends-{number}")

    async def _lane(self) -> None:
        while True:
            requests = await self._requests.take(_APPENDS_AT_ONCE)
            if requests:
                # By id: two processes that share meetings (an old holder, a new one) lock them in one order.
                await self._commit(sorted(requests, key=lambda request: request[0].meeting_id))

    async def _commit(self, requests: Sequence[tuple[Batch, asyncio.Future[None]]]) -> None:
        batches = [batch for batch, _ in requests]
        try:
            if len(batches) == 1:
                await self._appending.append(batches[0].meeting_id, batches[0].epoch, batches[0].events)
                appended = [True]
            else:
                appended = await self._appending.append_many(batches)
        except BatchRefused:  # then each by itself
            async with asyncio.TaskGroup() as tasks:
                for request in requests:
                    tasks.create_task(self._commit([request]))
        except Exception as error:  # noqa: BLE001 - each of them gets it: its recorder tries again
            for _, waiter in requests:
                _answer(waiter, error)
        else:
            for (batch, waiter), ok in zip(requests, appended, strict=True):
                _answer(waiter, None if ok else Fenced.of(batch.meeting_id, batch.epoch))


# ---- renewals ---------------------------------------------------------------------------------


class ManyLeases(LeaseStore, Protocol):
    """Port of leases that can be renewed together."""

    async def renew_many(self, held: Mapping[str, int], ttl_s: float) -> Mapping[str, Renewal]:
        """Renew leases (meeting → epoch); returns the renewals without lost ones. Raises `PortError`."""


@dataclass(frozen=True, slots=True)
class _Held:
    meeting_id: str
    epoch: int
    ttl_s: float


class SharedRenewals:
    """A `LeaseStore` that renews the leases of many meetings together; `run` must run beside its users."""

    def __init__(self, leases: LeaseStore, renewing: ManyLeases, *, gather_s: float = GATHER_S) -> None:
        """`renewing` is the same store by a connection of its own, so that renewals wait for nothing else."""
        self._leases, self._renewing, self._gather_s = leases, renewing, gather_s
        self._requests = _Requests[_Held, Renewal]()

    async def acquire(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        """See `LeaseStore.acquire`."""
        return await self._leases.acquire(meeting_id, holder, ttl_s)

    async def release(self, meeting_id: str, epoch: int) -> None:
        """See `LeaseStore.release`."""
        await self._leases.release(meeting_id, epoch)

    async def renew(
        self,
        meeting_id: str,
        epoch: int,
        ttl_s: float,
        *,
        unwritten: Mapping[str, int] | None = None,  # noqa: ARG002 - nobody speaks in a text meeting
    ) -> Renewal:
        """See `LeaseStore.renew`; raises also what the store raises for all that are renewed together."""
        return await self._requests.ask(_Held(meeting_id, epoch, ttl_s))

    async def run(self) -> None:
        """Renew what is asked for, until cancelled."""
        while True:
            if requests := await self._requests.take(_RENEWALS_AT_ONCE, self._gather_s):
                await self._renew(requests)

    async def _renew(self, requests: Sequence[tuple[_Held, asyncio.Future[Renewal]]]) -> None:
        """Renew leases together; of two holders of one meeting only the one with the higher epoch."""
        epochs: dict[str, int] = {}
        for held, _ in requests:
            epochs[held.meeting_id] = max(held.epoch, epochs.get(held.meeting_id, 0))
        try:
            renewed = await self._renewing.renew_many(epochs, min(held.ttl_s for held, _ in requests))
        except Exception as error:  # noqa: BLE001 - what a keeper does about it is its own affair
            for _, waiter in requests:
                _answer(waiter, error)
            return
        for held, waiter in requests:
            name, epoch = held.meeting_id, held.epoch
            renewal = renewed.get(name) if epoch == epochs[name] else None
            _answer(waiter, renewal or Fenced.of(name, epoch))


# ---- audit rows -------------------------------------------------------------------------------


class ManyNotes(Audit, Protocol):
    """Port of an audit log to which rows can be added together."""

    async def note_many(self, deeds: Sequence[Deed]) -> None:
        """Add a row for each of these deeds, all or none. Raises `PortError`."""


class SharedNotes:
    """An `Audit` whose rows are written together; `run` must run beside its users."""

    def __init__(self, audit: Audit, noting: ManyNotes) -> None:
        """`noting` is the same log by a connection of its own, so that rows wait for nothing else."""
        self._audit, self._noting = audit, noting
        self._requests = _Requests[Deed, None]()

    async def note(self, deed: Deed) -> None:
        """See `Audit.note`: the row is committed once this returns."""
        await self._requests.ask(deed)

    async def newest(
        self,
        *,
        meeting_id: str | None = None,
        who: str | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> Sequence[AuditEntry]:
        """See `Audit.newest`."""
        return await self._audit.newest(meeting_id=meeting_id, who=who, since=since, limit=limit)

    async def run(self) -> None:
        """Write what is noted, until cancelled."""
        while True:
            if requests := await self._requests.take(_NOTES_AT_ONCE):
                await self._write(requests)

    async def _write(self, requests: Sequence[tuple[Deed, asyncio.Future[None]]]) -> None:
        try:
            await self._noting.note_many([deed for deed, _ in requests])
        except Exception as error:  # noqa: BLE001 - each of them gets it, and does nothing without its row
            for _, waiter in requests:
                _answer(waiter, error)
        else:
            for _, waiter in requests:
                _answer(waiter, None)
