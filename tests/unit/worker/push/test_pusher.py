"""Transcript push on virtual time: in order, at least once, patient, fair, and on nobody's hot path."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from context.events.events import MeetingEnded, MeetingStarted
from tests.contracts.events import NINE, answered, numbered, spoken
from tests.fakes.pushes import FakePushes, FakePushMetrics, FakeReceiver
from tests.fakes.record import LoopedClock, Record
from tests.fakes.store import FakeStore
from tests.fakes.virtual_time import in_virtual_time, run_virtual
from worker.push import pusher as pushing
from worker.push.pusher import Pusher
from worker.push.queue import PushAnswer

pytestmark = in_virtual_time

DOWN = PushAnswer(None, error="no answer within 10 s")


@dataclass
class World:
    record: Record
    queue: FakePushes
    receiver: FakeReceiver
    metrics: FakePushMetrics
    epochs: dict[str, int]

    async def say(self, meeting_id: str, *more: Any) -> None:
        """Put events on the record, behind what is there."""
        if meeting_id not in self.epochs:
            self.epochs[meeting_id] = self.record.open_meeting(meeting_id)
        meeting = self.record.meetings[meeting_id]
        first = () if meeting.events else (MeetingStarted(at=NINE),)
        await FakeStore(self.record).append(
            meeting_id, self.epochs[meeting_id], numbered(*first, *more, after=len(meeting.events))
        )

    def pusher(self, *, seed: int = 1, senders: int = pushing.MAX_SENDERS) -> Pusher:
        return Pusher(self.queue, self.receiver, self.metrics, dice=random.Random(seed), senders=senders)

    @asynccontextmanager
    async def at_work(self, **options: Any) -> AsyncIterator[None]:
        """A pusher beside the block."""
        task = asyncio.get_running_loop().create_task(self.pusher(**options).run())
        try:
            yield
        finally:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    async def until_accepted(self, count: int) -> float:
        began_s = asyncio.get_running_loop().time()
        while len(self.receiver.accepted) < count:
            await asyncio.sleep(0.1)
        return asyncio.get_running_loop().time() - began_s

    def got(self, meeting_id: str) -> list[int]:
        return [r.seq for r in self.receiver.accepted if r.meeting_id == meeting_id]


async def new_world() -> World:
    record = Record(LoopedClock())
    queue = FakePushes(record)
    await queue.open()
    return World(record, queue, FakeReceiver(), FakePushMetrics(), {})


@pytest.fixture
async def w() -> World:
    return await new_world()


async def test_turns_and_answers_arrive_within_a_second_in_order(w: World) -> None:
    async with w.at_work():
        await w.say("m-1", spoken(1, "출시일은 금요일입니다."), *answered(2), spoken(3, "We ship on Friday."))
        assert await w.until_accepted(3) < 1.0
        await w.say("m-1", spoken(4))
        assert await w.until_accepted(4) < 1.0
    assert w.got("m-1") == [2, 4, 5, 6]
    assert [r.kind for r in w.receiver.accepted] == ["utterance", "reply", "utterance", "utterance"]
    assert w.metrics.outcomes == ["sent"] * 4


async def test_one_slow_look_delays_what_is_said_next_by_seconds(w: World) -> None:
    claim, slow = w.queue.claim, iter([30.0])

    async def claim_slowly(*args: Any) -> Any:
        await asyncio.sleep(next(slow, 0.0))
        return await claim(*args)

    w.queue.claim = claim_slowly  # type: ignore[method-assign] # a database that stood still for a while
    async with w.at_work():
        await asyncio.sleep(31)
        await w.say("m-1", spoken(1))
        assert await w.until_accepted(1) <= pushing.LOOK_PAUSE_MAX_S


@pytest.mark.parametrize(
    "answer",
    [
        DOWN,
        PushAnswer(500, "500"),
        PushAnswer(503),
        PushAnswer(429),
        PushAnswer(404),
        PushAnswer(401),
        PushAnswer(302),
        PushAnswer(400),
    ],
)
async def test_whatever_fails_is_tried_again_and_nothing_overtakes_it(w: World, answer: PushAnswer) -> None:
    w.receiver.answers = [answer] * 4
    await w.say("m-1", spoken(1), spoken(2), spoken(3))
    async with w.at_work():
        await w.until_accepted(3)
    assert w.got("m-1") == [2, 3, 4]
    assert w.receiver.posts == ["m-1/2"] * 5 + ["m-1/3", "m-1/4"]
    assert w.metrics.outcomes == ["failed"] * 4 + ["sent"] * 3


async def test_the_pauses_grow_to_a_minute_and_differ_between_meetings(w: World) -> None:
    at: dict[str, list[float]] = {"m-1": [], "m-2": []}
    post = w.receiver.post

    async def noting(request: Any) -> PushAnswer:
        at[request.meeting_id].append(asyncio.get_running_loop().time())
        await post(request)
        return DOWN

    w.receiver.post = noting  # type: ignore[method-assign] # a receiver that is down, with a clock
    await w.say("m-1", spoken(1))
    await w.say("m-2", spoken(1))
    async with w.at_work():
        await asyncio.sleep(600)
    pauses = {
        name: [later - earlier for earlier, later in itertools.pairwise(times)] for name, times in at.items()
    }
    for series in pauses.values():
        for n, pause in enumerate(series):
            full = min(60.0, 2.0**n)
            assert full / 2 <= pause <= full + pushing.LOOK_EVERY_S + 0.2
        assert 10 <= len(series) <= 25
    assert all(abs(a - b) > 0.01 for a, b in zip(pauses["m-1"][4:], pauses["m-2"][4:], strict=False))


async def test_a_receiver_that_says_when_is_listened_to(w: World) -> None:
    w.receiver.answers = [PushAnswer(429, retry_after_s=120.0), PushAnswer(429, retry_after_s=1e9)]
    await w.say("m-1", spoken(1))
    async with w.at_work():
        took_s = await w.until_accepted(1)
    assert 120 + pushing.RETRY_AFTER_MAX_S <= took_s < 125 + pushing.RETRY_AFTER_MAX_S


async def test_gone_ends_one_meeting_and_no_other(w: World) -> None:
    w.receiver.always["m-1/3"] = PushAnswer(410, "410 go away")
    await w.say("m-1", spoken(1), spoken(2), spoken(3))
    async with w.at_work():
        await w.until_accepted(1)
        await w.say("m-2", spoken(1), spoken(2))
        await w.until_accepted(3)
        await w.say("m-1", spoken(9))
        await asyncio.sleep(600)
    assert w.got("m-1") == [2]
    assert w.got("m-2") == [2, 3]
    assert w.receiver.posts.count("m-1/3") == 1
    assert w.queue.pushes["m-1"].over == "gone"
    assert w.metrics.outcomes.count("gone") == 1


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_what_is_refused_for_its_content_is_left_out_after_ten_tries(w: World, status: int) -> None:
    w.receiver.always["m-1/3"] = PushAnswer(status, f"{status} I cannot read this")
    await w.say("m-1", spoken(1), spoken(2), spoken(3))
    with capture_logs() as logs:
        async with w.at_work():
            await w.until_accepted(2)
    assert w.got("m-1") == [2, 4]
    assert w.receiver.posts.count("m-1/3") == pushing.MAX_REFUSALS
    assert w.metrics.outcomes.count("left_out") == 1
    (line,) = [line for line in logs if line["event"] == "push_left_out"]
    assert (line["push_id"], str(status) in line["error"]) == ("m-1/3", True)


async def test_an_outage_does_not_count_as_a_refusal(w: World) -> None:
    w.receiver.answers = [DOWN] * 12 + [PushAnswer(400, "400 by a proxy that has just started")]
    await w.say("m-1", spoken(1), spoken(2))
    async with w.at_work():
        await w.until_accepted(2)
    assert w.got("m-1") == [2, 3]
    assert "left_out" not in w.metrics.outcomes


async def test_one_meetings_trouble_is_not_its_neighbours(w: World) -> None:
    w.receiver.always["m-bad/2"] = DOWN
    await w.say("m-bad", spoken(1))
    for n in range(20):
        await w.say(f"m-{n:02}", spoken(1), spoken(2))
    async with w.at_work(senders=4):
        assert await w.until_accepted(40) < 5
    assert w.got("m-bad") == []
    assert w.receiver.most_at_once <= 4
    for n in range(20):
        assert w.got(f"m-{n:02}") == [2, 3]


async def test_a_meeting_with_much_to_send_steps_back_behind_the_others(w: World) -> None:
    w.receiver.takes_s = 1.0
    await w.say("m-1", *(spoken(n) for n in range(1, 60)))
    await w.say("m-2", spoken(1))
    async with w.at_work(senders=1):
        await w.until_accepted(60)
    first = [r.meeting_id for r in w.receiver.accepted].index("m-2")
    assert first <= 11
    assert w.got("m-1") == list(range(2, 61))


async def test_a_successor_goes_on_where_the_last_one_stopped(w: World) -> None:
    w.receiver.takes_s = 0.3
    await w.say("m-1", *(spoken(n) for n in range(1, 11)))
    for seed in range(4):
        async with w.at_work(seed=seed):
            await asyncio.sleep(1.0)
    async with w.at_work():
        await w.until_accepted(10)
    assert w.got("m-1") == list(range(2, 12)), "a stop in good order sends nothing twice"


async def test_a_sender_that_vanishes_costs_its_lease_and_repeats_what_it_did_not_write_down(
    w: World,
) -> None:
    settle = w.queue.settle
    lost = iter([True])

    async def losing(*args: Any) -> bool:
        if next(lost, False):
            w.queue.record.available = False
            try:
                w.queue.record.demand_available()
            finally:
                w.queue.record.available = True
        return await settle(*args)

    w.queue.settle = losing  # type: ignore[method-assign] # a database that goes away in this moment
    await w.say("m-1", spoken(1), spoken(2))
    async with w.at_work():
        took_s = await w.until_accepted(4)
    assert pushing.CLAIM_S <= took_s < pushing.CLAIM_S + 2
    assert w.got("m-1") == [2, 3, 2, 3]
    assert len({r.id for r in w.receiver.accepted}) == 2, "under the same ids"


@pytest.mark.parametrize(("call", "logged"), [("following", ["error"]), ("claim", [])])
async def test_a_fault_of_ours_ends_nothing_and_what_it_was_about_is_tried_again(
    w: World, call: str, logged: list[str]
) -> None:
    asked, faults = getattr(w.queue, call), iter([ValueError("a defect")])

    async def faulty(*args: Any) -> Any:
        if (fault := next(faults, None)) is not None:
            raise fault
        return await asked(*args)

    setattr(w.queue, call, faulty)
    await w.say("m-1", spoken(1))
    with capture_logs() as logs:
        async with w.at_work():
            assert await w.until_accepted(1) < 10
    assert w.got("m-1") == [2]
    assert [line["log_level"] for line in logs if line["event"] == "push_failed"] == logged


async def test_an_ended_meeting_is_sent_to_its_end_and_then_let_go(w: World) -> None:
    await w.say("m-1", spoken(1), MeetingEnded(at_ms=2_000, reason="empty"))
    meeting = w.record.meetings["m-1"]
    meeting.status, meeting.ended_at = "ended", w.record.clock.now
    async with w.at_work():
        await w.until_accepted(1)
        await asyncio.sleep(130)
    assert w.queue.pushes["m-1"].over == "sent"


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [DOWN, PushAnswer(500), PushAnswer(200), PushAnswer(429, retry_after_s=3.0), PushAnswer(200)]
        ),
        max_size=30,
    ),
    st.lists(st.integers(1, 4), min_size=1, max_size=6),
    st.lists(st.floats(0.05, 5.0), max_size=4),
)
def test_whatever_the_receiver_answers_and_whoever_is_restarted_each_meeting_arrives_in_order(
    answers: list[PushAnswer], sizes: list[int], restarts: list[float]
) -> None:
    async def scenario() -> None:
        w = await new_world()
        w.receiver.answers = list(answers)
        for n, size in enumerate(sizes):
            await w.say(f"m-{n}", *(spoken(k) for k in range(1, size + 1)))
        for seed, after_s in enumerate(restarts):
            async with w.at_work(seed=seed):
                await asyncio.sleep(after_s)
        async with w.at_work():
            while any(
                p.sent_until < len(w.record.meetings[m].events) for m, p in w.queue.pushes.items()
            ) or len(w.queue.pushes) < len(sizes):
                await asyncio.sleep(1)
        for n, size in enumerate(sizes):
            seen = list(dict.fromkeys(w.got(f"m-{n}")))
            assert seen == list(range(2, size + 2)), "first copies in order, none missing"

    run_virtual(scenario())


@pytest.mark.parametrize("status", [401, 404])
async def test_a_wrong_secret_or_path_is_no_matter_of_content_and_loses_nothing(
    w: World, status: int
) -> None:
    w.receiver.answers = [PushAnswer(status)] * 30
    await w.say("m-1", spoken(1))
    async with w.at_work():
        assert await w.until_accepted(1) > 600
    assert w.got("m-1") == [2]


async def test_pushers_side_by_side_send_everything_once_and_in_order(w: World) -> None:
    for n in range(6):
        await w.say(f"m-{n}", *(spoken(k) for k in range(1, 5)))
    async with w.at_work(seed=1, senders=2), w.at_work(seed=2, senders=2):
        await w.until_accepted(24)
        await asyncio.sleep(5)
    assert [w.got(f"m-{n}") for n in range(6)] == [[2, 3, 4, 5]] * 6
