"""Leases of one process that are renewed together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from context.ports import Fenced, Unavailable
from tests.fakes.leases import FakeLeases
from worker.ports import Renewal
from worker.record.shared_renewals import SharedRenewals


class Many(FakeLeases):
    """Counts statements."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Mapping[str, int]] = []

    async def renew_many(self, held: Mapping[str, int], ttl_s: float) -> Mapping[str, Renewal]:
        self.asked.append(held)
        found = {}
        for meeting_id, epoch in held.items():
            try:
                found[meeting_id] = await self.renew(meeting_id, epoch, ttl_s)
            except Fenced:
                continue
        return found


def held(leases: Many, count: int) -> dict[str, int]:
    epochs = {}
    for number in range(count):
        epochs[f"m-{number}"] = leases.record.open_meeting(f"m-{number}")
    return epochs


async def test_two_hundred_renew_in_one_statement() -> None:
    leases = Many()
    epochs = held(leases, 200)
    leases.record.meetings["m-7"].end_requested = True
    shared = SharedRenewals(leases, gather_s=0.001)
    running = asyncio.ensure_future(shared.run())
    renewals = await asyncio.gather(*(shared.renew(name, epoch, 5) for name, epoch in epochs.items()))
    running.cancel()
    assert len(leases.asked) == 1
    assert [number for number, renewal in enumerate(renewals) if renewal.end_requested] == [7]


async def test_a_lost_lease_is_lost_for_its_meeting_alone() -> None:
    leases = Many()
    epochs = held(leases, 3)
    leases.record.meetings["m-1"].epoch += 1
    shared = SharedRenewals(leases, gather_s=0.001)
    running = asyncio.ensure_future(shared.run())
    answers = await asyncio.gather(
        *(shared.renew(name, epoch, 5) for name, epoch in epochs.items()), return_exceptions=True
    )
    running.cancel()
    assert [type(answer) for answer in answers] == [Renewal, Fenced, Renewal]


async def test_of_two_holders_of_one_meeting_the_older_is_fenced() -> None:
    leases = Many()
    held(leases, 1)
    leases.record.meetings["m-0"].epoch = 2
    shared = SharedRenewals(leases, gather_s=0.001)
    running = asyncio.ensure_future(shared.run())
    for epochs in ((1, 2), (2, 1)):
        answers = await asyncio.gather(
            *(shared.renew("m-0", epoch, 5) for epoch in epochs), return_exceptions=True
        )
        assert {epoch: type(answer) for epoch, answer in zip(epochs, answers, strict=True)} == {
            1: Fenced,
            2: Renewal,
        }
    running.cancel()


async def test_a_database_that_is_away_is_told_to_everybody_and_asked_again() -> None:
    leases = Many()
    epochs = held(leases, 2)
    shared = SharedRenewals(leases, gather_s=0.001)
    running = asyncio.ensure_future(shared.run())
    leases.record.available = False
    answers = await asyncio.gather(
        *(shared.renew(name, epoch, 5) for name, epoch in epochs.items()), return_exceptions=True
    )
    assert {type(answer) for answer in answers} == {Unavailable}
    leases.record.available = True
    await shared.renew("m-0", epochs["m-0"], 5)
    with pytest.raises(Fenced):
        await shared.renew("m-0", 99, 5)
    running.cancel()


async def test_one_holder_that_asks_twice_at_a_time_is_answered_twice() -> None:
    """Its keeper's round, and somebody who has to be sure before a word goes out."""
    leases = Many()
    epochs = held(leases, 2)
    shared = SharedRenewals(leases, gather_s=0.001)
    running = asyncio.ensure_future(shared.run())
    answers = await asyncio.gather(
        *(shared.renew(name, epoch, 5) for name, epoch in [*epochs.items(), *epochs.items()])
    )
    running.cancel()
    assert answers == [Renewal()] * 4
    assert len(leases.asked) == 1
