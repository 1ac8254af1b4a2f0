"""Every open meeting has a worker, and only one."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.ports import Unavailable
from tests.fakes.leases import FakeLeases
from tests.fakes.record import Record
from tests.fakes.registry import FakeRegistry
from tests.fakes.standbys import FakeStandbys
from tests.fakes.virtual_time import in_virtual_time
from tests.fakes.waiting import beside
from worker.fleet.dispatcher import (
    CLAIM_EVERY_S,
    FINISHED_FOR_S,
    LATE_S,
    RETRY_AFTER_S,
    RETRY_LATEST_S,
    STARTS_WITHIN_S,
    Dispatcher,
    backoff_s,
)
from worker.fleet.roomless import CLOSE_WITHIN_S, GONE_FOR_S
from worker.holder.lease_keeper import LEASE_S, RENEW_EVERY_S
from worker.job_metadata import JobMetadata
from worker.ports import Holder, MeetingRow

pytestmark = in_virtual_time

HOLDER = Holder(host="a", worker_pid=1, job_pid=2)
JOINING_S = 15
"""`worker.holder.takeover.CONNECT_DEADLINE_S`, without loading LiveKit for it."""


@dataclass
class FakePlacement:
    """LiveKit as far as a dispatcher sees it."""

    rooms: set[str] = field(default_factory=set)
    placed: list[tuple[str, JobMetadata]] = field(default_factory=list)
    withdrawn: list[tuple[str, str]] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    """Meetings whose dispatch a worker has and which are about to begin."""
    down: bool = False

    async def ensure_room(self, room: str) -> None:
        self._reach()
        self.rooms.add(room)

    async def existing(self, rooms: list[str]) -> set[str]:
        self._reach()
        return self.rooms & set(rooms)

    async def place(self, room: str, metadata: JobMetadata) -> None:
        self._reach()
        self.placed.append((room, metadata))

    async def starting(self, room: str, meeting_id: str, within_s: float) -> bool:
        self._reach()
        assert within_s == STARTS_WITHIN_S
        if room not in self.rooms:
            raise Unavailable("no response from servers")  # as LiveKit has it where there is no such room
        return meeting_id in self.taken

    async def withdraw(self, room: str, meeting_id: str) -> None:
        self._reach()
        self.withdrawn.append((room, meeting_id))

    def _reach(self) -> None:
        if self.down:
            raise Unavailable("LiveKit is out of reach")


@dataclass
class Fleet:
    record: Record
    registry: FakeRegistry
    leases: FakeLeases
    placement: FakePlacement
    dispatcher: Dispatcher
    closed: list[str]
    outcomes: list[str]

    async def hold(self, row: MeetingRow, ttl_s: float = 5) -> int:
        """The meeting is live and held."""
        epoch = await self.leases.acquire(row.id, HOLDER, ttl_s)
        assert epoch is not None
        await self.registry.mark_live(row.id, epoch, self.record.clock.now)
        return epoch


def fleet_of(
    placement: FakePlacement | None = None,
    registry: FakeRegistry | None = None,
    close_meeting: Callable[[str], Awaitable[None]] | None = None,
    *,
    guarded: bool = False,
    every_standby: bool = False,
) -> Fleet:
    """A dispatcher and what it sees. `close_meeting`: only noted where none is given. `guarded`: with standbys."""
    placement, registry = placement or FakePlacement(), registry or FakeRegistry()
    record, closed, outcomes = registry.record, list[str](), list[str]()

    async def close(meeting_id: str) -> None:
        closed.append(meeting_id)

    dispatcher = Dispatcher(
        registry,
        placement,
        tenant="t",
        clock=record.clock,
        close_meeting=close_meeting or close,
        standbys=FakeStandbys(record) if guarded else None,
        every_standby=every_standby,
        on_dispatch=outcomes.append,
        dice=lambda: 0.0,
    )
    return Fleet(record, registry, FakeLeases(record), placement, dispatcher, closed, outcomes)


@pytest.fixture
def fleet() -> Fleet:
    return fleet_of()


async def test_a_wanted_meeting_gets_its_room_and_one_job(fleet: Fleet) -> None:
    row = await fleet.registry.want("회의실")
    assert await fleet.dispatcher.reconcile() == 1
    assert await fleet.dispatcher.reconcile() == 0
    assert fleet.placement.rooms == {"회의실"}
    assert fleet.placement.placed == [("회의실", JobMetadata(meeting_id=row.id, tenant="t"))]


async def test_a_relief_is_in_its_place_before_a_dead_holders_lease_ends() -> None:
    fleet = fleet_of(guarded=True)
    clock, placed = fleet.record.clock, fleet.placement.placed
    row = await fleet.registry.want("회의실", meeting_id="m-1")
    epoch = await fleet.hold(row, LEASE_S)
    fleet.placement.rooms.add("회의실")
    for _ in range(20):  # alive: nobody is sent
        clock.advance(RENEW_EVERY_S)
        await fleet.leases.renew(row.id, epoch, LEASE_S)
        await fleet.dispatcher.reconcile()
    assert placed == []
    died_s = clock.monotonic_s()
    while not placed:
        clock.advance(CLAIM_EVERY_S)
        await fleet.dispatcher.reconcile()
    assert placed == [("회의실", JobMetadata(meeting_id="m-1", tenant="t", standby=True, relief=True))]
    assert clock.monotonic_s() - died_s <= LEASE_S - LATE_S + CLAIM_EVERY_S
    assert LATE_S < LEASE_S - RENEW_EVERY_S, "who renews in time is not late"


async def test_a_full_fleet_is_asked_again_ever_less_often_and_never_given_up(fleet: Fleet) -> None:
    row = await fleet.registry.want("회의실")
    asked_s: list[float] = []
    for _ in range(600):
        if await fleet.dispatcher.reconcile():
            asked_s.append(fleet.record.clock.monotonic_s())
        fleet.record.clock.advance(1)
    waits = [later - earlier for earlier, later in itertools.pairwise(asked_s)]
    assert waits[:3] == [5, 10, 20]
    assert all(5 <= wait <= RETRY_LATEST_S + 1 for wait in waits)
    assert len(asked_s) > 600 / (RETRY_LATEST_S + 1)
    assert fleet.outcomes == ["first", *["again"] * (len(asked_s) - 1)]
    assert await fleet.leases.acquire(row.id, HOLDER, 5)
    fleet.record.clock.advance(6)
    assert await fleet.dispatcher.reconcile() == 1, "its holder died: at once"
    fleet.record.clock.advance(RETRY_AFTER_S)
    assert await fleet.dispatcher.reconcile() == 1, "and counted anew"


async def test_a_job_that_is_slow_to_start_is_not_ended_by_a_second_dispatch(fleet: Fleet) -> None:
    row = await fleet.registry.want("회의실")
    assert await fleet.dispatcher.reconcile() == 1
    fleet.placement.taken.add(row.id)
    for _ in range(14):
        fleet.record.clock.advance(1)
        assert await fleet.dispatcher.reconcile() == 0
    fleet.placement.taken.clear()  # it never began
    fleet.record.clock.advance(RETRY_AFTER_S)
    assert await fleet.dispatcher.reconcile() == 1
    epoch = await fleet.leases.acquire(row.id, HOLDER, 5)
    assert epoch is not None
    fleet.placement.taken.add(row.id)
    fleet.record.clock.advance(6)
    assert await fleet.dispatcher.reconcile() == 1, "of a holder that died, whatever LiveKit lists"


@given(before=st.integers(0, 10_000), dice=st.floats(0, 1))
def test_how_long_is_bounded_and_grows(before: int, dice: float) -> None:
    assert RETRY_AFTER_S <= backoff_s(before, dice) <= RETRY_LATEST_S + 1e-6
    assert backoff_s(before, dice) <= backoff_s(before + 1, dice)


async def test_a_restarted_livekit_has_forgotten_its_dispatches_and_is_asked_again(fleet: Fleet) -> None:
    waiting, held = await fleet.registry.want("waiting"), await fleet.registry.want("회의실")
    assert await fleet.dispatcher.reconcile() == 2
    assert await fleet.leases.acquire(held.id, HOLDER, 3600)
    fleet.placement.rooms.clear()
    fleet.placement.placed.clear()  # the server came back empty
    for _ in range(12):
        fleet.record.clock.advance(1)
        await fleet.dispatcher.reconcile()
    assert {metadata.meeting_id for _, metadata in fleet.placement.placed} == {waiting.id}
    assert fleet.placement.rooms == {"waiting"}
    assert fleet.closed == []


async def test_a_job_whose_worker_lost_its_websocket_is_left_alone(fleet: Fleet) -> None:
    row = await fleet.registry.want("회의실")
    await fleet.dispatcher.reconcile()
    epoch = await fleet.hold(row)
    fleet.placement.placed.clear()  # LiveKit lists no worker, no dispatch, nothing
    for _ in range(100):
        await fleet.leases.renew(row.id, epoch, 5)
        assert await fleet.dispatcher.reconcile() == 0
        fleet.record.clock.advance(1.5)
    assert fleet.placement.placed == []


async def test_the_dispatch_of_a_meeting_that_is_over_is_withdrawn_when_its_holder_is_gone(
    fleet: Fleet,
) -> None:
    row = await fleet.registry.want("회의실")
    await fleet.dispatcher.reconcile()
    epoch = await fleet.leases.acquire(row.id, HOLDER, 5)
    assert epoch is not None
    await fleet.registry.mark_ended(row.id, epoch, fleet.record.clock.now)
    await fleet.leases.release(row.id, epoch)
    fleet.record.clock.advance(FINISHED_FOR_S - 2)
    await fleet.dispatcher.reconcile()
    assert fleet.placement.withdrawn == [], "it may still be saying goodbye"
    fleet.placement.down = True
    fleet.record.clock.advance(10)
    await fleet.dispatcher.reconcile()
    fleet.placement.down = False
    for _ in range(60):
        fleet.record.clock.advance(1)
        await fleet.dispatcher.reconcile()
    assert fleet.placement.withdrawn == [("회의실", row.id)], "once, also after LiveKit was away"


async def test_while_livekit_is_down_nothing_is_forgotten(fleet: Fleet) -> None:
    await fleet.registry.want("room")
    fleet.placement.down = True
    assert await fleet.dispatcher.reconcile() == 0
    fleet.placement.down = False
    fleet.record.clock.advance(RETRY_AFTER_S + 0.1)
    assert await fleet.dispatcher.reconcile() == 1


async def test_a_meeting_whose_room_is_gone_is_closed_from_its_record(fleet: Fleet) -> None:
    row = await fleet.registry.want("room")
    await fleet.dispatcher.reconcile()
    await fleet.hold(row)
    fleet.placement.rooms.clear()
    fleet.placement.placed.clear()
    for _ in range(int(GONE_FOR_S / RETRY_AFTER_S) + 2):
        fleet.record.clock.advance(RETRY_AFTER_S + 0.1)
        await fleet.dispatcher.reconcile()
        await fleet.dispatcher.roomless.settle()
    assert fleet.closed == [row.id]
    assert fleet.placement.placed == []


async def test_a_room_that_was_gone_an_hour_ago_is_waited_for_anew(fleet: Fleet) -> None:
    """Another dispatcher had seen it come back: people who return after a restart find their meeting open."""
    row, other = await fleet.registry.want("회의실"), fleet_of(fleet.placement, fleet.registry)
    await fleet.hold(row, LEASE_S)
    fleet.record.clock.advance(RETRY_AFTER_S + 1)
    await fleet.dispatcher.reconcile()
    fleet.placement.rooms.add("회의실")
    fleet.record.clock.advance(RETRY_AFTER_S + 1)
    assert await other.dispatcher.reconcile() == 1
    assert await fleet.leases.acquire(row.id, HOLDER, 3600)

    fleet.record.clock.advance(3601)
    fleet.placement.rooms.clear()
    for _ in range(int(GONE_FOR_S / RETRY_AFTER_S)):
        await fleet.dispatcher.reconcile()
        await fleet.dispatcher.roomless.settle()
        assert fleet.closed == []
        fleet.record.clock.advance(RETRY_AFTER_S + 0.1)
    await fleet.dispatcher.reconcile()
    await fleet.dispatcher.roomless.settle()
    assert (fleet.closed, other.closed) == ([row.id], [])


async def _roomless(fleet: Fleet, room: str) -> str:
    """A live meeting whose holder died and whose room is gone."""
    row = await fleet.registry.want(room)
    await fleet.hold(row)
    return row.id


class OddPlacement(FakePlacement):
    """A LiveKit that answers about one room what nobody foresaw."""

    async def place(self, room: str, metadata: JobMetadata) -> None:
        if room == "odd":
            raise ValueError("DecodeError: wrong wire type")
        await super().place(room, metadata)

    async def withdraw(self, room: str, meeting_id: str) -> None:
        if room == "odd":
            raise ValueError("DecodeError: wrong wire type")
        await super().withdraw(room, meeting_id)


async def test_an_answer_that_nobody_foresaw_costs_the_other_meetings_nothing() -> None:
    fleet = fleet_of(OddPlacement(), guarded=True, every_standby=True)
    rows = [await fleet.registry.want(room) for room in ("odd", "회의실")]
    assert await fleet.dispatcher.reconcile() == 1
    epochs = [await fleet.hold(row, 3600) for row in rows]
    for row in rows:
        await fleet.registry.note_dispatch(row.id, 5)
    await fleet.dispatcher.reconcile()
    assert [(room, metadata.standby) for room, metadata in fleet.placement.placed] == [
        ("회의실", False),
        ("회의실", True),
    ]
    for row, epoch in zip(rows, epochs, strict=True):
        await fleet.registry.mark_ended(row.id, epoch, fleet.record.clock.now)
        await fleet.leases.release(row.id, epoch)
    fleet.record.clock.advance(FINISHED_FOR_S + 60)
    await fleet.dispatcher.reconcile()
    assert fleet.placement.withdrawn == [("회의실", rows[1].id)]


async def test_a_look_that_breaks_is_followed_by_the_next() -> None:
    broken = [True]

    class BreakingRegistry(FakeRegistry):
        async def claim_unheld(self, **how: object) -> Sequence[MeetingRow]:
            if broken:
                broken.pop()
                raise KeyError("holder")
            return await super().claim_unheld(**how)  # type: ignore[arg-type]  # handed on as they came

    fleet = fleet_of(registry=BreakingRegistry())
    await fleet.registry.want("회의실")
    async with beside(fleet.dispatcher.run()):
        await asyncio.sleep(3)
        assert [room for room, _ in fleet.placement.placed] == ["회의실"]


@pytest.mark.parametrize(("down", "asked"), [(False, 170), (True, 50)])
async def test_at_the_full_hour_nobody_waits_for_the_next_look(down: bool, asked: int) -> None:
    """Unless LiveKit is away: then it is asked no oftener than before."""
    fleet = fleet_of(FakePlacement(down=down))
    for number in range(170):
        await fleet.registry.want(f"회의실 {number}")
    async with beside(fleet.dispatcher.run()):
        await asyncio.sleep(CLAIM_EVERY_S / 2)
        assert fleet.outcomes == ["failed" if down else "first"] * asked


async def test_a_job_that_could_not_join_is_followed_by_another_at_once(fleet: Fleet) -> None:
    """It had the lease, and lets it go: whoever tried for so long as a join may take is no crash."""
    row = await fleet.registry.want("회의실")
    for _ in range(3):
        assert await fleet.dispatcher.reconcile() == 1
        epoch = await fleet.leases.acquire(row.id, HOLDER, LEASE_S)
        assert epoch is not None
        for _ in range(int(JOINING_S / RENEW_EVERY_S)):
            fleet.record.clock.advance(RENEW_EVERY_S)
            await fleet.leases.renew(row.id, epoch, LEASE_S)
            assert await fleet.dispatcher.reconcile() == 0
        await fleet.leases.release(row.id, epoch)
    assert fleet.outcomes == ["first"] * 3


async def test_a_closing_that_hangs_keeps_nobody_waiting_and_is_tried_again() -> None:
    tries = list[str]()

    async def close(meeting_id: str) -> None:
        tries.append(meeting_id)
        await asyncio.sleep(3600)

    fleet = fleet_of(close_meeting=close)
    gone = await _roomless(fleet, "gone")
    loop = asyncio.get_running_loop()
    for _ in range(int(GONE_FOR_S / RETRY_AFTER_S) + 2):
        fleet.record.clock.advance(RETRY_AFTER_S + 0.1)
        await fleet.dispatcher.reconcile()
    await asyncio.sleep(0)
    assert tries == [gone]
    began_s = loop.time()
    await fleet.registry.want("회의실")
    assert await fleet.dispatcher.reconcile() == 1
    assert loop.time() == began_s
    await asyncio.sleep(CLOSE_WITHIN_S)
    await fleet.dispatcher.roomless.settle()
    for _ in range(int(GONE_FOR_S / RETRY_AFTER_S) + 2):
        fleet.record.clock.advance(RETRY_AFTER_S + 0.1)
        await fleet.dispatcher.reconcile()
    await asyncio.sleep(0)
    assert tries == [gone, gone]
    await asyncio.sleep(CLOSE_WITHIN_S)
    await fleet.dispatcher.roomless.settle()


async def test_a_dispatcher_that_stops_leaves_no_closing_behind() -> None:
    let_go = list[str]()

    async def close(meeting_id: str) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            let_go.append(meeting_id)

    fleet = fleet_of(close_meeting=close)
    gone = await _roomless(fleet, "gone")
    async with beside(fleet.dispatcher.run()):
        for _ in range(int(GONE_FOR_S / RETRY_AFTER_S) + 2):
            fleet.record.clock.advance(RETRY_AFTER_S + 0.1)
            await asyncio.sleep(1)
    assert let_go == [gone]
