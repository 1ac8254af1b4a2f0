"""Sessions of browsers: how long each stands, and the key that all who look share."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from tests.contracts.world import World

HOUR = timedelta(hours=1)


async def _begun(world: World, id_: str = "s-1", link_id: str | None = None) -> None:
    kind = "link" if link_id else "pages"
    await world.sessions.begin(id_, kind, link_id=link_id, administrator=False, lasting=HOUR)


async def _stands(world: World, id_: str) -> bool:
    return await world.sessions.standing([id_]) == {id_}


async def test_a_session_stands_until_it_expires(world: World) -> None:
    assert not await _stands(world, "s-1")
    await _begun(world)
    assert await _stands(world, "s-1")
    await world.pass_time(3601)
    assert not await _stands(world, "s-1")


async def test_it_ends_once_and_others_go_on(world: World) -> None:
    await _begun(world, "s-1")
    await _begun(world, "s-2")
    assert await world.sessions.end("s-1")
    assert not await world.sessions.end("s-1"), "it has ended already"
    assert not await world.sessions.end("s-none")
    assert not await _stands(world, "s-1")
    assert await _stands(world, "s-2")


async def test_guests_are_out_once_their_link_is_withdrawn(world: World) -> None:
    await world.hold("m-1")
    withdrawn, _ = await world.links.make("m-1", may_edit=True, lasting=HOUR)
    stays, _ = await world.links.make("m-1", may_edit=True, lasting=HOUR)
    for id_, link in (("s-1", withdrawn), ("s-2", withdrawn), ("s-3", stays)):
        await _begun(world, id_, link.id)
    assert await world.sessions.end("s-2"), "one for each guest"
    assert await _stands(world, "s-1")
    await world.links.withdraw("m-1", withdrawn.id)
    assert await world.sessions.standing(["s-1", "s-2", "s-3"]) == {"s-3"}


async def test_guests_are_out_once_their_link_expires(world: World) -> None:
    await world.hold("m-1")
    link, _ = await world.links.make("m-1", may_edit=True, lasting=timedelta(minutes=1))
    await _begun(world, "s-1", link.id)
    await world.pass_time(61)
    assert not await _stands(world, "s-1")


async def test_the_key_is_drawn_once_whoever_asks_first(world: World) -> None:
    keys = await asyncio.gather(*(world.sessions.key() for _ in range(8)))
    assert len(set(keys)) == 1
    assert len(keys[0]) >= 32
    assert await world.sessions.key() == keys[0]
