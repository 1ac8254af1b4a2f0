"""Redis goes away and comes back: publishing fails at once, reading goes on where it stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
import redis.asyncio as redis

from context.ports import Refused, Unavailable
from tests.contracts.streams import said
from worker.adapters import redis_connection
from worker.adapters.redis_bus import OUT_CAP, RedisBus, live_event
from worker.configuration.settings import Settings
from worker.diagnostics.diagnosis import diagnose
from worker.embedded.valkey import EmbeddedValkey


@pytest.fixture(params=[True, False], ids=["with files", "in memory"])
async def own_valkey(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[EmbeddedValkey]:
    """A server that this test may stop, with its data on disk or without."""
    server = EmbeddedValkey(tmp_path, durable=request.param)
    await server.start()
    yield server
    await server.stop()


async def test_a_restart_loses_and_doubles_nothing(
    own_valkey: EmbeddedValkey, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    files = "files" in request.node.callspec.id
    monkeypatch.setattr(
        redis_connection, "_PAUSE_S", 3600.0
    )  # the reader finds out that it is back, not a put
    changes: list[bool] = []
    bus = RedisBus(own_valkey.url, on_away=changes.append)
    async with asyncio.timeout(30), aclosing(bus.read_inputs("m-1", {})) as inputs:
        await bus.send_segment("m-1", said(1))
        assert (await anext(inputs)).message == said(1)
        assert await bus.put("m-1", live_event("status", {"status": "live"})) == 1
        following = asyncio.ensure_future(anext(inputs))
        await asyncio.sleep(0.05)
        await own_valkey.stop()
        with pytest.raises(Unavailable):
            await bus.put("m-1", live_event("status", {}))
        assert bus.away
        with pytest.raises(Unavailable):
            bus.put("m-1", live_event("status", {})).send(
                None
            )  # at its first step: nobody waits while it is away
        await own_valkey.start()
        while bus.away:
            await asyncio.sleep(0.05)
        await bus.send_segment("m-1", said(2))
        assert (await following).message == said(2)
        # A Redis that came back empty counts what goes out from 1 again (decision 0035).
        assert await bus.put("m-1", live_event("status", {"status": "again"})) == (2 if files else 1)
    assert changes[0] is True
    assert changes[-1] is False
    await bus.aclose()


async def test_the_check_tells_of_files_in_which_erased_words_stay(
    own_valkey: EmbeddedValkey, request: pytest.FixtureRequest
) -> None:
    settings = Settings.from_env({"REDIS_URL": own_valkey.url})
    (finding,) = await diagnose(settings, ["redis"])
    assert finding.state == "ok"
    assert ("append-only file" in finding.text) == ("files" in request.node.callspec.id)
    async with redis.Redis.from_url(own_valkey.url) as client:
        await client.config_set("save", "60 1000")
        (finding,) = await diagnose(settings, ["redis"])
        assert "snapshots" in finding.text
        await client.execute_command("ACL", "SETUSER", "shy", "on", ">shy", "~*", "+@all", "-config")
    shy = own_valkey.url.replace("redis://:", "redis://shy:").replace(
        own_valkey.url.split(":")[2].split("@")[0], "shy"
    )
    (finding,) = await diagnose(Settings.from_env({"REDIS_URL": shy}), ["redis"])
    assert (finding.state, "file" in finding.text) == ("ok", False), "it does not say"


async def test_no_server_at_all_is_unavailable_in_time() -> None:
    bus = RedisBus("redis://127.0.0.1:1/0")
    async with asyncio.timeout(30):  # no measure: whoever waited for the server would wait for ever
        with pytest.raises(Unavailable):
            await bus.put("m-1", live_event("status", {}))
        with pytest.raises(Unavailable):
            await bus.send_segment("m-1", said(1))
    assert await bus.wait_reply("m-1", "q1", 0.2) is None
    await bus.aclose()


async def test_a_wrong_password_and_a_wrong_url_are_refused(valkey_server: EmbeddedValkey) -> None:
    bus = RedisBus(valkey_server.url.replace("redis://:", "redis://:wrong"))
    with pytest.raises(Refused, match="REDIS_URL"):
        await bus.ping()
    await bus.aclose()
    with pytest.raises(Refused, match="REDIS_URL"):
        RedisBus("http://127.0.0.1")


async def test_the_output_is_capped(redis_url: str) -> None:
    bus = RedisBus(redis_url)
    async with redis.Redis.from_url(redis_url) as client:
        async with client.pipeline(transaction=False) as pipe:
            for number in range(15_000):
                pipe.xadd("moim:default:out:m-1", {"json": str(number)})
            await pipe.execute()
        await bus.put("m-1", live_event("utterance", {"id": 1}))
        assert OUT_CAP <= await client.xlen("moim:default:out:m-1") <= OUT_CAP + 200
        assert await client.ttl("moim:default:out:m-1") > 0
    await bus.aclose()
