"""Where MOIM_API_TOKEN is set, commands through Redis are signed or refused; without it all is as it was."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.streams import MEETING, Streams, said
from tests.fakes.bus import FakeBus
from worker.adapters.redis_bus import RedisBus, live_event
from worker.adapters.redis_signatures import FORGED, UNDATED_FAULT, Signer, canonical
from worker.messages import AskMessage, EndMessage, Malformed, SegmentMessage, read_ask

TOKEN = "비밀-s3cret-0123456789"
QUESTION = AskMessage(id="q1", by="minji", text="출시일이 언제죠? When do we ship?")
ASK = f"moim:default:ask:{MEETING}"

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
entries = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8), json_values, max_size=5
)


@pytest.fixture(params=["memory", "valkey"])
def valkey_url(request: pytest.FixtureRequest) -> str | None:
    return None if request.param == "memory" else request.getfixturevalue("valkey_server").url


@pytest.fixture
async def streams(valkey_url: str | None) -> AsyncIterator[Streams]:
    if valkey_url is None:
        fake = FakeBus(TOKEN)
        yield Streams(fake, fake.add)
        return
    refused: list[str] = []
    bus = RedisBus(valkey_url, token=TOKEN, on_refused=refused.append)
    await bus.quick.flushall()
    bus.refusals = refused  # type: ignore[attr-defined] # as the fake has it

    async def add(stream: str, payload: bytes | None) -> str:
        return (await bus.quick.xadd(stream.encode(), {"json": payload or b""})).decode()

    yield Streams(bus, add)
    await bus.aclose()


def by_the_readme(stream: str, entry: dict[str, object], token: str = TOKEN, *, ago_s: float = 0) -> bytes:
    """The entry as a program would write it that knows nothing but docs/how-to/redis.md."""
    entry = {**entry, "at": int((time.time() - ago_s) * 1000)}
    text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    sig = hmac.new(token.encode(), f"{stream}\n{text}".encode(), hashlib.sha256).hexdigest()
    return json.dumps({**entry, "sig": sig}).encode()


async def test_our_own_commands_are_signed(streams: Streams) -> None:
    await streams.bus.send_segment(MEETING, said(1))
    await streams.bus.ask(MEETING, QUESTION)
    await streams.bus.end(MEETING)
    read = [entry.message for entry in await streams.read(3)]
    assert sorted(read, key=lambda m: type(m).__name__) == [QUESTION, EndMessage(end=True), said(1)]
    assert streams.bus.refusals == []  # type: ignore[union-attr]  # of the fake alone


async def test_what_is_signed_by_the_documentation_counts(streams: Streams) -> None:
    entry = {"id": "q1", "by": "민지", "text": '출시일이 언제죠? "when"\n?', "private": False}
    await streams.add(ASK, by_the_readme(ASK, entry))
    (read,) = await streams.read(1)
    assert isinstance(read.message, AskMessage)
    assert read.message.by == "민지"


async def test_unsigned_forged_moved_and_changed_commands_are_refused_and_counted(streams: Streams) -> None:
    entry = {"id": "q1", "by": "a", "text": "출시일이 언제죠?"}
    signed = json.loads(by_the_readme(ASK, entry))
    undated = {**entry, "sig": Signer(TOKEN)._signature(ASK, entry)}
    for bad in (
        entry,
        undated,
        {**entry, "sig": ""},
        {**entry, "sig": 7},
        json.loads(by_the_readme(ASK, entry, token="another-token")),
        json.loads(by_the_readme("moim:default:ask:another-meeting", entry)),
        {**signed, "text": "Who earns what?"},
        {**signed, "private": True},
    ):
        await streams.add(ASK, json.dumps(bad).encode())
    await streams.add(f"moim:default:in:{MEETING}", b'{"end": true}')
    read = await streams.read(9)
    assert all(isinstance(entry.message, Malformed) for entry in read)
    assert sorted(streams.bus.refusals) == ["ask"] * 8 + ["in"]  # type: ignore[union-attr]  # of the fake alone
    assert not any(TOKEN in repr(entry) for entry in read)


async def test_what_is_said_needs_no_signature(streams: Streams) -> None:
    await streams.add(f"moim:default:in:{MEETING}", said(3).model_dump_json().encode())
    (read,) = await streams.read(1)
    assert isinstance(read.message, SegmentMessage)


async def test_without_a_token_the_shape_of_old_is_valid(redis_url: str) -> None:
    bus = RedisBus(redis_url)
    await bus.quick.xadd(ASK.encode(), {"json": '{"id":"q1","by":"a","text":"왜요?","sig":"whatever"}'})
    (read,) = await Streams(bus, FakeBus().add).read(1)
    assert isinstance(read.message, AskMessage)
    await bus.aclose()


@given(entries, entries)
def test_a_signature_fits_its_entry_alone(one: dict[str, object], other: dict[str, object]) -> None:
    signer, one = Signer(TOKEN), {**one, "id": "q1"}
    signed = signer.signed("s", one)
    now = f"{signed['at']}-0"
    assert signer.fault("s", now, signed) is None
    assert signer.fault("t", now, signed) is not None
    assert signer.fault("s", now, {**signed, "at": signed["at"] + 1}) == FORGED
    if canonical(one) != canonical(other):
        assert signer.fault("s", now, {**other, "sig": signed["sig"]}) is not None
    assert signer.fault("s", now, json.loads(json.dumps(signed))) is None, "after its way through JSON"


def test_an_entry_that_is_nested_as_deep_as_can_be_read_is_refused_like_any_other() -> None:
    fault = partial(Signer(TOKEN).fault, ASK, "1-0")
    for depth in range(500, 1100):  # how deep that is depends on how deep the reader itself is called
        nested = "[" * depth + "]" * depth
        assert isinstance(read_ask(f'{{"id":"q1","sig":"00","by":{nested}}}'.encode(), fault), Malformed)


@pytest.mark.parametrize("apart_s", [-299, 0, 299])
def test_clocks_may_differ_a_little(apart_s: int) -> None:
    signed = Signer(TOKEN).signed("s", {"id": "q1"})
    assert Signer(TOKEN).fault("s", f"{signed['at'] + apart_s * 1000}-3", signed) is None


@pytest.mark.parametrize(
    ("apart_s", "how"), [(-301, "301 s after"), (301, "301 s before"), (86_400, "86400 s")]
)
def test_what_was_signed_long_before_or_after_it_was_written_is_refused(apart_s: int, how: str) -> None:
    signed = Signer(TOKEN).signed("s", {"id": "q1"})
    why = Signer(TOKEN).fault("s", f"{signed['at'] + apart_s * 1000}-0", signed)
    assert why is not None
    assert how in why
    assert "sign it anew" in why


@pytest.mark.parametrize(
    "entry",
    [
        {"id": "q1"},
        {"at": 1},
        {"id": "", "at": 1},
        {"id": "q1", "at": "2026-11-23T22:00:00Z"},
        {"id": "q1", "at": 1.5},
        {"id": "q1", "at": True},
        {"id": None, "at": 1},
        {"id": ["q1"], "at": 1},
    ],
)
def test_a_signature_without_a_time_or_an_id_is_refused_with_how_to_mend_it(entry: dict[str, object]) -> None:
    signer = Signer(TOKEN)
    assert signer.fault("s", "1-0", {**entry, "sig": signer._signature("s", entry)}) == UNDATED_FAULT


async def test_a_question_that_waited_for_its_reader_counts_and_a_late_copy_does_not(
    streams: Streams,
) -> None:
    """Its age is that which it had when it was written: whoever reads it, and whenever, comes to the same."""
    entry = {"id": "q1", "by": "a", "text": "출시일이 언제죠?"}
    old = by_the_readme(ASK, entry, ago_s=3600)
    if isinstance(streams.bus, RedisBus):  # written an hour ago, by Redis' own clock, and read now
        at = json.loads(old)["at"]
        await streams.bus.quick.xadd(ASK.encode(), {"json": old}, id=f"{at + 10}-0")
    else:
        streams.bus.streams[ASK].append((json.loads(old)["at"] + 10, old))
    await streams.add(ASK, old)
    waited, copy = [each.message for each in await streams.read(2)]
    assert isinstance(waited, AskMessage)
    assert isinstance(copy, Malformed)
    assert "before it was written" in copy.reason


async def test_an_answer_is_followed_as_it_grows(streams: Streams) -> None:
    bus = streams.bus
    after = await bus.newest(MEETING)
    await bus.publish_reply("http-1", {"text": "출시일은 "})
    await bus.publish_reply("http-1", {"text": "11월 20일입니다."})
    await bus.publish_reply(
        "http-1", {"reply": {"invocation_id": "http-1", "text": "출시일은 11월 20일입니다."}}
    )
    async with aclosing(bus.follow_reply(MEETING, "http-1", after)) as growing:
        found = [entry async for entry in growing]
    assert "".join(entry.get("text", "") for entry in found) == "출시일은 11월 20일입니다."
    assert found[-1] == {"reply": {"invocation_id": "http-1", "text": "출시일은 11월 20일입니다."}}


async def test_an_answer_that_redis_took_late_comes_whole_by_the_meetings_stream(streams: Streams) -> None:
    bus = streams.bus
    await bus.put(MEETING, live_event("reply", {"invocation_id": "http-1", "text": "of another time"}))
    after = await bus.newest(MEETING)
    await bus.put(MEETING, live_event("reply", {"invocation_id": "q9", "text": "somebody else's"}))
    await bus.put(MEETING, live_event("reply", {"invocation_id": "http-1", "text": "We ship on the 20th."}))
    async with aclosing(bus.follow_reply(MEETING, "http-1", after)) as growing:
        found = [entry async for entry in growing]
    assert found == [{"reply": {"invocation_id": "http-1", "text": "We ship on the 20th."}}]
