"""The leases of a process with many meetings: what is renewed at about the same time goes in one statement.

Two hundred meetings that renew every 1.5 s are 133 transactions a second by themselves; together they
are ten.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from context.ports import Fenced
from worker.ports import Holder, LeaseStore, Renewal

GATHER_S: Final = 0.1
"""A renewal waits so long for others to go with it: little of a lease's five seconds."""
_AT_ONCE: Final = 500


class ManyLeases(LeaseStore, Protocol):
    """Leases that can be renewed together."""

    async def renew_many(self, held: Mapping[str, int], ttl_s: float) -> Mapping[str, Renewal]:
        """Renewals by meeting; those that are lost are missing. Raises `PortError`."""
        ...


@dataclass(frozen=True, slots=True)
class _Wish:
    meeting_id: str
    epoch: int
    ttl_s: float
    answer: asyncio.Future[Renewal]


class SharedRenewals:
    """A `LeaseStore` whose renewals go together; `run` must run beside its users."""

    def __init__(
        self, leases: ManyLeases, *, gather_s: float = GATHER_S, renewing: ManyLeases | None = None
    ) -> None:
        """`renewing`: the same leases by a way of its own, where others must not stand before renewals."""
        self._leases, self._gather_s, self._renewing = leases, gather_s, renewing or leases
        self._wishes: list[_Wish] = []
        self._wished = asyncio.Event()

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
        answer: asyncio.Future[Renewal] = asyncio.get_running_loop().create_future()
        self._wishes.append(_Wish(meeting_id, epoch, ttl_s, answer))
        self._wished.set()
        return await answer

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self._wished.wait()
            await asyncio.sleep(self._gather_s)
            wishes, self._wishes = self._wishes[:_AT_ONCE], self._wishes[_AT_ONCE:]
            if not self._wishes:
                self._wished.clear()
            await self._renew(_newest_of_each(wishes))

    async def _renew(self, wishes: Mapping[str, Sequence[_Wish]]) -> None:
        try:
            renewed = await self._renewing.renew_many(
                {name: alike[0].epoch for name, alike in wishes.items()},
                min(wish.ttl_s for alike in wishes.values() for wish in alike),
            )
        except Exception as error:  # noqa: BLE001 - see below
            # Everybody gets it: what a keeper does about it is its own affair, and so is the next try.
            for alike in wishes.values():
                _answer(alike, error)
            return
        for name, alike in wishes.items():
            lost = Fenced(f"meeting {name!r} is no longer held under epoch {alike[0].epoch}")
            _answer(alike, renewed.get(name, lost))


def _newest_of_each(wishes: Sequence[_Wish]) -> dict[str, list[_Wish]]:
    """By meeting: who asks with its highest epoch, several at a time perhaps. Others are fenced."""
    newest: dict[str, list[_Wish]] = {}
    for wish in wishes:
        alike = newest.setdefault(wish.meeting_id, [])
        if alike and alike[0].epoch > wish.epoch:
            stale, fresh = [wish], alike
        elif alike and alike[0].epoch < wish.epoch:
            stale, fresh = alike, [wish]
        else:
            stale, fresh = [], [*alike, wish]
        _answer(stale, Fenced(f"meeting {wish.meeting_id!r}: a later holder renews it here"))
        newest[wish.meeting_id] = fresh
    return newest


def _answer(wishes: Sequence[_Wish], answer: Renewal | Exception) -> None:
    for wish in wishes:
        if wish.answer.done():  # its keeper waits no longer
            continue
        if isinstance(answer, Renewal):
            wish.answer.set_result(answer)
        else:
            wish.answer.set_exception(answer)
