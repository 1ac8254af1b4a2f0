"""What lets somebody in to one meeting's page."""

from __future__ import annotations

from datetime import timedelta

import pytest

from context.ports import Refused
from tests.contracts.world import World

HOUR = timedelta(hours=1)


async def test_a_secret_opens_its_meeting_until_it_expires(world: World) -> None:
    await world.hold("m-1")
    link, secret = await world.links.make("m-1", may_edit=False, lasting=HOUR)
    assert (link.meeting_id, link.may_edit) == ("m-1", False)
    assert abs(link.expires_at - link.made_at - HOUR) < timedelta(seconds=5)
    assert await world.links.opened(secret) == link
    assert await world.links.opened(secret + "x") is None
    assert await world.links.stands(link.id)
    await world.pass_time(3601)
    assert await world.links.opened(secret) is None
    assert not await world.links.stands(link.id)
    assert not await world.links.withdraw("m-1", link.id)


async def test_what_was_withdrawn_opens_nothing(world: World) -> None:
    await world.hold("m-1")
    await world.hold("m-2")
    first, opens_first = await world.links.make("m-1", may_edit=False, lasting=HOUR)
    second, opens_second = await world.links.make("m-1", may_edit=True, lasting=HOUR)
    assert [each.id for each in await world.links.standing("m-1")] == [second.id, first.id]
    assert await world.links.standing("m-2") == []
    assert not await world.links.withdraw("m-2", first.id), "of another meeting"
    assert await world.links.withdraw("m-1", first.id)
    assert not await world.links.withdraw("m-1", first.id)
    assert await world.links.opened(opens_first) is None
    assert await world.links.opened(opens_second) == second


async def test_there_is_none_to_a_meeting_that_does_not_exist(world: World) -> None:
    with pytest.raises(Refused):
        await world.links.make("m-none", may_edit=True, lasting=HOUR)


async def test_what_has_ended_is_told_with_its_room_for_a_while(world: World) -> None:
    await world.hold("m-1", "회의실")
    await world.hold("m-2")
    first, _ = await world.links.make("m-1", may_edit=True, lasting=HOUR)
    second, _ = await world.links.make("m-1", may_edit=True, lasting=timedelta(seconds=90))
    elsewhere, _ = await world.links.make("m-2", may_edit=True, lasting=HOUR)
    assert await world.links.ended(HOUR) == []
    assert await world.links.withdraw("m-1", first.id)
    assert await world.links.withdraw("m-2", elsewhere.id)
    (ended,) = await world.links.ended(HOUR)
    assert (ended.id, ended.room) == (first.id, "회의실"), "of a meeting without a room nobody is in one"
    await world.pass_time(100)
    assert {each.id for each in await world.links.ended(HOUR)} == {first.id, second.id}
    assert {each.id for each in await world.links.ended(timedelta(seconds=50))} == {second.id}
