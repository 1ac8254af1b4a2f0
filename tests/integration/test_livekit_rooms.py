"""A real LiveKit server: it tells of its rooms by its webhook, is asked who is in them, and forgets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from livekit import api

from context.ports import PortError
from tests.integration.rooms import World, world
from worker.adapters.livekit_dispatch import LiveKitDispatch
from worker.clock import SystemClock
from worker.fleet.dispatcher import Dispatcher
from worker.job_metadata import JobMetadata
from worker.names import MAX_ROOM_BYTES, room_fault

pytestmark = pytest.mark.room
__all__ = ["world"]


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while not await condition():
            await asyncio.sleep(0.05)


async def test_its_webhook_wants_a_room_that_fits_and_withdraws_the_wish(world: World) -> None:
    async def statuses() -> dict[str | None, str]:
        return {row.room: row.status for row in await world.registry.list_all()}

    async def wanted() -> bool:
        return await statuses() == {"회의-1": "wanted"}

    async def over() -> bool:
        return await statuses() == {"회의-1": "ended"}

    await world.livekit.ensure_room("lunch")
    await world.livekit.ensure_room("회의-1")
    await until(wanted)
    await world.livekit._livekit.room.delete_room(api.DeleteRoomRequest(room="회의-1"))
    await until(over)


async def test_what_failed_here_it_tells_again_with_the_same_token(world: World) -> None:
    async def wanted() -> bool:
        return [row.room for row in await world.registry.list_all()] == ["회의-1"]

    world.registry.record.available = False
    await world.livekit.ensure_room("회의-1")
    await asyncio.sleep(0.5)
    world.registry.record.available = True
    await until(wanted)


async def test_it_counts_the_bytes_of_a_rooms_name(world: World) -> None:
    for longest in ("x" * MAX_ROOM_BYTES, "회" * 85):
        assert room_fault(longest) is None
        await world.livekit.ensure_room(longest)
    for longer in ("x" * (MAX_ROOM_BYTES + 1), "회" * 86):
        assert room_fault(longer) is not None
        with pytest.raises(PortError, match="256"):
            await world.livekit.ensure_room(longer)


async def test_who_looks_for_rooms_sees_those_with_people_in_them(world: World) -> None:
    async def names() -> list[str]:
        entered = await world.livekit.entered(world.room_requests.fits)
        return sorted([room.name for room in entered if await world.livekit.has_human(room.name)])

    await world.livekit.ensure_room("standup-empty")
    async with (
        world.joined("standup-web", "minji"),
        world.joined("standup-bots", "bot", agent=True),
        world.joined("lunch", "ben"),
    ):

        async def seen() -> bool:
            return await names() == ["standup-web"]

        await until(seen)
        room = next(
            r for r in await world.livekit.entered(world.room_requests.fits) if r.name == "standup-web"
        )
        assert abs((SystemClock().now_utc() - room.created_at).total_seconds()) < 60


async def test_a_dispatch_is_placed_withdrawn_and_after_a_restart_placed_again(world: World) -> None:
    closed: list[str] = []

    async def close(meeting_id: str) -> None:
        closed.append(meeting_id)

    clock = world.registry.record.clock
    dispatcher = Dispatcher(world.registry, world.livekit, tenant="default", clock=clock, close_meeting=close)

    async def placed() -> bool:
        clock.advance(10)
        return await dispatcher.reconcile() == 1  # a server on a busy machine may say 503 first

    row = await world.registry.want("by-hand")
    await until(placed)
    assert await world.dispatches("by-hand") == [row.id]
    (listed,) = [
        one
        for one in await world.livekit._livekit.agent_dispatch.list_dispatch(room_name="by-hand")
        if one.agent_name == "moim"
    ]
    assert abs(listed.state.created_at / 1e9 - SystemClock().now_utc().timestamp()) < 60, "in nanoseconds"
    assert not await world.livekit.starting("by-hand", row.id, 60), "no worker has taken it"
    await world.livekit.withdraw("by-hand", "another meeting")
    assert await world.dispatches("by-hand") == [row.id]
    await world.server.restart()
    assert await world.livekit.existing(["by-hand"]) == set(), "it has forgotten the room, and its dispatches"
    await until(placed)
    assert await world.dispatches("by-hand") == [row.id]
    await world.registry.request_end(row.id)

    async def withdrawn() -> bool:
        clock.advance(35)
        await dispatcher.reconcile()
        return await world.dispatches("by-hand") == []

    await until(withdrawn)
    await world.livekit.withdraw("no such room", row.id)
    assert closed == []


async def test_two_tenants_with_one_agent_name_leave_each_others_dispatches_alone(world: World) -> None:
    """The room is one, and the meeting's id is the same: LiveKit knows of no tenants."""
    url, key, secret = world.livekit._settings
    async with LiveKitDispatch(url, key, secret, agent_name="moim", tenant="acme") as other:
        await world.livekit.ensure_room("회의-1")
        await world.livekit.place("회의-1", JobMetadata(meeting_id="ten1", tenant="default"))
        await other.place("회의-1", JobMetadata(meeting_id="ten1", tenant="acme"))

        async def tenants() -> list[str]:
            found = await world.livekit._livekit.agent_dispatch.list_dispatch(room_name="회의-1")
            return sorted(
                str(JobMetadata.decode(one.metadata).tenant) for one in found if one.agent_name == "moim"
            )

        assert await tenants() == ["acme", "default"]
        await other.place("회의-1", JobMetadata(meeting_id="ten1", tenant="acme"))
        assert await tenants() == ["acme", "default"], "its own is replaced"
        await other.withdraw("회의-1", "ten1")
        assert await tenants() == ["default"]
