"""`moim:{tenant}:dispatch` in a real Valkey: each entry reaches one dispatcher of its tenant, and none is lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
import redis.asyncio as redis

from worker.adapters import redis_dispatches
from worker.adapters.redis_dispatches import RedisDispatches
from worker.adapters.redis_streams import StreamNames
from worker.messages import DispatchEntry, DispatchMessage, Malformed, Unsigned

SEOUL = "moim:서울:dispatch"


@pytest.fixture
async def stream(redis_url: str) -> AsyncIterator[RedisDispatches]:
    dispatches = RedisDispatches(redis_url, names=StreamNames("서울"), name="one")
    yield dispatches
    await dispatches.aclose()


async def take(
    stream: RedisDispatches, count: int, *, done: bool = True, within_s: float = 60
) -> list[DispatchEntry]:
    found: list[DispatchEntry] = []
    async with asyncio.timeout(within_s), aclosing(stream.entries()) as entries:
        async for entry in entries:
            found.append(entry)
            if done:
                await stream.done(entry)
            if len(found) == count:
                break
    return found


async def test_what_was_wanted_before_anybody_read_is_not_lost(stream: RedisDispatches) -> None:
    await stream.want(DispatchMessage(room="회의실", title="주간 회의"))
    await stream.want(DispatchMessage(meeting_id="chat-42"))
    rooms = [entry.message for entry in await take(stream, 2)]
    assert rooms == [DispatchMessage(room="회의실", title="주간 회의"), DispatchMessage(meeting_id="chat-42")]


async def test_two_dispatchers_share_and_another_tenant_has_its_own(
    redis_url: str, stream: RedisDispatches
) -> None:
    other = RedisDispatches(redis_url, names=StreamNames("서울"), name="two")
    busan = RedisDispatches(redis_url, names=StreamNames("부산"), name="one")
    for number in range(20):
        await stream.want(DispatchMessage(room=f"room {number}"))
    seen: list[str | None] = []

    async def work(dispatches: RedisDispatches) -> None:
        async for entry in dispatches.entries():
            assert isinstance(entry.message, DispatchMessage)
            seen.append(entry.message.room)
            await dispatches.done(entry)

    working = [asyncio.ensure_future(work(dispatches)) for dispatches in (stream, other)]
    async with asyncio.timeout(60):
        while len(seen) < 20:
            await asyncio.sleep(0.02)
    for task in working:
        task.cancel()
    await asyncio.gather(*working, return_exceptions=True)
    assert sorted(seen, key=str) == sorted((f"room {number}" for number in range(20)), key=str)
    with pytest.raises(TimeoutError):
        await take(busan, 1, within_s=0.2)
    await other.aclose()
    await busan.aclose()


async def test_what_a_dead_dispatcher_had_taken_goes_to_another(
    redis_url: str, stream: RedisDispatches, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stream.want(DispatchMessage(room="회의실"))
    await take(stream, 1, done=False)
    monkeypatch.setattr(redis_dispatches, "_ABANDONED_MS", 1)
    other = RedisDispatches(redis_url, names=StreamNames("서울"), name="two")
    assert [entry.message for entry in await take(other, 1)] == [DispatchMessage(room="회의실")]
    async with redis.Redis.from_url(redis_url) as client:
        assert (await client.xpending(SEOUL, "moim:서울"))["pending"] == 0
    await other.aclose()


async def test_a_redis_that_came_back_empty_gets_its_group_again(
    redis_url: str, stream: RedisDispatches
) -> None:
    await stream.want(DispatchMessage(room="before"))
    await take(stream, 1)
    async with redis.Redis.from_url(redis_url) as client:
        await client.flushall()
    await stream.want(DispatchMessage(room="after"))
    assert [entry.message for entry in await take(stream, 1)] == [DispatchMessage(room="after")]


async def test_what_makes_no_sense_or_is_unsigned_comes_with_its_reason(redis_url: str) -> None:
    refused: list[str] = []
    signed = RedisDispatches(
        redis_url, names=StreamNames("t"), name="one", token="비밀-token", on_refused=refused.append
    )
    unsigned = RedisDispatches(redis_url, names=StreamNames("t"), name="x")
    await unsigned.want(DispatchMessage(room="회의실"))
    await signed.want(DispatchMessage(title="어디서?", room="회의실"))
    async with redis.Redis.from_url(redis_url) as client:
        await client.xadd("moim:t:dispatch", {"json": b"not json"})
        await client.xadd("moim:t:dispatch", {"other": b"x"})
    one, two, three, four = [entry.message for entry in await take(signed, 4)]
    assert isinstance(one, Unsigned)
    assert isinstance(two, DispatchMessage)
    assert (two.title, two.room) == ("어디서?", "회의실")
    assert two.id, "which wish it is"
    assert isinstance(three, Malformed)
    assert isinstance(four, Malformed)
    assert refused == ["dispatch"]
    await signed.aclose()
    await unsigned.aclose()


def test_a_wish_needs_a_place() -> None:
    message = redis_dispatches.read_dispatch(json.dumps({"title": "회의"}).encode())
    assert isinstance(message, Malformed)
    assert "room" in message.reason


def test_a_wish_for_a_room_that_livekit_refuses_is_malformed() -> None:
    for name in ("x" * 257, "회" * 86, "a\0b"):
        message = redis_dispatches.read_dispatch(json.dumps({"room": name}).encode())
        assert isinstance(message, Malformed)
        assert message.reason.startswith("room: ")
    assert isinstance(
        redis_dispatches.read_dispatch(json.dumps({"room": "회" * 85}).encode()), DispatchMessage
    )
