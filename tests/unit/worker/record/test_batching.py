"""Meetings of one process whose events are committed and whose leases are renewed together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

import pytest

from context.ports import Fenced, PortError, RecordedEvent, Refused, Unavailable
from tests.fakes.audit import FakeAudit
from tests.fakes.leases import FakeLeases
from tests.fakes.store import FakeStore
from tests.fakes.waiting import beside
from tests.unit.worker.record.recorded import spoken
from worker.audit_log import Deed
from worker.ports import Renewal
from worker.record.batching import LANES, Batch, BatchRefused, SharedAppends, SharedNotes, SharedRenewals


class Disk(FakeStore):
    """A store whose commits last until they are let through."""

    def __init__(self, meetings: Sequence[str]) -> None:
        super().__init__()
        for name in meetings:
            self.record.open_meeting(name)
        self.open = asyncio.Event()
        self.open.set()
        self.commits: list[list[str]] = []
        self.mood: PortError | None = None

    async def append(self, meeting_id: str, epoch: int, events: Sequence[RecordedEvent]) -> None:
        self.commits.append([meeting_id])
        await self.open.wait()
        await super().append(meeting_id, epoch, events)

    async def append_many(self, batches: Sequence[Batch]) -> list[bool]:
        self.commits.append([batch.meeting_id for batch in batches])
        await self.open.wait()
        if self.mood is not None:
            raise self.mood
        kept = []
        for batch in batches:
            try:
                await super().append(batch.meeting_id, batch.epoch, batch.events)
            except Fenced:
                kept.append(False)
            else:
                kept.append(True)
        return kept


NAMES = [f"m-{number}" for number in range(8)]


def recorded(disk: Disk) -> dict[str, int]:
    return {name: len(meeting.events) for name, meeting in disk.record.meetings.items()}


async def say(appends: SharedAppends, names: Sequence[str], epoch: int = 1) -> list[BaseException | None]:
    return await asyncio.gather(
        *(appends.append(name, epoch, [spoken(1)]) for name in names), return_exceptions=True
    )


@pytest.fixture
def disk() -> Disk:
    return Disk(NAMES)


@pytest.fixture
async def appends(disk: Disk) -> AsyncIterator[SharedAppends]:
    shared = SharedAppends(disk, disk)
    async with beside(shared.run()):
        yield shared


async def test_what_comes_during_a_commit_goes_into_the_next_one(disk: Disk, appends: SharedAppends) -> None:
    disk.open.clear()
    first = [asyncio.ensure_future(appends.append(name, 1, [spoken(1)])) for name in NAMES[:1]]
    await asyncio.sleep(0.01)
    rest = asyncio.ensure_future(say(appends, NAMES[1:]))
    await asyncio.sleep(0.01)
    disk.open.set()
    await asyncio.gather(*first)
    assert await rest == [None] * 7
    assert len(disk.commits) <= 1 + LANES
    assert recorded(disk) == dict.fromkeys(NAMES, 1)


async def test_a_fenced_meeting_costs_its_neighbours_nothing(disk: Disk, appends: SharedAppends) -> None:
    disk.record.meetings["m-3"].epoch = 2
    answers = await say(appends, NAMES)
    assert isinstance(answers[3], Fenced)
    assert [answer for answer in answers if answer is not None] == [answers[3]]
    assert recorded(disk) == {**dict.fromkeys(NAMES, 1), "m-3": 0}


async def test_where_one_stands_in_the_way_each_is_tried_by_itself(
    disk: Disk, appends: SharedAppends
) -> None:
    disk.mood = BatchRefused("a lock, or an event that cannot be recorded")
    hole = asyncio.ensure_future(appends.append("m-0", 1, [spoken(9)]))
    answers = await say(appends, NAMES[1:])
    with pytest.raises(Refused):
        await hole
    assert answers == [None] * 7
    assert recorded(disk) == {**dict.fromkeys(NAMES, 1), "m-0": 0}


async def test_a_store_that_is_away_is_away_for_each(disk: Disk, appends: SharedAppends) -> None:
    disk.mood = Unavailable("Postgres cannot be reached")
    assert {type(answer) for answer in await say(appends, NAMES)} == {Unavailable}
    disk.mood = None
    assert await say(appends, NAMES) == [None] * 8


async def test_who_has_given_up_is_not_written_any_more() -> None:
    disk = Disk(NAMES)
    appends = SharedAppends(disk, disk)
    waiting = asyncio.ensure_future(appends.append("m-0", 1, [spoken(1)]))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    running = asyncio.ensure_future(appends.run())
    assert await say(appends, NAMES[1:]) == [None] * 7
    running.cancel()
    assert recorded(disk)["m-0"] == 0


async def test_appends_go_by_a_way_of_their_own() -> None:
    disk, others = Disk(NAMES), Disk(NAMES)
    appends = SharedAppends(others, disk)
    running = asyncio.ensure_future(appends.run())
    assert await say(appends, NAMES) == [None] * 8
    running.cancel()
    assert recorded(disk) == dict.fromkeys(NAMES, 1)
    assert not others.commits
    assert await appends.load("m-0") == await others.load("m-0")


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


@pytest.fixture
def leases() -> Many:
    return Many()


@pytest.fixture
async def shared(leases: Many) -> AsyncIterator[SharedRenewals]:
    renewals = SharedRenewals(leases, leases, gather_s=0.001)
    async with beside(renewals.run()):
        yield renewals


async def test_two_hundred_renew_in_one_statement(leases: Many, shared: SharedRenewals) -> None:
    epochs = held(leases, 200)
    leases.record.meetings["m-7"].end_requested = True
    renewals = await asyncio.gather(*(shared.renew(name, epoch, 5) for name, epoch in epochs.items()))
    assert len(leases.asked) == 1
    assert [number for number, renewal in enumerate(renewals) if renewal.end_requested] == [7]


async def test_a_lost_lease_is_lost_for_its_meeting_alone(leases: Many, shared: SharedRenewals) -> None:
    epochs = held(leases, 3)
    leases.record.meetings["m-1"].epoch += 1
    answers = await asyncio.gather(
        *(shared.renew(name, epoch, 5) for name, epoch in epochs.items()), return_exceptions=True
    )
    assert [type(answer) for answer in answers] == [Renewal, Fenced, Renewal]


async def test_of_two_holders_of_one_meeting_the_older_is_fenced(
    leases: Many, shared: SharedRenewals
) -> None:
    held(leases, 1)
    leases.record.meetings["m-0"].epoch = 2
    for epochs in ((1, 2), (2, 1)):
        answers = await asyncio.gather(
            *(shared.renew("m-0", epoch, 5) for epoch in epochs), return_exceptions=True
        )
        assert {epoch: type(answer) for epoch, answer in zip(epochs, answers, strict=True)} == {
            1: Fenced,
            2: Renewal,
        }


async def test_a_database_that_is_away_is_told_to_everybody_and_asked_again(
    leases: Many, shared: SharedRenewals
) -> None:
    epochs = held(leases, 2)
    leases.record.available = False
    answers = await asyncio.gather(
        *(shared.renew(name, epoch, 5) for name, epoch in epochs.items()), return_exceptions=True
    )
    assert {type(answer) for answer in answers} == {Unavailable}
    leases.record.available = True
    await shared.renew("m-0", epochs["m-0"], 5)
    with pytest.raises(Fenced):
        await shared.renew("m-0", 99, 5)


async def test_one_holder_that_asks_twice_at_a_time_is_answered_twice(
    leases: Many, shared: SharedRenewals
) -> None:
    """Its keeper's round, and somebody who has to be sure before a word goes out."""
    epochs = held(leases, 2)
    answers = await asyncio.gather(
        *(shared.renew(name, epoch, 5) for name, epoch in [*epochs.items(), *epochs.items()])
    )
    assert answers == [Renewal()] * 4
    assert len(leases.asked) == 1


# ---- audit rows -------------------------------------------------------------------------------


class Log(FakeAudit):
    """A log that can be added to once it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.open = asyncio.Event()
        self.times = 0

    async def note_many(self, deeds: Sequence[Deed]) -> None:
        self.times += 1
        await self.open.wait()
        for deed in deeds:
            await self.note(deed)


def deed(number: int) -> Deed:
    return Deed(who="program", how="http", action="read", meeting_id=f"m-{number}")


async def test_rows_of_a_flood_go_together_and_each_is_written_before_its_request_goes_on() -> None:
    log = Log()
    notes = SharedNotes(log, log)
    async with beside(notes.run()):
        waiting = [asyncio.ensure_future(notes.note(deed(number))) for number in range(300)]
        await asyncio.sleep(0.01)
        assert not any(each.done() for each in waiting)
        log.open.set()
        await asyncio.gather(*waiting)
    assert log.times <= 2
    assert len(log.rows) == 300


async def test_a_log_that_is_away_is_away_for_each_request_and_takes_the_next_ones() -> None:
    log = Log()
    log.open.set()
    log.mood = Unavailable("Postgres cannot be reached")
    notes = SharedNotes(log, log)
    async with beside(notes.run()):
        failed = await asyncio.gather(*(notes.note(deed(n)) for n in range(3)), return_exceptions=True)
        assert {type(each) for each in failed} == {Unavailable}
        log.mood = None
        await notes.note(deed(9))
        assert [row.meeting_id for row in await notes.newest()] == ["m-9"]
