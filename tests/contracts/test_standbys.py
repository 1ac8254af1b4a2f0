"""Who stands by for a meeting, and which meetings are sent somebody."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from context.ports import Fenced
from tests.contracts.world import HOLDER, OTHER, World
from worker.ports import Holder

NINE = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
BESIDE = HOLDER.model_copy(update={"job_pid": 12})
"""In the holder's own worker."""
THIRD = Holder(host="host-c", worker_pid=30, job_pid=31)


async def _live(world: World, meeting_id: str = "m-1") -> int:
    epoch = await world.hold(meeting_id, f"회의실 {meeting_id}")
    await world.registry.mark_live(meeting_id, epoch, NINE)
    return epoch


async def _claimed(world: World, *, every: bool = True) -> list[tuple[str, bool]]:
    found = await world.standbys.claim_unguarded(limit=9, retry_after_s=4, every=every)
    return [(wish.row.id, wish.apart) for wish in found]


async def test_who_stands_by_is_shown_for_a_while(world: World) -> None:
    await world.hold()
    assert await world.standbys.note("m-1", OTHER, 5)
    row = await world.row()
    assert (row.holder, row.standby) == (HOLDER, OTHER)
    await world.pass_time(6)
    row = await world.row()
    assert row.standby is None


async def test_who_has_become_the_holder_stands_by_no_longer(world: World) -> None:
    epoch = await world.hold()
    assert await world.standbys.note("m-1", OTHER, 60)
    await world.leases.release("m-1", epoch)
    assert await world.leases.acquire("m-1", OTHER, 5) == epoch + 1
    row = await world.row()
    assert (row.holder, row.standby) == (OTHER, None)
    assert (await world.registry.list_all())[0].standby is None


async def test_one_stands_by_at_a_time_and_another_worker_is_the_better_place(world: World) -> None:
    await _live(world)
    assert await world.standbys.note("m-1", BESIDE, 5)
    assert await world.standbys.note("m-1", OTHER, 5), "elsewhere is better than in the holder's worker"
    assert not await world.standbys.note("m-1", BESIDE, 5)
    assert not await world.standbys.note("m-1", THIRD, 5), "as good is not better"
    assert await world.standbys.note("m-1", OTHER, 5), "again"
    await world.standbys.drop("m-1", BESIDE)
    assert not await world.standbys.note("m-1", THIRD, 5), "who does not stand by drops nothing"
    await world.standbys.drop("m-1", OTHER)
    assert await world.standbys.note("m-1", THIRD, 5)


async def test_for_a_meeting_that_is_over_nobody_stands_by(world: World) -> None:
    epoch = await _live(world)
    await world.registry.mark_ended("m-1", epoch, NINE)
    assert not await world.standbys.note("m-1", OTHER, 5)
    assert not await world.standbys.note("m-nobody", OTHER, 5)
    assert await _claimed(world) == []


async def test_a_live_meeting_without_a_standby_is_claimed_in_turns(world: World) -> None:
    await _live(world)
    assert await _claimed(world) == [("m-1", True)]
    assert await _claimed(world) == []
    await world.pass_time(4.1)
    await world.leases.renew("m-1", 1, 5)
    assert await _claimed(world) == [("m-1", False)], "nobody else took it: the holder's own worker may"
    assert await world.standbys.note("m-1", OTHER, 60)
    await world.pass_time(4.1)
    await world.leases.renew("m-1", 1, 5)
    assert await _claimed(world) == [], "somebody stands by"
    await world.standbys.drop("m-1", OTHER)
    assert await _claimed(world) == [("m-1", True)], "at once when it is gone"


async def test_only_those_that_want_one(world: World) -> None:
    await _live(world, "m-1")
    await _live(world, "m-2")
    await world.standbys.want("m-2")
    assert await _claimed(world, every=False) == [("m-2", True)]


async def test_what_is_not_live_or_not_held_is_not_guarded(world: World) -> None:
    await world.hold("m-1", "room")
    assert await _claimed(world) == [], "its holder has not come in yet"
    await world.registry.mark_live("m-1", 1, NINE)
    await world.pass_time(5.1)
    assert await _claimed(world) == [], "nobody holds it: it needs a holder first"


async def test_both_in_one_worker_another_is_looked_for_now_and_then(world: World) -> None:
    await _live(world)
    await _claimed(world)
    assert await world.standbys.note("m-1", BESIDE, 600)
    await world.pass_time(10)
    await world.leases.renew("m-1", 1, 5)
    assert await _claimed(world) == []
    await world.pass_time(30)
    await world.leases.renew("m-1", 1, 5)
    assert await _claimed(world) == [("m-1", True)]


async def test_a_successor_is_sought_in_another_worker(world: World) -> None:
    epoch = await _live(world)
    await world.standbys.seek_successor("m-1", epoch, 60)
    assert await _claimed(world, every=False) == [("m-1", True)]
    await world.pass_time(4.1)
    await world.leases.renew("m-1", 1, 5)
    await world.standbys.seek_successor("m-1", epoch, 60)
    assert await world.standbys.note("m-1", BESIDE, 60), "one that would go with it is of no use"
    assert await _claimed(world, every=False) == [("m-1", True)]
    assert await world.standbys.note("m-1", OTHER, 60)
    await world.pass_time(10)
    await world.leases.renew("m-1", 1, 5)
    assert await _claimed(world, every=False) == []
    await world.standbys.drop("m-1", OTHER)
    await world.standbys.successor_found("m-1")
    assert await _claimed(world, every=False) == []
    with pytest.raises(Fenced):
        await world.standbys.seek_successor("m-1", epoch + 1, 60)


async def test_claimers_at_once_send_one_each(world: World) -> None:
    for number in range(8):
        await _live(world, f"m-{number}")
    claims = await asyncio.gather(
        *(world.standbys.claim_unguarded(limit=3, retry_after_s=60, every=True) for _ in range(4))
    )
    ids = [wish.row.id for claim in claims for wish in claim]
    assert len(ids) == len(set(ids))


async def test_who_stands_by_comes_before_whoever_is_sent(world: World) -> None:
    await _live(world)
    assert await world.standbys.note("m-1", OTHER, 60)
    await world.pass_time(5.5)  # the holder is dead
    assert await world.claimed(5) == []
    await world.pass_time(2.5)  # and its standby as well, or it would hold it by now
    assert await world.claimed(5) == ["m-1"]


async def test_a_standby_that_died_with_its_holder_keeps_nobody_waiting(world: World) -> None:
    await _live(world)
    assert await world.standbys.note("m-1", BESIDE, 60)
    await world.pass_time(5.5)
    assert await world.claimed(5) == ["m-1"]


async def test_a_standby_beside_a_job_that_died_alone_goes_first(world: World) -> None:
    epoch = await _live(world)
    assert await world.standbys.note("m-1", BESIDE, 60)
    await world.leases.release("m-1", epoch)
    assert await world.claimed(5) == []
    await world.pass_time(3)
    assert await world.claimed(5) == ["m-1"]


async def test_a_holder_late_with_its_lease_is_sent_a_relief(world: World) -> None:
    epoch = await _live(world)

    async def claimed(late_s: float) -> list[tuple[str, bool, bool]]:
        found = await world.standbys.claim_unguarded(limit=9, retry_after_s=4, every=False, late_s=late_s)
        return [(wish.row.id, wish.apart, wish.relief) for wish in found]

    assert await claimed(2) == [], "renewed a moment ago"
    await world.pass_time(3.5)
    assert await claimed(0) == [], "late, and nobody asks for those"
    assert await claimed(2) == [("m-1", False, True)], "in whatever worker"
    assert await claimed(2) == [], "one is on its way"
    assert await world.standbys.note("m-1", OTHER, 12)
    await world.leases.renew("m-1", epoch, 5)
    await world.standbys.drop("m-1", OTHER)
    assert await claimed(2) == [], "it was well"
    await world.standbys.want("m-1")
    await world.pass_time(3.5)
    assert await claimed(2) == [("m-1", True, False)], "who wants one keeps it"


async def test_a_standby_that_dies_with_the_worker_of_its_holder_is_replaced_before_the_lease_ends(
    world: World,
) -> None:
    await _live(world)
    await world.standbys.want("m-1")
    assert await world.standbys.note("m-1", BESIDE, 12)
    await world.pass_time(3.5)
    found = await world.standbys.claim_unguarded(limit=9, retry_after_s=4, every=False, late_s=2)
    assert [wish.row.id for wish in found] == ["m-1"]
    assert await world.standbys.note("m-1", OTHER, 12)
