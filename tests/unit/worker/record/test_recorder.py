"""The writing end of the record, when the store or the disk will not take it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from context.events import events
from context.ports import Fenced, PortError, RecordedEvent, Refused, Unavailable
from tests.fakes.store import FakeStore
from tests.fakes.virtual_time import in_virtual_time
from tests.fakes.waiting import until
from tests.unit.worker.record.recorded import spoken
from worker.clock import SystemClock
from worker.record.recorder import PATIENCE_S, Recorder
from worker.record.spool import Spool


class Moody(FakeStore):
    """A store with something against it."""

    def __init__(self) -> None:
        super().__init__()
        self.mood: PortError | None = None
        self.record.open_meeting("m-test")

    async def append(self, meeting_id: str, epoch: int, events: Sequence[RecordedEvent]) -> None:
        if self.mood is not None:
            raise self.mood
        await super().append(meeting_id, epoch, events)


@asynccontextmanager
async def at_work(store: FakeStore, spool: Spool | None = None) -> AsyncIterator[Recorder]:
    async with asyncio.TaskGroup() as tasks:
        recorder = recorder_of(store, spool)
        writing = tasks.create_task(recorder.run())
        yield recorder
        writing.cancel()


def recorder_of(store: FakeStore, spool: Spool | None = None) -> Recorder:
    return Recorder(store, "m-test", 1, clock=SystemClock(), spool=spool)


@pytest.mark.parametrize(
    "mood",
    [
        Unavailable("could not extend file: No space left on device (53100)"),
        Refused("password authentication failed (28P01): check the password in DATABASE_URL"),
    ],
)
async def test_a_store_that_is_full_or_refuses_costs_nothing_but_durability(
    tmp_path: Path, mood: PortError
) -> None:
    store, spool = Moody(), Spool(tmp_path, "m-test")
    async with at_work(store, spool) as recorder:
        recorder.write(spoken(1))
        assert await recorder.settled(1)
        store.mood = mood
        recorder.write(spoken(2))
        assert not await recorder.settled(2)
        assert recorder.away
        assert [r.seq for r in spool.read()] == [2]
        store.mood = None
        recorder.write(spoken(3))
        assert await recorder.drain(5)
        await until(lambda: not recorder.away)
    assert [r.seq for r in store.events_of("m-test")] == [1, 2, 3]
    assert spool.read() == []


@in_virtual_time
async def test_what_comes_between_two_tries_does_not_wait_for_the_next() -> None:
    store = Moody()
    store.mood = Unavailable("away")
    async with at_work(store) as recorder:
        recorder.write(spoken(1))
        await recorder.settled(1)
        await asyncio.sleep(1.0)  # by now the tries are most of a second apart
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        for seq in range(2, 6):
            recorder.write(spoken(seq))
            assert not await recorder.settled(seq)
        assert loop.time() - began_s < 0.3


async def test_a_full_disk_under_the_spool_goes_on_from_memory(tmp_path: Path) -> None:
    store, spool = Moody(), Spool(tmp_path, "m-test")
    spool.path.symlink_to("/dev/full")
    store.mood = Unavailable("away")
    async with at_work(store, spool) as recorder:
        for seq in (1, 2, 3):
            recorder.write(spoken(seq))
            assert not await recorder.settled(seq)
        store.mood = None
        assert await recorder.drain(5)
    assert [r.seq for r in store.events_of("m-test")] == [1, 2, 3]


@pytest.mark.parametrize("trouble", ["bound", "disk"])
async def test_a_spool_that_is_full_says_so_and_has_no_hole_once_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    store, spool = Moody(), Spool(tmp_path, "m-test")
    store.mood = Unavailable("away")
    monkeypatch.setattr("worker.record.recorder._RETRY_DISK_S", 0.1)
    async with at_work(store, spool) as recorder:
        recorder.write(spoken(1))
        assert not await recorder.settled(1)
        assert recorder.spool_trouble == ""
        with monkeypatch.context() as full:
            if trouble == "bound":
                full.setattr("worker.record.spool.MAX_BYTES", spool.path.stat().st_size + 10)
            else:
                full.setattr("worker.record.spool.os.fsync", _no_space)
            for seq in range(2, 5):
                recorder.write(spoken(seq, "가" * seq))
                assert not await recorder.settled(seq), "shown as not durable, from memory"
            assert ("is full" if trouble == "bound" else "No space left") in recorder.spool_trouble
            assert [r.seq for r in spool.read()] == [1]
        recorder.write(spoken(5))
        await until(lambda: not recorder.spool_trouble)
        assert [r.seq for r in spool.read()] == [1, 2, 3, 4, 5]
        store.mood = None
        assert await recorder.drain(30)
        await until(lambda: not recorder.away)
    assert [r.seq for r in store.events_of("m-test")] == [1, 2, 3, 4, 5]
    assert not spool.path.exists()


def _no_space(_fd: int) -> None:
    raise OSError(28, "No space left on device")


async def test_whom_another_holder_has_overtaken_leaves_what_it_has_on_the_disk(tmp_path: Path) -> None:
    """It may write no more; `worker.holder.orphaned_spools` carries it to who may."""
    store, spool = Moody(), Spool(tmp_path, "m-test")
    store.mood = Fenced("a higher epoch")
    recorder = recorder_of(store, spool)
    recorder.write(spoken(1))
    recorder.write(spoken(2))
    with pytest.raises(Fenced):
        await recorder.run()
    assert [r.seq for r in spool.read()] == [1, 2]
    spool.let_go()


async def test_another_holder_ends_it() -> None:
    store = Moody()
    store.record.open_meeting("m-test")
    recorder = recorder_of(store)
    recorder.write(RecordedEvent(seq=1, event=events.MeetingOpened(meeting_id="m-test")))
    with pytest.raises(Fenced):
        await recorder.run()
    assert store.events_of("m-test") == []


class Frozen(Moody):
    """A store that may stand still: it takes the call and does not answer, until it thaws."""

    def __init__(self) -> None:
        super().__init__()
        self.running = asyncio.Event()
        self.running.set()
        self.deadline_s = 5.0
        self.asked = 0

    async def append(self, meeting_id: str, epoch: int, events: Sequence[RecordedEvent]) -> None:
        self.asked += 1
        try:
            async with asyncio.timeout(self.deadline_s):
                await self.running.wait()
        except TimeoutError as error:
            raise Unavailable("Postgres did not answer in time") from error
        await super().append(meeting_id, epoch, events)


@in_virtual_time
async def test_a_store_that_stands_still_holds_nothing_back_for_longer_than_a_second() -> None:
    store = Frozen()
    loop = asyncio.get_running_loop()
    async with at_work(store) as recorder:
        recorder.write(spoken(1))
        assert await recorder.settled(1)
        store.running.clear()
        for seq in range(2, 30):  # through several of the store's deadlines, and the pauses between
            began_s = loop.time()
            recorder.write(spoken(seq))
            assert not await recorder.settled(seq)
            assert loop.time() - began_s <= (PATIENCE_S if seq == 2 else 0.0)
            await asyncio.sleep(0.7)
        assert recorder.away
        assert recorder.committed == 1
        store.running.set()
        assert await recorder.drain(5)
        assert not recorder.away
        recorder.write(spoken(30))
        assert await recorder.settled(30)
    assert [r.seq for r in store.events_of("m-test")] == list(range(1, 31))


@in_virtual_time
async def test_an_answer_that_comes_late_counts_and_nothing_is_asked_twice() -> None:
    store = Frozen()
    async with at_work(store) as recorder:
        store.running.clear()
        recorder.write(spoken(1))
        assert not await recorder.settled(1)
        await asyncio.sleep(2)
        store.running.set()
        assert await recorder.drain(1)
        await until(lambda: not recorder.away)
        assert store.asked == 1


@in_virtual_time
async def test_stopping_in_front_of_a_store_that_stands_still_leaves_nothing_behind() -> None:
    store = Frozen()
    recorder = recorder_of(store)
    store.running.clear()
    writing = asyncio.ensure_future(recorder.run())
    recorder.write(spoken(1))
    await asyncio.sleep(3)
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    # which fails where a task is left


async def written(recorder: Recorder, count: int, *, first: int = 1) -> None:
    for seq in range(first, first + count):
        recorder.write(spoken(seq))
    assert await recorder.drain(60)


@in_virtual_time
async def test_a_database_that_takes_only_a_little_at_a_time_gets_it_so() -> None:
    class Slow(Moody):
        async def append(self, meeting_id: str, epoch: int, events: Sequence[RecordedEvent]) -> None:
            if len(events) > 30:
                raise Unavailable("Postgres did not answer in time")
            await super().append(meeting_id, epoch, events)

    store = Slow()
    async with at_work(store) as recorder:
        await written(recorder, 300)
    assert [r.seq for r in store.events_of("m-test")] == list(range(1, 301))


async def test_what_a_database_has_lost_in_a_failover_is_written_again() -> None:
    store = Moody()
    async with at_work(store) as recorder:
        await written(recorder, 20)
        del store.record.meetings["m-test"].events[12:]
        await written(recorder, 5, first=21)
        await until(lambda: not recorder.away)
    assert [r.seq for r in store.events_of("m-test")] == list(range(1, 26))


async def test_what_is_spooled_while_an_old_spool_is_forgotten_stays(tmp_path: Path) -> None:
    class Slow(Spool):
        begun, go_on = threading.Event(), threading.Event()

        def clear(self) -> None:
            self.begun.set()
            assert self.go_on.wait(60)
            super().clear()

    store, spool = Moody(), Slow(tmp_path, "m-test")
    recorder = recorder_of(store, spool)
    async with asyncio.TaskGroup() as tasks:
        writing = tasks.create_task(recorder.run())
        await written(recorder, 1)
        forgetting = tasks.create_task(recorder.forget_spool())
        assert await asyncio.to_thread(spool.begun.wait, 60)
        store.mood = Unavailable("away")
        recorder.write(spoken(2))
        settled = tasks.create_task(recorder.settled(2))
        await asyncio.wait({settled}, timeout=0.3)
        spool.go_on.set()
        await forgetting
        assert not await settled
        assert [recorded.seq for recorded in spool.read()] == [2]
        writing.cancel()
