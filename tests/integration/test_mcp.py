"""`moim mcp` by the official client: a real dispatcher, workers that are killed, words that are erased."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import aiohttp
import pytest
from mcp import MCPError

from tests.conftest import Database
from tests.integration.conftest import say, text_worker
from tests.integration.mcp_agent import ID, MODERN, URI, address, on_stdio, subscribed
from tests.integration.short_meeting import LINES, record
from tests.integration.text_meetings import EN, KO
from tests.security.doors.process import TOKEN, Served
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.redis_bus import RedisBus
from worker.embedded.child import free_port
from worker.mcp.tools import TOOLS

pytestmark = pytest.mark.postgres


@asynccontextmanager
async def worker(
    database: Database, redis_url: str, state: Path
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A worker of text meetings, which is killed at the end."""
    process = await text_worker(database, redis_url, state, EMBED_ENGINE="none")
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@pytest.mark.parametrize("mode", [MODERN, "legacy"])
async def test_a_meeting_is_followed_through_a_takeover_and_an_erasure(
    mode: str, dispatcher: Served, database: Database, redis_url: str, tmp_path: Path
) -> None:
    bus, spoken = RedisBus(redis_url), [*KO, *EN]
    where = f"http://127.0.0.1:{dispatcher.port}/v1/meetings"
    async with AsyncExitStack() as stack:
        program = aiohttp.ClientSession(headers={"Authorization": f"Bearer {TOKEN}"}, raise_for_status=True)
        await stack.enter_async_context(program)
        await program.post(where, json={"meeting_id": ID, "title": "출시 계획"})
        first = await stack.enter_async_context(worker(database, redis_url, tmp_path / "a"))
        await say(bus, ID, KO[:2])
        agent = await stack.enter_async_context(on_stdio(tmp_path, mode, **address(dispatcher)))
        async with asyncio.timeout(60):
            while not (listed := (await agent.client.list_resources()).resources):
                await asyncio.sleep(0.1)
        assert [(each.uri, each.name) for each in listed] == [(URI, ID)]
        assert "출시" not in listed[0].model_dump_json()
        await stack.enter_async_context(subscribed(agent, mode))
        async with asyncio.timeout(30):
            while (
                "nothing is on record"
                in (await agent.client.call_tool("topics", {"meeting_id": ID})).model_dump_json()
            ):
                await agent.arrived.wait()
        read = await agent.until(lambda now: now["meeting"]["lines"] >= 2)
        assert read["meeting"]["status"] == "live"
        first.kill()
        await first.wait()
        await stack.enter_async_context(worker(database, redis_url, tmp_path / "b"))
        await say(bus, ID, spoken[2:], after=2)
        read = await agent.until(lambda now: now["meeting"]["lines"] == len(spoken))
        assert [line["text"] for line in read["latest_lines"]] == spoken
        page = await agent.call("transcript", meeting_id=ID, limit=3)
        assert (page["since_line"], page["more"]) == (3, True)
        rest = await agent.call("transcript", meeting_id=ID, since_line=3)
        assert [line["text"] for line in page["lines"] + rest["lines"]] == spoken
        assert [line["line"] for line in page["lines"] + rest["lines"]] == list(range(1, len(spoken) + 1))
        answer = await agent.call("ask", meeting_id=ID, question="출시일이 언제로 결정됐지?")
        assert "11월 20일" in answer["text"]
        assert [quote["line"] for quote in answer["quotes"]] == sorted(answer["evidence"])
        assert all(quote["text"] == spoken[quote["line"] - 1] for quote in answer["quotes"])
        before = len(agent.told)
        await program.post(f"{where}/{ID}/erasures", json={"by": "ben", "utterances": [1]})
        read = await agent.until(lambda now: now["latest_lines"][0].get("erased", False))
        assert len(agent.told) > before
        assert KO[0] not in json.dumps(read, ensure_ascii=False)
        exported = await (await program.get(f"{where}/{ID}/export?format=json")).json()
        assert exported["replies"] == [], "the question is nobody else's"
        await program.post(f"{where}/{ID}/end")
        await agent.until(lambda now: now["meeting"]["status"] == "ended")
        assert set(agent.told) == {URI}
        decided = (await agent.call("decisions", meeting_id=ID))["decisions"]
        assert any("second server" in row["text"] for row in decided)
        assert all([quote["line"] for quote in row["quotes"]] == row["evidence"] for row in decided)
        minutes = await agent.call("minutes", meeting_id=ID)
        assert "출시 계획" in minutes["markdown"]
        assert (await agent.client.list_resources()).resources == []
    await bus.aclose()


async def test_tools_read_what_is_on_record_and_say_clearly_what_is_wrong(
    dispatcher: Served, pool: PostgresPool, tmp_path: Path
) -> None:
    await record(pool, "m1", end=True)
    async with on_stdio(tmp_path, "legacy", **address(dispatcher)) as agent:
        tools = (await agent.client.list_tools()).tools
        assert [tool.name for tool in tools] == list(TOOLS)
        assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
        (meeting,) = (await agent.call("list_meetings"))["meetings"]
        assert (meeting["id"], meeting["title"], meeting["status"]) == ("m1", "주간 회의", "ended")
        assert "holder" not in meeting
        assert (await agent.call("list_meetings", status="live"))["meetings"] == []
        lines = (await agent.call("transcript", meeting_id="m1"))["lines"]
        assert [(line["speaker"], line["name"], line["text"]) for line in lines] == LINES
        assert (await agent.call("topics", meeting_id="m1"))["topics"][0]["first_utterance"] == 1
        tasks = await agent.call("tasks", meeting_id="m1")
        assert {"tasks", "open"} <= set(tasks)
        assert "open" not in await agent.call("tasks", meeting_id="m1", owner="minji")
        hits = (await agent.call("search", query="출시일", meeting_id="m1"))["hits"]
        assert isinstance(hits, list)
        for tool in ("transcript", "topics", "decisions", "tasks", "minutes"):
            said = await agent.refused(tool, meeting_id="m-none")
            assert said == "there is no meeting 'm-none': `list_meetings` names them"
        for id_ in ("..", ".", "../../search?q=x", "m1/export"):
            assert "there is no meeting" in await agent.refused("transcript", meeting_id=id_)
        assert "there is no meeting" in await agent.refused("ask", meeting_id="m-none", question="언제?")
        assert await agent.refused("ask", meeting_id="m1", question="/leave") == (
            "text: this is a command, not a question: commands are given in the room"
        )
        assert "due_from" in await agent.refused("tasks", meeting_id="m1", due_from="soon")
        assert "unknown: minutes takes meeting_id" in await agent.refused(
            "minutes", meeting_id="m1", by="ceo"
        )
        for uri in ("moim://meetings/m-none", "moim://meetings/", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="there is no"):
                await agent.client.read_resource(uri)
        with pytest.raises(MCPError, match="there is no such tool"):
            await agent.client.call_tool("end", {"meeting_id": "m1"})


async def test_a_wrong_address_or_token_is_told(dispatcher: Served, tmp_path: Path) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    at = address(dispatcher)
    for environ, expected in (
        (
            at | {"MOIM_API_URL": nowhere},
            f"the dispatcher at {nowhere} (MOIM_API_URL) is out of reach: nothing",
        ),
        (at | {"MOIM_API_URL": f"http://127.0.0.1:{dispatcher.probe_port}"}, "is not Moim's API"),
        (at | {"MOIM_API_TOKEN": "a-wrong-token-that-is-long-enough"}, "refuses this token"),
    ):
        async with on_stdio(tmp_path, **environ) as agent:
            assert expected in await agent.refused("list_meetings")
            with pytest.raises(MCPError, match=r"refuses|out of reach|not Moim"):
                await agent.client.list_resources()
            assert "a-wrong-token" not in agent.log.read_text()
