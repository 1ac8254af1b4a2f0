"""The ACL lines of docs/how-to/redis.md do what the page says, in a real Valkey and a real Redis."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable
from contextlib import aclosing
from pathlib import Path

import pytest
import redis.asyncio as redis

from context.ports import Refused
from tests.security.acl import user_of
from tests.security.redis_server import redis_server
from worker.adapters.redis_bus import RedisBus, live_event
from worker.adapters.redis_dispatches import RedisDispatches
from worker.adapters.redis_streams import StreamNames
from worker.configuration.settings import Settings
from worker.diagnostics.diagnosis import diagnose
from worker.embedded.valkey import EmbeddedValkey
from worker.messages import AskMessage, DispatchMessage, SegmentMessage

TENANTS = ("default", "acme", "서울")
SAID = SegmentMessage(id="s1", speaker="a", text="출시일은 20일입니다.", start_ms=0, end_ms=900)
ASKED = AskMessage(id="q1", by="a", text="언제죠?")


@pytest.fixture(params=["valkey", "redis"])
async def redis_url(
    request: pytest.FixtureRequest, valkey_server: EmbeddedValkey, tmp_path: Path
) -> AsyncIterator[str]:
    """An empty server for one test; of Redis, the version that Debian packages."""
    if request.param == "redis":
        async with redis_server(tmp_path) as url:
            yield url
        return
    async with redis.Redis.from_url(valkey_server.url) as client:
        await client.flushall()
    yield valkey_server.url


@pytest.fixture
async def users(redis_url: str) -> AsyncIterator[dict[str, str]]:
    """Each tenant's REDIS_URL, for its processes."""
    yield {tenant: await user_of(redis_url, tenant) for tenant in TENANTS}
    async with redis.Redis.from_url(redis_url) as admin:
        for tenant in TENANTS:
            await admin.acl_deluser(f"moim-{tenant}", f"backend-{tenant}")


@pytest.mark.parametrize("tenant", TENANTS)
async def test_a_tenants_processes_can_do_all_that_they_need(users: dict[str, str], tenant: str) -> None:
    names = StreamNames(tenant)
    bus = RedisBus(users[tenant], names=names, token="0123456789")
    await bus.send_segment("m", SAID)
    await bus.ask("m", ASKED)
    await bus.end("m")
    async with aclosing(bus.read_inputs("m", {})) as inputs:
        assert [(await anext(inputs)).stream for _ in range(3)]
    event = live_event("reply", {"invocation_id": "q1", "text": "20일"})
    assert await bus.put("m", event) == 1
    assert await bus.put("m", event, again=True) == 1
    assert (await bus.wait_reply("m", "q1", 5) or {})["text"] == "20일"
    await bus.publish_reply("http-1", {"reply": {}})
    async with aclosing(bus.follow_reply("m", "http-1", await bus.newest("m"))) as growing:
        assert [entry async for entry in growing] == [{"reply": {}}]
    await bus.forget_inputs("m")
    said = live_event("utterance", {"id": 1, "text": "20일"})
    await bus.put("m", said)
    last = await bus.send_segment("m", SAID)
    await bus.forget(
        "m", frozenset({1}), {names.of("in", "m"): last}
    )  # without this no erasure is carried out
    async with redis.Redis.from_url(users[tenant]) as client:
        assert await client.xrange(names.of("in", "m")) == []
        assert "20일" not in str(await client.xrange(names.of("out", "m"))).encode().decode("unicode_escape")
    await bus.ping()
    await bus.aclose()
    dispatches = RedisDispatches(users[tenant], names=names, name="one", token="0123456789")
    await dispatches.want(DispatchMessage(room="회의실"))
    async with aclosing(dispatches.entries()) as entries:
        entry = await anext(entries)
        await dispatches.done(entry)
    assert isinstance(entry.message, DispatchMessage)
    await dispatches.aclose()
    settings = Settings.from_env({"REDIS_URL": users[tenant], "MOIM_TENANT": tenant})
    assert [found.state for found in await diagnose(settings, only=["redis"])] == ["ok"], "moim check"


@pytest.mark.parametrize(
    ("without", "lacks"),
    [
        (("-xdel",), "+xdel; without it no erasure"),
        (("-xdel", "-xtrim", "-del"), "+xdel +xtrim +del; without it no erasure"),
        (("-xautoclaim",), "+xautoclaim: docs"),
        (("-xgroup|create",), "+xgroup|create: docs"),
        (("-eval",), "+eval: docs"),
        (("resetkeys", "~moim:acme:out:*"), "~moim:acme:in:* ~moim:acme:ask:* ~moim:acme:seq:* ~moim:acme:passing:*"),
        (("resetkeys", "%R~moim:acme:*"), "~moim:acme:out:*"),
    ],
    ids=" ".join,
)  # fmt: skip
async def test_moim_check_names_the_rights_that_are_missing(
    users: dict[str, str], redis_url: str, without: tuple[str, ...], lacks: str
) -> None:
    async with redis.Redis.from_url(redis_url) as admin:
        await admin.execute_command("ACL", "SETUSER", "moim-acme", *without)
        settings = Settings.from_env({"REDIS_URL": users["acme"], "MOIM_TENANT": "acme"})
        [found] = await diagnose(settings, only=["redis"])
        assert found.state == "wrong"
        assert lacks in found.text
        assert "\n" not in found.text
        assert await admin.keys("*moim-check*") == [], "nothing is left of what was tried"


@pytest.mark.parametrize(("thief", "owner"), list(itertools.permutations(TENANTS, 2)))
async def test_a_tenants_user_is_refused_on_anothers_keys(
    users: dict[str, str], thief: str, owner: str
) -> None:
    names = StreamNames(owner)
    bus = RedisBus(users[thief], names=names)
    dispatches = RedisDispatches(users[thief], names=names, name="one")
    tries: list[Awaitable[object]] = [
        bus.send_segment("m", SAID),
        bus.ask("m", ASKED),
        bus.end("m"),
        bus.newest("m"),
        bus.put("m", live_event("status", {})),
        bus.publish_reply("http-1", {}),
        bus.forget_inputs("m"),
        dispatches.want(DispatchMessage(room="r")),
    ]
    for each in tries:
        with pytest.raises(Refused, match=r"permission|ACL"):
            await each
        await bus.ping()  # after a failure what may fail is not even tried for a moment
    await bus.aclose()
    await dispatches.aclose()


async def test_a_program_may_say_ask_wish_and_read_what_comes_out_and_no_more(
    users: dict[str, str], redis_url: str
) -> None:
    del users
    backend = await user_of(redis_url, "acme", "backend")
    names = StreamNames("acme")
    async with redis.Redis.from_url(redis_url) as admin:
        await admin.xadd(names.of("out", "m"), {"json": "{}"})
        await admin.xadd(names.of("ask", "m"), {"json": "{}"})
    async with redis.Redis.from_url(backend) as client:
        for stream in (names.of("in", "m"), names.of("ask", "m"), names.dispatch):
            assert await client.xadd(stream, {"json": "{}"})
            for reading in (client.xrange(stream), client.xread({stream: "0"})):
                with pytest.raises(redis.ResponseError, match="permission"):
                    await reading
        assert len(await client.xrange(names.of("out", "m"))) == 1
        for forbidden in (
            client.xadd(names.of("out", "m"), {"json": "{}"}),
            client.xadd(StreamNames("other").of("in", "m"), {"json": "{}"}),
            client.xrange(StreamNames("other").of("out", "m")),
            client.xdel(names.of("in", "m"), "1-0"),
            client.delete(names.of("in", "m")),
            client.xtrim(names.of("ask", "m"), maxlen=0),
            client.expire(names.of("ask", "m"), 1),
            client.eval("return 1", 0),
            client.keys("*"),
            client.flushall(),
        ):
            with pytest.raises(redis.ResponseError, match="permission"):
                await forbidden
