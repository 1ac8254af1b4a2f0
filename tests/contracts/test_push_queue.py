"""The record as a queue for the webhook: in order, whole, each meeting for one sender at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import asyncpg
import pytest

from context.events.events import (
    Event,
    MeetingEnded,
    MeetingOpened,
    MeetingStarted,
)
from context.events.privacy_events import RecordingPaused, RecordingResumed
from tests.contracts.events import NINE, answered, numbered, spoken
from tests.contracts.world import World, world_in_memory, world_in_postgres
from tests.fakes.pushes import FakePushes
from tests.fakes.registry import FakeRegistry
from worker.adapters.postgres_pushes import PostgresPushes
from worker.push.queue import Progress, PushClaim, PushQueue

KO, EN = "출시일은 십이월 이십이일로 결정하겠습니다.", "We ship on December 22nd. 👋"


@dataclass(frozen=True)
class Pushing:
    world: World
    queue: PushQueue
    pass_time: Callable[[float], Awaitable[None]]

    async def take(self) -> PushClaim:
        (claim,) = await self.queue.claim(10, 30)
        return claim

    async def begun(self, *events: Event, meeting_id: str = "m-1") -> int:
        """A meeting that is pushed, held, with these events behind its start; its epoch."""
        await self.queue.open()
        epoch = await self.world.hold(meeting_id)
        await self.world.store.append(meeting_id, epoch, numbered(MeetingStarted(at=NINE), *events))
        return epoch

    async def idle(self) -> bool:
        return not await self.queue.claim(10, 30)


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.postgres)])
def pushing(request: pytest.FixtureRequest) -> Pushing:
    if request.param == "memory":
        world = world_in_memory()
        assert isinstance(world.registry, FakeRegistry)
        return Pushing(world, FakePushes(world.registry.record), world.pass_time)
    pool, database = request.getfixturevalue("pool"), request.getfixturevalue("database")

    async def pass_time(seconds: float) -> None:
        owner = await asyncpg.connect(database.admin_url)
        try:
            await owner.execute(
                f"UPDATE moim.pushes SET due_at = due_at - interval '{seconds} s',"
                f" claimed_until = claimed_until - interval '{seconds} s';"
                f"UPDATE moim.meetings SET ended_at = ended_at - interval '{seconds} s',"
                f" created_at = created_at - interval '{seconds} s'"
            )
        finally:
            await owner.close()

    return Pushing(world_in_postgres(pool, database), PostgresPushes(pool), pass_time)


async def test_turns_and_answers_come_in_the_records_order_with_all_that_they_have(pushing: Pushing) -> None:
    await pushing.queue.open()
    await pushing.world.registry.want("주간 회의", meeting_id="m-1", title="주간")
    epoch = await pushing.world.hold("m-1", "주간 회의")
    story = [
        MeetingOpened(meeting_id="m-1", room="주간 회의", title="주간"),
        MeetingStarted(at=NINE),
        spoken(1, KO, confidence=0.9, language="ko"),
        *answered(2),
        spoken(3, EN, speaker_id="alice", speaker_name="Alice"),
    ]
    await pushing.world.store.append("m-1", epoch, numbered(*story))
    claim = await pushing.take()
    assert (claim.meeting_id, claim.room, claim.title, claim.sent_until) == ("m-1", "주간 회의", "주간", 0)
    batch = await pushing.queue.following(claim, 100)
    assert batch.until == 6
    assert [(r.id, r.kind) for r in batch.requests] == [
        ("m-1/3", "utterance"),
        ("m-1/5", "reply"),
        ("m-1/6", "utterance"),
    ]
    first, reply, last = (request.content for request in batch.requests)
    assert first == {
        "id": 1,
        "segment_id": "m-1/k1",
        "speaker": "minji",
        "speaker_name": "김민지",
        "text": KO,
        "start_ms": 1000,
        "end_ms": 1900,
        "spoken_at": "2026-01-05T09:00:01+00:00",
        "confidence": 0.9,
        "language": "ko",
    }
    assert (reply["text"], reply["evidence"], reply["private"]) == ("12월 22일입니다. #2", [1], False)
    assert (last["id"], last["speaker_name"], last["text"]) == (2, "Alice", EN)


async def test_private_answers_and_what_was_said_off_the_record_are_never_handed_out(
    pushing: Pushing,
) -> None:
    await pushing.begun(
        *answered(1, private=True),
        RecordingPaused(by="minji", at_ms=2_000),
        spoken(3, "비밀입니다. This is secret."),
        RecordingResumed(by="minji", at_ms=5_000),
        spoken(6, EN),
        spoken(6, "the same key again"),
    )
    batch = await pushing.queue.following(await pushing.take(), 100)
    assert [(r.seq, r.content["text"]) for r in batch.requests] == [(7, EN)]
    assert batch.until == 8, "and all the rest is passed"


async def test_a_meeting_is_one_senders_until_he_is_done(pushing: Pushing) -> None:
    epoch = await pushing.begun(spoken(1), spoken(2))
    claim = await pushing.take()
    assert await pushing.idle()
    assert await pushing.queue.settle(claim, Progress(2))
    again = await pushing.take()
    assert again.sent_until == 2
    assert [r.seq for r in (await pushing.queue.following(again, 100)).requests] == [3]
    assert await pushing.queue.settle(again, Progress(3))
    assert await pushing.idle()
    await pushing.world.store.append("m-1", epoch, numbered(spoken(4), after=3))
    assert (await pushing.take()).sent_until == 3


async def test_a_sender_that_died_is_followed_by_another_and_writes_nothing_any_more(
    pushing: Pushing,
) -> None:
    await pushing.begun(spoken(1))
    dead = await pushing.take()
    await pushing.pass_time(31)
    successor = await pushing.take()
    assert successor.sent_until == 0
    assert not await pushing.queue.settle(dead, Progress(2, gone=True))
    assert await pushing.queue.settle(successor, Progress(2))
    assert await pushing.idle()


async def test_a_failure_waits_for_its_time_and_is_counted(pushing: Pushing) -> None:
    await pushing.begun(spoken(1))
    assert await pushing.queue.settle(
        await pushing.take(), Progress(1, failures=3, retry_s=8, error="500 \0oops")
    )
    assert (await pushing.queue.backlog()).failing == 1
    assert await pushing.idle()
    await pushing.pass_time(9)
    claim = await pushing.take()
    assert (claim.sent_until, claim.failures) == (1, 3)
    assert await pushing.queue.settle(claim, Progress(2))
    assert (await pushing.queue.backlog()).failing == 0


async def test_those_that_wait_longest_come_first(pushing: Pushing) -> None:
    for meeting_id in ("m-1", "m-2", "m-3"):
        await pushing.begun(spoken(1), spoken(2), meeting_id=meeting_id)
    order = []
    for _ in range(4):
        (claim,) = await pushing.queue.claim(1, 30)
        order.append(claim.meeting_id)
        await pushing.pass_time(1)
        await pushing.queue.settle(claim, Progress(1 + order.count(claim.meeting_id)))
        await pushing.pass_time(1)
    assert order == ["m-1", "m-2", "m-3", "m-1"]
    assert len(await pushing.queue.claim(2, 30)) == 2, "no more than asked for"


async def test_a_meeting_that_is_over_and_sent_is_let_go_a_minute_later(pushing: Pushing) -> None:
    epoch = await pushing.begun(spoken(1), MeetingEnded(at_ms=3_000, reason="empty"))
    await pushing.world.registry.mark_ended("m-1", epoch, _now(pushing))
    assert await pushing.queue.settle(await pushing.take(), Progress(3))
    await pushing.queue.open()
    await pushing.world.store.append("m-1", epoch, numbered(spoken(2), after=3))
    late = await pushing.take()
    assert (late.sent_until, (await pushing.queue.following(late, 100)).until) == (3, 4)
    await pushing.pass_time(61)
    await pushing.queue.open()
    again = await pushing.take()
    assert again.sent_until == 3, "not before it is sent to its end"
    assert await pushing.queue.settle(again, Progress(4))
    await pushing.queue.open()
    await pushing.world.store.append("m-1", epoch, numbered(spoken(3), after=4))
    assert await pushing.idle(), "for good"


async def test_a_receiver_that_wants_no_more_gets_no_more(pushing: Pushing) -> None:
    epoch = await pushing.begun(spoken(1))
    assert await pushing.queue.settle(await pushing.take(), Progress(1, error="410", gone=True))
    await pushing.world.store.append("m-1", epoch, numbered(spoken(2), after=2))
    await pushing.pass_time(3600)
    assert await pushing.idle()


async def test_what_was_said_before_anybody_pushed_is_left_alone_and_nothing_after_it_is_missed(
    pushing: Pushing,
) -> None:
    for meeting_id in ("m-old", "m-running"):
        epoch = await pushing.world.hold(meeting_id)
        await pushing.world.store.append(meeting_id, epoch, numbered(MeetingStarted(at=NINE), spoken(1)))
        if meeting_id == "m-old":
            await pushing.world.registry.mark_ended(meeting_id, epoch, _now(pushing))
    assert await pushing.idle(), "nobody pushes yet"
    await pushing.queue.open()
    await pushing.queue.open()
    assert await pushing.idle(), "what was said before"
    await pushing.world.store.append("m-running", epoch, numbered(spoken(2), after=2))
    running = await pushing.take()
    assert (running.meeting_id, running.sent_until) == ("m-running", 2)
    epoch = await pushing.begun(spoken(1), meeting_id="m-brief")
    await pushing.world.registry.mark_ended("m-brief", epoch, _now(pushing))
    assert (await pushing.take()).meeting_id == "m-brief"


async def test_where_nobody_pushes_any_more_nothing_is_kept_for_whoever_does_later(pushing: Pushing) -> None:
    epoch = await pushing.begun(spoken(1))
    ended = await pushing.begun(spoken(1), meeting_id="m-ended")
    await pushing.queue.close()
    assert await pushing.idle()
    await pushing.world.store.append("m-1", epoch, numbered(spoken(2), after=2))
    await pushing.world.registry.mark_ended("m-ended", ended, _now(pushing))
    await pushing.queue.close()
    await pushing.queue.open()
    assert await pushing.idle(), "what was said meanwhile is not sent later"
    await pushing.world.store.append("m-1", epoch, numbered(spoken(3), after=3))
    claim = await pushing.take()
    assert (claim.meeting_id, claim.sent_until) == ("m-1", 3)


def _now(pushing: Pushing):  # type: ignore[no-untyped-def] # a datetime, by the clock that the record has
    from worker.clock import now_utc

    registry = pushing.world.registry
    return registry.record.clock.now if isinstance(registry, FakeRegistry) else now_utc()
