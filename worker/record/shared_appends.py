"""The record of a process with many meetings: what comes while a commit is under way goes into the next one.

A commit waits for the disk, some milliseconds where it is idle and a hundred where it is not. Each
meeting by itself would bring as many commits as there are turns; together there are as many as the
disk takes, and a turn waits for one, at most for two.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from context.ports import Fenced, MeetingStore, RecordedEvent, Snapshot, StoredMeeting
from worker.adapters.postgres_store import Batch, Together

LANES: Final = 4
"""Commits under way at a time. While the disk stalls under one, the others are in the log already, and the
next write to the disk is for all of them: with two, who came last waited for three writes, not for two."""
_AT_ONCE: Final = 50


class ManyAppends(MeetingStore, Protocol):
    """A store that commits several meetings together."""

    async def append_many(self, batches: Sequence[Batch]) -> list[bool]:
        """`append` of each; False for one that is fenced. Raises `Together`, or as `append`."""
        ...


@dataclass(frozen=True, slots=True)
class _Wish:
    batch: Batch
    answer: asyncio.Future[None]


class SharedAppends:
    """A `MeetingStore` whose appends go together; `run` must run beside its users."""

    def __init__(self, store: ManyAppends, *, appending: ManyAppends | None = None) -> None:
        """`appending`: the same store by ways of its own, where others must not stand before appends."""
        self._store, self._appending = store, appending or store
        self._wishes: list[_Wish] = []
        self._wished = asyncio.Event()

    async def append(self, meeting_id: str, epoch: int, events: Sequence[RecordedEvent]) -> None:
        """As the store does it. One that is cancelled may still be carried out, under its own epoch."""
        if not events:
            return
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._wishes.append(_Wish(Batch(meeting_id, epoch, events), answer))
        self._wished.set()
        await answer

    async def save_snapshot(self, meeting_id: str, epoch: int, snapshot: Snapshot) -> None:
        """As the store does it."""
        await self._store.save_snapshot(meeting_id, epoch, snapshot)

    async def load(self, meeting_id: str, *, use_snapshot: bool = True) -> StoredMeeting | None:
        """As the store does it."""
        return await self._store.load(meeting_id, use_snapshot=use_snapshot)

    async def run(self) -> None:
        """Until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for number in range(LANES):
                tasks.create_task(self._lane(), name=f"appends-{number}")

    async def _lane(self) -> None:
        while True:
            await self._wished.wait()
            wishes, self._wishes = self._wishes[:_AT_ONCE], self._wishes[_AT_ONCE:]
            if not self._wishes:
                self._wished.clear()
            # By id: two processes that share meetings (an old holder, a new one) lock them in one order.
            awaited = sorted(
                (wish for wish in wishes if not wish.answer.done()), key=lambda wish: wish.batch.meeting_id
            )
            if len(awaited) == 1:
                await self._alone(awaited[0])
            elif awaited:
                await self._together(awaited)

    async def _together(self, wishes: Sequence[_Wish]) -> None:
        try:
            kept = await self._appending.append_many([wish.batch for wish in wishes])
        except Together:
            async with asyncio.TaskGroup() as tasks:
                for wish in wishes:
                    tasks.create_task(self._alone(wish))
            return
        except Exception as error:  # noqa: BLE001 - each of them gets it: its recorder tries again
            for wish in wishes:
                _fail(wish, error)
            return
        for wish, ok in zip(wishes, kept, strict=True):
            if ok:
                _done(wish)
            else:
                batch = wish.batch
                _fail(
                    wish, Fenced(f"meeting {batch.meeting_id!r} is no longer held under epoch {batch.epoch}")
                )

    async def _alone(self, wish: _Wish) -> None:
        batch = wish.batch
        try:
            await self._appending.append(batch.meeting_id, batch.epoch, batch.events)
        except Exception as error:  # noqa: BLE001 - whoever asked gets it
            _fail(wish, error)
        else:
            _done(wish)


def _done(wish: _Wish) -> None:
    if not wish.answer.done():
        wish.answer.set_result(None)


def _fail(wish: _Wish, error: Exception) -> None:
    if not wish.answer.done():
        wish.answer.set_exception(error)
