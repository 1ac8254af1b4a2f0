"""Where MOIM_API_TOKEN is set, commands through Redis are signed or refused; without it all is as it was."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.test_bus import MEETING, Streams, said
from tests.fakes.bus import FakeBus
from worker.adapters.redis_bus import RedisBus
from worker.adapters.redis_messages import AskMessage, EndMessage, Malformed, SegmentMessage
from worker.adapters.redis_signatures import Signer, canonical

TOKEN = "비밀-s3cret-0123456789"
QUESTION = AskMessage(id="q1", by="minji", text="출시일이 언제죠? When do we ship?")
ASK = f"moim:ask:{MEETING}"

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
    await bus._redis.quick.flushall()
    bus.refused = refused  # type: ignore[attr-defined] # as the fake has it

    async def add(stream: str, payload: bytes | None) -> str:
        return (await bus._redis.quick.xadd(stream.encode(), {"json": payload or b""})).decode()

    yield Streams(bus, add)
    await bus.aclose()


def by_the_readme(stream: str, entry: dict[str, object], token: str = TOKEN) -> bytes:
    """As a program would write it that knows nothing but the README."""
    text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    sig = hmac.new(token.encode(), f"{stream}\n{text}".encode(), hashlib.sha256).hexdigest()
    return json.dumps({**entry, "sig": sig}).encode()


async def test_our_own_commands_are_signed(streams: Streams) -> None:
    await streams.bus.send_segment(MEETING, said(1))
    await streams.bus.ask(MEETING, QUESTION)
    await streams.bus.end(MEETING)
    read = [entry.message for entry in await streams.read(3)]
    assert sorted(read, key=lambda m: type(m).__name__) == [QUESTION, EndMessage(end=True), said(1)]
    assert streams.bus.refused == []  # type: ignore[union-attr]


async def test_what_is_signed_by_the_documentation_counts(streams: Streams) -> None:
    entry = {"id": "q1", "by": "민지", "text": '출시일이 언제죠? "when"\n?', "private": False}
    await streams.add(ASK, by_the_readme(ASK, entry))
    (read,) = await streams.read(1)
    assert isinstance(read.message, AskMessage)
    assert read.message.by == "민지"


async def test_unsigned_forged_moved_and_changed_commands_are_refused_and_counted(streams: Streams) -> None:
    entry = {"id": "q1", "by": "a", "text": "출시일이 언제죠?"}
    signed = json.loads(by_the_readme(ASK, entry))
    for bad in (
        entry,
        {**entry, "sig": ""},
        {**entry, "sig": 7},
        json.loads(by_the_readme(ASK, entry, token="another-token")),
        json.loads(by_the_readme("moim:ask:another-meeting", entry)),
        {**signed, "text": "Who earns what?"},
        {**signed, "private": True},
    ):
        await streams.add(ASK, json.dumps(bad).encode())
    await streams.add(f"moim:in:{MEETING}", b'{"end": true}')
    read = await streams.read(8)
    assert all(isinstance(entry.message, Malformed) for entry in read)
    assert sorted(streams.bus.refused) == ["ask"] * 7 + ["in"]  # type: ignore[union-attr]
    assert not any(TOKEN in repr(entry) for entry in read)


async def test_what_is_said_needs_no_signature(streams: Streams) -> None:
    await streams.add(f"moim:in:{MEETING}", said(3).model_dump_json().encode())
    (read,) = await streams.read(1)
    assert isinstance(read.message, SegmentMessage)


async def test_without_a_token_the_shape_of_old_is_valid(redis_url: str) -> None:
    bus = RedisBus(redis_url)
    await bus._redis.quick.xadd(
        ASK.encode(), {"json": '{"id":"q1","by":"a","text":"왜요?","sig":"whatever"}'}
    )
    (read,) = await Streams(bus, FakeBus().add).read(1)
    assert isinstance(read.message, AskMessage)
    await bus.aclose()


@given(entries, entries)
def test_a_signature_fits_its_entry_alone(one: dict[str, object], other: dict[str, object]) -> None:
    signer = Signer(TOKEN)
    assert signer.fault("s", signer.signed("s", one)) is None
    assert signer.fault("t", signer.signed("s", one)) is not None
    if canonical(one) != canonical(other):
        assert signer.fault("s", {**other, "sig": signer.signed("s", one)["sig"]}) is not None
    assert signer.fault("s", json.loads(json.dumps(signer.signed("s", one)))) is None, (
        "after its way through JSON"
    )


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


async def test_the_answer_of_a_holder_of_an_earlier_version_comes_whole(streams: Streams) -> None:
    bus = streams.bus
    await bus.publish(MEETING, "reply", {"invocation_id": "http-1", "text": "of another time"})
    after = await bus.newest(MEETING)
    await bus.publish(MEETING, "reply", {"invocation_id": "q9", "text": "somebody else's"})
    await bus.publish(MEETING, "reply", {"invocation_id": "http-1", "text": "We ship on the 20th."})
    async with aclosing(bus.follow_reply(MEETING, "http-1", after)) as growing:
        found = [entry async for entry in growing]
    assert found == [{"reply": {"invocation_id": "http-1", "text": "We ship on the 20th."}}]
