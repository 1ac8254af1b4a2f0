"""The streams around a meeting, in memory and in a real Valkey."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest
import redis.asyncio as redis

from tests.contracts.streams import MEETING, Streams, said
from tests.fakes.bus import FakeBus
from worker.adapters.redis_bus import RedisBus, live_event
from worker.adapters.redis_streams import StreamNames
from worker.embedded.valkey import EmbeddedValkey
from worker.messages import AskMessage, EndMessage, Malformed, SegmentMessage


@pytest.fixture(params=["memory", "valkey"])
def valkey_url(request: pytest.FixtureRequest) -> str | None:
    return None if request.param == "memory" else request.getfixturevalue("valkey_server").url


@pytest.fixture
async def streams(valkey_url: str | None) -> AsyncIterator[Streams]:
    if valkey_url is None:
        fake = FakeBus()
        yield Streams(fake, fake.add)
        return
    bus = RedisBus(valkey_url)
    async with redis.Redis.from_url(valkey_url) as client:
        await client.flushall()

        async def add(stream: str, payload: bytes | None) -> str:
            fields = {"other": b"x"} if payload is None else {"json": payload}
            return (await client.xadd(stream, fields)).decode()

        yield Streams(bus, add)
    await bus.aclose()


async def test_segments_questions_and_the_end_come_in_with_their_places(streams: Streams) -> None:
    at_one = await streams.bus.send_segment(MEETING, said(1))
    at_two = await streams.bus.ask(MEETING, AskMessage(id="q1", by="james", text="When do we ship?"))
    at_three = await streams.bus.end(MEETING)
    entries = await streams.read(3)
    by_place = {(e.stream, e.position): e.message for e in entries}
    assert by_place == {
        (f"moim:default:in:{MEETING}", at_one): said(1),
        (f"moim:default:ask:{MEETING}", at_two): AskMessage(id="q1", by="james", text="When do we ship?"),
        (f"moim:default:in:{MEETING}", at_three): EndMessage(end=True),
    }


async def test_reading_goes_on_behind_the_recorded_positions(streams: Streams) -> None:
    for number in range(120):
        await streams.bus.send_segment(MEETING, said(number))
    entries = await streams.read(120)
    assert [e.message for e in entries] == [said(n) for n in range(120)]
    middle = entries[99]
    assert await streams.read(20, {middle.stream: middle.position}) == entries[100:]


async def test_what_comes_later_is_read_when_it_comes(streams: Streams) -> None:
    async with asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(streams.read(2))
        await streams.bus.send_segment(MEETING, said(1))
        await asyncio.sleep(0.05)
        await streams.bus.send_segment(MEETING, said(2))
    assert [e.message for e in reading.result()] == [said(1), said(2)]


async def test_meetings_do_not_hear_each_other(streams: Streams) -> None:
    await streams.bus.send_segment("another", said(1))
    await streams.bus.send_segment(MEETING, said(2))
    assert [e.message for e in await streams.read(1)] == [said(2)]


BAD = [
    (b"{", "not JSON"),
    (None, "no field `json`"),
    (b"[1, 2]", "a JSON object is expected, not list"),
    (b'"end"', "not str"),
    (b"\xff\xfe{}", "not UTF-8"),
    (b"[" * 200_000, "not JSON"),
    (b'{"end": "maybe"}', "end: "),
    (b'{"id": "1", "text": "x", "start_ms": 0, "end_ms": 1}', "speaker: Field required"),
    (b'{"id": "", "speaker": "a", "text": "x", "start_ms": 0, "end_ms": 1}', "id: must hold text"),
    (b'{"id": "1", "speaker": "a\\u0000", "text": "x", "start_ms": 0, "end_ms": 1}', "speaker: .*control"),
    (
        b'{"id": "1", "speaker": "a", "text": "x", "start_ms": 5, "end_ms": 1}',
        "end_ms 1 is before start_ms 5",
    ),
    (b'{"id": "1", "speaker": "a", "text": "x", "start_ms": -1, "end_ms": 1}', r"start_ms: .*given: -1"),
    (b'{"id": "1", "speaker": "a", "text": "x", "start_ms": 1e15, "end_ms": 1e15}', "start_ms"),
    (b'{"id": "1", "speaker": "a", "text": 7.5, "start_ms": 0, "end_ms": "\\ud55c"}', "end_ms: "),
    (
        b'{"id": "1", "speaker": "a", "text": "x", "start_ms": 0, "end_ms": 1, "confidence": NaN}',
        "confidence",
    ),
    (
        '{"id": "c", "by": "b", "fix": {"of": "term", "heard": " ", "meant": "로그인"}}'.encode(),
        "heard: must hold text",
    ),
    (b'{"json": "' + b"x" * 5_000_000 + b'"}', "at most"),
]


async def test_malformed_entries_are_told_and_passed(streams: Streams) -> None:
    for payload, _ in BAD:
        await streams.add(f"moim:default:in:{MEETING}", payload)
    await streams.bus.send_segment(MEETING, said(1))
    entries = await streams.read(len(BAD) + 1)
    for entry, (_, reason) in zip(entries, BAD, strict=False):
        assert isinstance(entry.message, Malformed)
        assert pytest.raises(ValueError, match=reason).matches(ValueError(entry.message.reason)), entry
        assert len(entry.message.reason) < 500
    assert entries[-1].message == said(1)


async def test_numbers_as_ids_and_text_with_nul_are_taken(streams: Streams) -> None:
    await streams.add(
        f"moim:default:in:{MEETING}",
        b'{"id": 17, "speaker": "a", "text": "a\\u0000\\ud800b", "start_ms": 0, "end_ms": 1}',
    )
    (entry,) = await streams.read(1)
    assert isinstance(entry.message, SegmentMessage)
    assert entry.message.id == "17"
    assert "\0" not in entry.message.text
    entry.message.text.encode()


async def test_what_goes_out_is_numbered_without_gaps_whoever_writes(streams: Streams) -> None:
    async with asyncio.TaskGroup() as tasks:
        for number in range(20):
            tasks.create_task(
                streams.bus.put(MEETING, live_event("utterance", {"id": number, "text": "안녕 \0 hi"}))
            )
    events = []
    async with asyncio.timeout(5), aclosing(streams.bus.follow(MEETING)) as out:
        async for _, event in out:
            events.append(event)
            if len(events) == 20:
                break
    assert [event["seq"] for event in events] == list(range(1, 21))
    assert {event["kind"] for event in events} == {"utterance"}
    assert sorted(event["id"] for event in events) == list(range(20))
    assert events[0]["text"] == "안녕 \0 hi"
    assert events[0]["at"].endswith("+00:00")


async def test_what_is_tried_again_is_in_the_stream_once(streams: Streams) -> None:
    said = live_event("utterance", {"id": 1, "text": "출시는 20일 · (%d+) we ship"})
    other = live_event("utterance", {"id": 2, "text": "네"})
    assert await streams.bus.put(MEETING, said) == 1
    assert await streams.bus.put(MEETING, said, again=True) == 1
    assert await streams.bus.put(MEETING, other, again=True) == 2
    assert await streams.bus.put(MEETING, said, again=True) == 1


async def test_a_reply_is_waited_for_and_found_again(streams: Streams) -> None:
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(streams.bus.wait_reply(MEETING, "q1", 5))
        await streams.bus.put(MEETING, live_event("reply", {"invocation_id": "q0", "text": "other"}))
        await streams.bus.put(MEETING, live_event("status", {"invocation_id": "q1"}))
        await streams.bus.put(MEETING, live_event("reply", {"invocation_id": "q1", "text": "금요일입니다"}))
    reply = waiting.result()
    assert reply is not None
    assert reply["text"] == "금요일입니다"
    assert await streams.bus.wait_reply(MEETING, "q1", 5) == reply
    assert await streams.bus.wait_reply(MEETING, "q2", 0.05) is None


async def test_the_input_of_a_meeting_that_is_over_goes_by_itself_and_no_other(
    valkey_server: EmbeddedValkey,
) -> None:
    bus = RedisBus(valkey_server.url)
    question = AskMessage(id="q1", by="minji", text="언제 출시하나요? When do we ship?")
    async with redis.Redis.from_url(valkey_server.url) as client:
        await client.flushall()
        for meeting_id in (MEETING, "m-2"):
            await bus.send_segment(meeting_id, said(1))
            await bus.ask(meeting_id, question)
        await bus.forget_inputs(MEETING)
        await bus.forget_inputs("m-3")
        left_s = {key.decode(): await client.ttl(key) for key in await client.keys("*")}
    await bus.aclose()
    assert {stream for stream, ttl in left_s.items() if ttl == -1} == {
        "moim:default:in:m-2",
        "moim:default:ask:m-2",
    }
    assert set(left_s) == {f"moim:default:{way}:{id_}" for way in ("in", "ask") for id_ in (MEETING, "m-2")}
    assert min(ttl for ttl in left_s.values() if ttl != -1) > 6 * 24 * 3600


@pytest.mark.parametrize("secret", ["비밀두꺼비", "secret toad"])
async def test_what_was_taken_back_is_in_no_stream(redis_url: str, secret: str) -> None:
    bus = RedisBus(redis_url, names=StreamNames("t"))
    await bus.publish_reply("q1", {"text": secret})
    await bus.publish_reply("q2", {"text": "-"})
    at = await bus.send_segment(MEETING, said(1).model_copy(update={"text": secret}))
    await bus.send_segment(MEETING, said(2))
    await bus.forget(MEETING, frozenset(), {}, made=True, asked=["q1", "q3"])
    await bus.drop(f"moim:t:in:{MEETING}", [at])
    async with redis.Redis.from_url(redis_url) as client:
        keys = {key.decode() for key in await client.keys("*")}
        entries = str(await client.xrange(f"moim:t:in:{MEETING}"))
    assert keys == {"moim:t:reply:q2", f"moim:t:in:{MEETING}"}
    assert entries.count("json") == 1
    await bus.aclose()


async def test_the_same_meeting_of_two_tenants_shares_no_stream(redis_url: str) -> None:
    seoul, busan = (RedisBus(redis_url, names=StreamNames(tenant)) for tenant in ("서울", "부산"))
    await seoul.send_segment(MEETING, said(1))
    await seoul.ask(MEETING, AskMessage(id="q1", by="minji", text="언제 출시하나요?"))
    await seoul.end(MEETING)
    await seoul.put(MEETING, live_event("utterance", {"id": 1}))
    await seoul.publish_reply("http-1", {"reply": {"text": "비밀"}})
    assert await busan.newest(MEETING) == "0"
    assert await busan.wait_reply(MEETING, "q1", 0.05) is None
    await busan.send_segment(MEETING, said(2))
    assert [e.message for e in await Streams(busan, FakeBus().add).read(1)] == [said(2)]
    assert await busan.put(MEETING, live_event("status", {})) == 1, "a number of its own"
    async with redis.Redis.from_url(redis_url) as client:
        keys = sorted(key.decode().split(":", 2)[1] for key in await client.keys("*"))
    assert keys == ["부산"] * 3 + ["서울"] * 5
    for bus in (seoul, busan):
        await bus.aclose()


async def test_who_watches_misses_nothing_that_comes_while_they_look_at_what_came_before(
    streams: Streams,
) -> None:
    async with asyncio.timeout(10), aclosing(streams.bus.watch(MEETING)) as watched:  # type: ignore[type-var]  # a generator it is
        first = asyncio.ensure_future(anext(watched))
        while not first.done():
            await streams.bus.pass_on(MEETING, "interim", {"speaker": "minji", "text": "출시일은"})
            await asyncio.sleep(0.1)
        await streams.bus.put(MEETING, live_event("utterance", {"id": 1}))
        while await anext(watched) is not None:
            pass


@pytest.mark.parametrize("text", ["출시일은 십이월", "We ship on"])
async def test_who_watches_hears_of_each_event_and_what_passes_beside_them(
    streams: Streams, text: str
) -> None:
    seen: list[dict[str, Any] | None] = []

    async def look() -> None:
        async with aclosing(streams.bus.watch(MEETING)) as watched:  # type: ignore[type-var]  # a generator it is
            async for passing in watched:
                seen.append(passing)
                if len(seen) == 2:
                    return

    looking = asyncio.ensure_future(look())
    await asyncio.sleep(0.2)
    await streams.bus.pass_on(MEETING, "interim", {"speaker": "minji", "text": text})
    await streams.bus.put(MEETING, live_event("utterance", {"id": 1}))
    async with asyncio.timeout(5):
        await looking
    assert None in seen
    (passing,) = [each for each in seen if each is not None]
    assert (passing["kind"], passing["text"]) == ("interim", text)
    async with asyncio.timeout(5), aclosing(streams.bus.follow(MEETING)) as events:  # type: ignore[type-var]  # a generator
        async for _, event in events:
            assert event["kind"] == "utterance", "words under way are no event"
            break
