"""What followers can't be told now they are told later: in order, once, and only by who holds the meeting."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from context.events import effects
from context.ports import Unavailable
from tests.contracts.events import answered
from tests.fakes.virtual_time import in_virtual_time
from tests.fakes.waiting import until
from tests.unit.worker.agent.meetings import said
from worker.adapters.redis_outlet import LEAVE_WITHIN_S, MAX_KEPT_EVENTS, RedisOutlet
from worker.outlets import Outlets

pytestmark = in_virtual_time

LINES = ("3월 20일에 출시합니다", "We ship on the 20th", "예산은 그대로입니다", "The budget stays")


class Redis:
    """Takes events, or not; `deaf`: takes them and its answer is lost."""

    def __init__(self) -> None:
        self.there, self.deaf = True, False
        self.events: list[bytes] = []
        self.tries = 0

    async def put(self, meeting_id: str, event: bytes, *, again: bool = False) -> int:
        del meeting_id
        self.tries += 1
        await asyncio.sleep(0.001)
        if not self.there:
            raise Unavailable("Redis is away")
        if not (again and event in self.events):
            self.events.append(event)
        if self.deaf:
            await asyncio.sleep(2)
            raise Unavailable("no answer")
        return len(self.events)

    async def publish_reply(self, invocation_id: str, entry: Mapping[str, Any]) -> None:
        del invocation_id, entry
        if not self.there:
            raise Unavailable("Redis is away")

    async def pause(self, wait_s: float) -> None:
        await asyncio.sleep(wait_s)

    def told(self) -> list[str]:
        return [json.loads(event)["detail"] for event in self.events]


async def ours() -> bool:
    return True


@asynccontextmanager
async def followed(redis: Redis) -> AsyncIterator[RedisOutlet]:
    """The outlet of a meeting that is held, until its holder leaves."""
    async with asyncio.TaskGroup() as tasks:
        outlet = RedisOutlet(redis, "m-1")
        close = outlet.keep(tasks, ours)
        yield outlet
        await close()


async def until_told(redis: Redis, count: int) -> None:
    await until(lambda: len(redis.events) >= count)


async def test_what_an_outage_held_up_comes_after_it_in_order() -> None:
    redis = Redis()
    async with followed(redis) as outlet:
        await outlet.say(LINES[0])
        redis.there = False
        for line in LINES[1:]:
            await outlet.say(line)
        await asyncio.sleep(60)
        assert redis.told() == [LINES[0]]
        redis.there = True
        await outlet.say("그 뒤에 · after that")
        await until_told(redis, 5)
    assert redis.told() == [*LINES, "그 뒤에 · after that"]


async def test_what_was_erased_during_an_outage_does_not_come_after_it() -> None:
    redis = Redis()
    async with followed(redis) as outlet:
        redis.there = False
        for line in said([("ben", "Ben", text) for text in LINES]):
            await outlet.show(
                effects.PublishUtterance(utterance=line), segment_id=f"s{line.id}", durable=True
            )
        await outlet.say("요약 · a summary of it")
        Outlets(outlet).forget(frozenset({1, 3}), made=True)
        redis.there = True
        await until_told(redis, len(LINES) - 2)
    told = [json.loads(event) for event in redis.events]
    assert [event["id"] for event in told] == [n for n in range(1, len(LINES) + 1) if n not in {1, 3}]


async def test_nobody_waits_for_it_again_while_something_is_kept() -> None:
    redis = Redis()
    redis.there = False
    async with followed(redis) as outlet:
        await outlet.say(LINES[0])
        tries = redis.tries
        for _ in range(MAX_KEPT_EVENTS + 9):
            await outlet.say(LINES[1])
        assert redis.tries == tries
        redis.there = True
        await until_told(redis, 1)
    assert LINES[0] not in redis.told(), "the oldest goes where there are too many"


async def test_an_answer_to_who_asked_by_http_during_an_outage_reaches_the_followers() -> None:
    redis = Redis()
    reply = answered(1)[1].reply.model_copy(update={"via": "http", "by": "http", "invocation_id": "http-1"})
    async with followed(redis) as outlet:
        redis.there = False
        with pytest.raises(Unavailable):  # it is logged; whoever asked looks at the meeting's stream, too
            await outlet.show(effects.PublishReply(reply=reply), segment_id="", durable=True)
        redis.there = True
        await until_told(redis, 1)
    assert [json.loads(event)["text"] for event in redis.events] == [reply.text]


async def test_what_arrived_though_its_answer_did_not_is_told_once() -> None:
    redis = Redis()
    redis.deaf = True
    async with followed(redis) as outlet:
        await outlet.say(LINES[0])
        redis.deaf = False
        await outlet.say(LINES[1])
        await until_told(redis, 2)
    assert redis.told() == [LINES[0], LINES[1]]


async def test_who_has_lost_the_meeting_tells_nothing_late() -> None:
    redis = Redis()
    redis.there = False
    outlet = RedisOutlet(redis, "m-1")
    held = True

    async def sure() -> bool:
        return held

    async with asyncio.TaskGroup() as tasks:
        close = outlet.keep(tasks, sure)
        await outlet.say(LINES[0])
        held, redis.there = False, True
        await asyncio.sleep(30)
        began_s = asyncio.get_running_loop().time()
        await close()
        assert asyncio.get_running_loop().time() - began_s <= LEAVE_WITHIN_S + 0.1
    assert redis.told() == []


async def test_the_last_of_it_may_be_erased_while_the_lease_is_looked_up() -> None:
    redis = Redis()
    redis.there = False
    outlet = RedisOutlet(redis, "m-1")
    asked = asyncio.Event()

    async def sure() -> bool:
        asked.set()
        await asyncio.sleep(0.1)
        return True

    async with asyncio.TaskGroup() as tasks:
        close = outlet.keep(tasks, sure)
        await outlet.say(LINES[0])
        redis.there = True
        await asked.wait()
        outlet.forget(frozenset(), made=True)
        await asyncio.sleep(1)
        await outlet.say(LINES[1])
        await close()
    assert redis.told() == [LINES[1]]


async def test_who_leaves_waits_a_moment_for_what_is_kept() -> None:
    redis = Redis()
    redis.there = False
    async with followed(redis) as outlet:
        for line in LINES:
            await outlet.say(line)
        redis.there = True
    assert redis.told() == list(LINES)


async def test_without_a_holder_an_outage_is_told_at_once() -> None:
    redis = Redis()
    redis.there = False
    with pytest.raises(Unavailable):
        await RedisOutlet(redis, "m-1").say(LINES[0])
