"""The API over real parts: a text meeting that is wanted, fed, asked, ended and read by HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import asyncpg
import pytest
import redis.asyncio as redis

from tests.conftest import Database
from tests.fakes.addresses import LOOPBACK
from tests.fakes.openai_chat import ChatServer
from tests.integration.conftest import say
from tests.integration.text_meetings import EN, KO
from worker.bootstrap.database import database
from worker.bootstrap.parts import Parts, parts
from worker.configuration.settings import Settings
from worker.monitoring.health import serving as serving_http
from worker.monitoring.jobs import OwnBoard
from worker.process.text_worker import TextHost
from worker.web.api import API_PREFIX
from worker.web.wiring import served_api

pytestmark = pytest.mark.postgres
TOKEN = "0123456789-비밀-token-of-tests"
ID = "회의 1"


@dataclass
class Backend:
    """Somebody else's program: it has the token and the address."""

    shared: Parts
    base: str
    client: aiohttp.ClientSession

    async def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with self.client.request(method, self.base + path, json=body, headers=headers) as response:
            text = await response.text()
            return response.status, json.loads(text) if "json" in response.content_type else text

    async def events(self, count: int) -> list[str]:
        """The kinds of the first ones."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        kinds: list[str] = []
        async with self.client.get(f"{self.base}/v1/meetings/{ID}/events", headers=headers) as response:
            async for line in response.content:
                if line.startswith(b"event: "):
                    kinds.append(line.decode()[7:].strip())
                if len(kinds) == count:
                    break
        return kinds

    async def status(self) -> str:
        return (await self.call("GET", f"/v1/meetings/{ID}"))[1]["status"]


@asynccontextmanager
async def serving(
    database_url: str, redis_url: str, tmp_path: Path, **environ: str
) -> AsyncIterator[Backend]:
    settings = Settings.from_env(
        {
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
            "MOIM_API_TOKEN": TOKEN,
            "MOIM_STATE_DIR": str(tmp_path / "state"),
            "STT_ENGINE": "none",
            "EMBED_ENGINE": "none",
            **environ,
        }
    )
    async with (
        parts(settings) as shared,
        database(settings) as tables,
        served_api(shared, tables, tables) as app,
        aiohttp.ClientSession() as client,
        serving_http(shared.metrics, lambda: ([], []), LOOPBACK, mounts={API_PREFIX: app}) as port,
    ):
        yield Backend(shared, f"http://127.0.0.1:{port}", client)


async def test_under_a_flood_each_request_has_its_row(
    database: Database, redis_url: str, tmp_path: Path, owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    async with serving(database.url, redis_url, tmp_path) as backend, asyncio.timeout(120):
        await backend.call("POST", "/v1/meetings", {"meeting_id": ID, "title": "출시 계획"})
        asked = [backend.call("GET", "/v1/meetings?overview=true") for _ in range(500)]
        answers = await asyncio.gather(*asked)
        served = sum(status == 200 for status, _ in answers)
        assert await owner.fetchval("SELECT count(*) FROM moim.audit WHERE action = 'list'") == 500
        assert served > 0, "a pool that is short may fail some reads, but no row"
        assert {status for status, _ in answers} <= {200, 503}
        # Without the right to write rows, nothing is read out.
        await owner.execute("REVOKE INSERT ON moim.audit FROM moim_app")
        status, answer = await backend.call("GET", "/v1/meetings?overview=true")
        assert (status, "출시" in str(answer)) == (503, False)
        assert answer["error"]["mend"].startswith("the audit log cannot be written")


async def test_a_meeting_from_wish_to_minutes(database: Database, redis_url: str, tmp_path: Path) -> None:
    async with serving(database.url, redis_url, tmp_path) as backend, asyncio.timeout(120):
        status, wanted = await backend.call("POST", "/v1/meetings", {"meeting_id": ID, "title": "출시 계획"})
        assert (status, wanted) == (202, {"meeting_id": ID, "room": None, "status": "wanted"})
        assert (await backend.call("POST", f"/v1/meetings/{ID}/ask", {"text": "왜?"}))[0] == 409
        bus = backend.shared.bus
        assert bus is not None
        await say(bus, ID, KO + EN)
        async with redis.Redis.from_url(redis_url) as intruder:
            forged = {"id": "q-forged", "by": "minji", "text": "출시일이 언제로 결정됐지?"}
            await intruder.xadd(f"moim:default:ask:{ID}", {"json": json.dumps(forged)})
            await intruder.xadd(f"moim:default:in:{ID}", {"json": '{"end": true}'})
        stop = asyncio.Event()
        hosting = asyncio.ensure_future(TextHost(backend.shared, OwnBoard()).run(stop))
        while await backend.status() != "live":
            await asyncio.sleep(0.1)
        async for _, event in bus.follow(ID):
            if event["kind"] == "utterance" and event["text"] == EN[-1]:
                break
        question = {"text": "출시일이 언제로 결정됐지?", "by": "backend", "stream": True}
        status, text = await backend.call("POST", f"/v1/meetings/{ID}/ask", question)
        found = [
            json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data")
        ]
        assert found[0] == {"metadata": {"conversationId": ID}}
        pieces = "".join(event["choices"][0]["delta"]["content"] for event in found[1:-1])
        reply = found[-1]["reply"]
        assert "11월 20일" in pieces
        assert (reply["text"], reply["via"], reply["by"]) == (pieces, "http", "backend")
        status, whole = await backend.call(
            "POST", f"/v1/meetings/{ID}/ask", {"text": "What did we decide about the second server?"}
        )
        assert (status, whole["conversationId"]) == (200, ID)
        assert "second server" in whole["text"]
        alone = {"text": "출시일이 언제로 결정됐지?", "private": True}
        status, answer = await backend.call("POST", f"/v1/meetings/{ID}/ask", alone)
        assert (status, answer["private"]) == (200, True)
        assert "11월 20일" in answer["text"]
        second = len(KO) + 1
        part = {"text": "What did we decide?", "first_utterance": second}
        status, answer = await backend.call("POST", f"/v1/meetings/{ID}/ask", part)
        assert status == 200
        assert answer["evidence"]
        assert min(answer["evidence"]) >= second, "nothing that was said before"
        watching = asyncio.ensure_future(backend.events(2))
        await asyncio.sleep(1)
        await bus.pass_on(ID, "interim", {"speaker": "minji", "segment_id": "s", "text": "다음은"})
        assert await watching == ["document", "interim"]
        watching = asyncio.ensure_future(backend.events(2))
        await asyncio.sleep(1)
        status, _ = await backend.call("PUT", f"/v1/meetings/{ID}/title", {"title": "출시 회의"})
        assert status == 200
        assert await watching == ["document", "title"], "whoever watches sees it, by Redis"
        right = "출시일은 십이월 일일로 결정하겠습니다."
        fix = {"of": "utterance", "utterance": 1, "text": right, "was": KO[0]}
        status, _ = await backend.call("PATCH", f"/v1/meetings/{ID}", {"by": "김민지", "fix": fix})
        assert status == 202
        async for _, event in bus.follow(ID):
            if event["kind"] == "utterance" and event.get("corrected_by") == "김민지":
                break
        assert (await backend.call("POST", f"/v1/meetings/{ID}/end"))[0] == 202
        while await backend.status() != "ended":
            await asyncio.sleep(0.1)
        renamed = {"of": "person", "person": "minji", "name": "김민지", "was": "minji"}
        status, _ = await backend.call("PATCH", f"/v1/meetings/{ID}", {"by": "Ben", "fix": renamed})
        assert status == 202
        status, shape = await backend.call("GET", f"/v1/meetings/{ID}/export?format=json")
        assert [u["text"] for u in shape["utterances"]] == [right, *KO[1:], *EN]
        assert shape["utterances"][0]["heard"] == KO[0]
        assert [p["name"] for p in shape["participants"]] == ["김민지"]
        status, listed = await backend.call("GET", "/v1/meetings?overview=true")
        (overview,) = listed["meetings"]
        assert overview["topics"] == [topic["name"] for topic in shape["topics"]], "one name on all pages"
        assert "Intro" not in overview["topics"]
        again = {**fix, "text": KO[0], "was": right}
        assert (await backend.call("PATCH", f"/v1/meetings/{ID}", {"by": "Ben", "fix": again}))[0] == 202
        assert [(r["via"], r["by"]) for r in shape["replies"]] == [
            ("http", "backend"),
            ("http", "program ~"),
        ], "nobody answered the forged question"
        status, minutes = await backend.call("GET", f"/v1/meetings/{ID}/export?format=md")
        assert "출시 회의" in minutes
        status, again = await backend.call(
            "POST", f"/v1/meetings/{ID}/ask", {"text": "출시일이 언제로 결정됐지?"}
        )
        assert status == 200
        assert "11월 20일" in again["text"], "from the record"
        stop.set()
        await hosting


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (["출시일이 언제죠?", "출시일은 11월 20일로 결정되었습니다. 점심은 김밥이었습니다."], "11월 20일"),
        (["When do we ship?", "We ship on November 20. Lunch was late."], "November 20"),
    ],
)
async def test_a_conversation_is_summarised_without_any_model(
    database: Database, redis_url: str, tmp_path: Path, messages: list[str], expected: str
) -> None:
    async with serving(database.url, redis_url, tmp_path) as backend:
        body = {
            "messages": [
                {"role": role, "content": text}
                for role, text in zip(("user", "assistant"), messages, strict=True)
            ]
        }
        status, answer = await backend.call("POST", "/v1/summarize", body)
        assert (status, answer["engine"]) == (200, "extractive")
        assert expected in answer["summary"]


@pytest.mark.parametrize(
    ("messages", "written"),
    [
        (
            ["출시일이 언제죠?", "출시일은 11월 20일로 결정되었습니다. 점심은 김밥이었습니다."],
            "출시일은 11월 20일로 결정되었습니다.",
        ),
        (["When do we ship?", "We ship on November 20. Lunch was late."], "We ship on November 20."),
    ],
)
async def test_the_dispatchers_process_summarises_by_the_model_that_is_set(
    database: Database, redis_url: str, tmp_path: Path, messages: list[str], written: str
) -> None:
    async with (
        ChatServer() as server,
        serving(database.url, redis_url, tmp_path, **server.settings) as backend,
    ):
        server.will(json.dumps({"summary": written}, ensure_ascii=False))
        body = {
            "messages": [
                {"role": role, "content": text}
                for role, text in zip(("user", "assistant"), messages, strict=True)
            ]
        }
        status, answer = await backend.call("POST", "/v1/summarize", body)
        assert (status, answer["engine"], answer["summary"]) == (200, server.model, written)
        assert answer["summary_chars"] <= answer["original_chars"] == sum(map(len, messages))
        for text in ("x", "왜?"):
            body = {"messages": [{"role": "user", "content": text}]}
            server.will(json.dumps({"summary": text * 40}, ensure_ascii=False))
            status, answer = await backend.call("POST", "/v1/summarize", body)
            assert (status, answer["summary"]) == (200, text)


async def test_without_a_token_the_api_is_off_and_says_so(
    database: Database, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.integration.test_api_meeting.TOKEN", "")
    async with serving(database.url, redis_url, tmp_path) as backend:
        status, answer = await backend.call("POST", "/v1/meetings", {"room": "회의실"})
        assert (status, answer["error"]["field"]) == (404, "MOIM_API_TOKEN")
        assert (await backend.call("GET", "/healthz"))[0] == 200
