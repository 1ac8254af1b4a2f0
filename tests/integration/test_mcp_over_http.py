"""`moim mcp --http`: each request has the rights of its own token, and comes from where it may."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final

import aiohttp
import pytest

from context.events.events import UtteranceSpoken
from context.ports import RecordedEvent
from tests.integration.mcp_agent import MODERN, data_of, error_of, over_http
from tests.integration.short_meeting import LINES, record
from tests.security.doors.process import TOKEN, Served, mcp_over_http
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_store import PostgresStore

pytestmark = pytest.mark.postgres
WRONG: Final = "a-wrong-token-that-is-long-enough"
PING: Final = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPTS: Final = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
async def url(dispatcher: Served) -> AsyncIterator[str]:
    """Where `moim mcp --http` is, which has the dispatcher's token and uses it for nobody."""
    async with mcp_over_http(dispatcher) as (where, log):
        assert where.startswith("http://127.0.0.1:")
        yield where
    assert TOKEN not in log.read_text()
    assert WRONG not in log.read_text()


def spoken(seq: int, text: str) -> RecordedEvent:
    """One more line on the record."""
    said = UtteranceSpoken(
        key=f"k{seq}", speaker_id="amy", speaker_name="Amy", text=text, start_ms=30_000, end_ms=31_000
    )
    return RecordedEvent(seq=seq, event=said)


@pytest.mark.parametrize("mode", [MODERN, "legacy"])
async def test_a_client_has_the_rights_of_its_token(mode: str, url: str, pool: PostgresPool) -> None:
    await record(pool, "m1", end=True)
    async with over_http(url, TOKEN, mode) as right, over_http(url, WRONG, mode) as wrong:
        told = await asyncio.gather(
            *(client.call_tool("transcript", {"meeting_id": "m1"}) for client in (right, wrong) * 5)
        )
        assert [line["text"] for line in data_of(told[0])["lines"]] == [text for _, _, text in LINES]
        assert all(len(data_of(each)["lines"]) == 3 for each in told[::2])
        assert all("refuses this token" in error_of(each) for each in told[1::2])
        (resource,) = (await right.read_resource("moim://meetings/m1")).contents
        assert json.loads(resource.text)["data"]["meeting"]["id"] == "m1"


async def test_who_subscribes_over_http_is_told_and_with_a_wrong_token_is_not(
    url: str, pool: PostgresPool
) -> None:
    epoch = await record(pool, "m1", end=False)
    store, uri = PostgresStore(pool), "moim://meetings/m1"
    async with over_http(url, TOKEN) as right, over_http(url, WRONG) as wrong:
        for wish in ({"resource_subscriptions": [uri]}, {"tools_list_changed": True}):
            with pytest.raises(Exception, match="refuses this token"):
                async with wrong.listen(**wish):
                    pass
        async with right.listen(resource_subscriptions=[uri]) as stream, asyncio.timeout(30):
            await store.append("m1", epoch, [spoken(6, "하나 더 있습니다.")])
            assert getattr(await anext(stream), "uri", "") == uri
            told = data_of(await right.call_tool("transcript", {"meeting_id": "m1", "since_line": 3}))
            assert [line["text"] for line in told["lines"]] == ["하나 더 있습니다."]
    await PostgresLeases(pool).release("m1", epoch)


async def test_a_request_comes_from_here_with_one_token(url: str) -> None:
    bearer = {"Authorization": f"Bearer {TOKEN}"}

    async def status(headers: Any, body: Any = PING) -> int:
        async with client.post(url, headers=headers, json=body) as answer:
            assert "www-authenticate" in answer.headers or answer.status != 401
            return answer.status

    async with aiohttp.ClientSession(headers=ACCEPTS) as client:
        assert await status(bearer) == 200
        for method in ("GET", "DELETE", "PUT"):
            async with client.request(method, url, headers=bearer) as answer:
                assert (answer.status, answer.headers["Allow"]) == (405, "POST")
        for wrong in ({}, {"Authorization": "Basic Zm9v"}, {"Authorization": "Bearer "}):
            assert await status(wrong) == 401
        assert await status([("Authorization", "Bearer a"), ("Authorization", f"Bearer {TOKEN}")]) == 401
        for name in ("evil.example.com", "127.0.0.1.evil.example.com", "localhost.evil.example.com:80"):
            assert await status(bearer | {"Host": name}) == 421, name
            assert await status(bearer | {"Origin": f"http://{name}"}) == 403, name
        assert await status(bearer | {"Origin": "null"}) == 403
        assert await status(bearer | {"Origin": url.removesuffix("/mcp")}) == 200
        assert await status(bearer, {**PING, "params": {"x": "y" * 300_000}}) == 413
