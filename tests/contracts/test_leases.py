"""The right to write a meeting: one at a time, and its number only grows."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from context.ports import Fenced, Refused
from tests.contracts.world import HOLDER, OTHER, World
from worker.ports import Holder


async def test_the_first_to_ask_gets_epoch_one(world: World) -> None:
    await world.registry.want("room", meeting_id="m-1")
    assert await world.leases.acquire("m-1", HOLDER, 5) == 1
    row = await world.row()
    assert (row.epoch, row.holder) == (1, HOLDER)


async def test_nobody_gets_a_lease_that_stands(world: World) -> None:
    await world.hold()
    assert await world.leases.acquire("m-1", OTHER, 5) is None


async def test_after_expiry_anybody_gets_it_with_a_higher_epoch(world: World) -> None:
    epoch = await world.hold()
    await world.pass_time(6)
    row = await world.row()
    assert row.holder is None
    taken = await world.taken()
    assert taken > epoch
    with pytest.raises(Fenced):
        await world.leases.renew("m-1", epoch, 5)


async def test_the_same_holder_may_take_it_again_with_a_higher_epoch(world: World) -> None:
    epoch = await world.hold()
    again = await world.taken(by=HOLDER)
    assert again > epoch
    with pytest.raises(Fenced):
        await world.leases.renew("m-1", epoch, 5)


async def test_a_late_holder_may_renew_while_nobody_took_over(world: World) -> None:
    epoch = await world.hold()
    await world.pass_time(60)
    await world.leases.renew("m-1", epoch, 5)
    assert await world.leases.acquire("m-1", OTHER, 5) is None


async def test_renewing_extends(world: World) -> None:
    epoch = await world.hold()
    for _ in range(3):
        await world.pass_time(3)
        renewal = await world.leases.renew("m-1", epoch, 5)
        assert not renewal.end_requested
    assert await world.leases.acquire("m-1", OTHER, 5) is None


async def test_what_was_let_go_is_free_at_once_and_its_epoch_is_not_used_again(world: World) -> None:
    epoch = await world.hold()
    await world.leases.release("m-1", epoch)
    taken = await world.taken()
    assert taken > epoch


async def test_a_stale_release_takes_nothing_from_the_successor(world: World) -> None:
    stale = await world.hold()
    await world.pass_time(6)
    epoch = await world.taken()
    await world.leases.release("m-1", stale)
    await world.leases.renew("m-1", epoch, 5)
    assert await world.leases.acquire("m-1", HOLDER, 5) is None


async def test_an_unknown_meeting_has_no_lease(world: World) -> None:
    with pytest.raises(Refused, match="m-nowhere"):
        await world.leases.acquire("m-nowhere", HOLDER, 5)
    with pytest.raises(Fenced):
        await world.leases.renew("m-nowhere", 1, 5)
    await world.leases.release("m-nowhere", 1)


async def test_of_many_who_ask_at_once_one_wins(world: World) -> None:
    await world.registry.want("room", meeting_id="m-1")
    contenders = [Holder(host="h", worker_pid=1, job_pid=n) for n in range(8)]
    for _ in range(5):
        answers = await asyncio.gather(*(world.leases.acquire("m-1", c, 5) for c in contenders))
        assert len([epoch for epoch in answers if epoch]) == 1
        await world.pass_time(6)
    row = await world.row()
    assert row.epoch == 5


async def test_the_wish_to_end_comes_with_the_renewal(world: World) -> None:
    epoch = await world.hold()
    assert await world.registry.request_end("m-1")
    assert (await world.leases.renew("m-1", epoch, 5)).end_requested


async def test_what_is_not_written_yet_goes_with_the_renewal_and_outlives_its_holder(world: World) -> None:
    epoch = await world.hold()

    async def unwritten() -> dict[str, int]:
        row = await world.row()
        return dict(row.unwritten)

    assert await unwritten() == {}
    await world.leases.renew("m-1", epoch, 5, unwritten={"민지": 61_200, "ben": 3})
    assert await unwritten() == {"민지": 61_200, "ben": 3}
    await world.leases.renew("m-1", epoch, 5)
    await world.pass_time(6)
    successor = await world.leases.acquire("m-1", OTHER, 5)
    assert successor
    await world.leases.renew("m-1", successor, 5)
    assert await unwritten() == {"민지": 61_200, "ben": 3}, "its successor is still reading the record"
    with pytest.raises(Fenced):
        await world.leases.renew("m-1", epoch, 5, unwritten={})
    await world.leases.renew("m-1", successor, 5, unwritten={})
    assert await unwritten() == {}


async def test_a_meeting_that_has_ended_is_held_again_to_put_something_right(world: World) -> None:
    epoch = await world.hold()
    assert await world.leases.reopen("m-1", OTHER, 60) is None, "it has not ended"
    await world.registry.mark_ended("m-1", epoch, datetime(2026, 1, 5, 10, 0, tzinfo=UTC))
    await world.leases.release("m-1", epoch)
    again = await world.leases.reopen("m-1", OTHER, 60)
    assert again is not None
    assert again > epoch
    assert await world.leases.reopen("m-1", HOLDER, 60) is None, "one after the other"
    await world.leases.release("m-1", again)
    assert await world.leases.reopen("m-1", HOLDER, 60) is not None
    assert await world.leases.acquire("m-1", HOLDER, 5) is None, "nobody goes on with it"
    with pytest.raises(Refused):
        await world.leases.reopen("m-none", HOLDER, 5)
