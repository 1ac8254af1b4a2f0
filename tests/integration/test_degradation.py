"""A meeting goes on while its parts go away: real Postgres, real Valkey, a real engine process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_chat import ChatServer, Status
from tests.fakes.waiting import until
from tests.integration.text_meetings import EN, KO, held
from worker.embedded.postgres import EmbeddedPostgres
from worker.embedded.valkey import EmbeddedValkey

pytestmark = pytest.mark.postgres


@pytest.fixture
async def own_valkey(tmp_path: Path) -> AsyncIterator[EmbeddedValkey]:
    server = EmbeddedValkey(tmp_path / "valkey")
    await server.start()
    yield server
    await server.stop()


async def test_postgres_dies_in_the_middle_and_nothing_is_lost_or_doubled(
    own_postgres: EmbeddedPostgres, redis_url: str, tmp_path: Path
) -> None:
    async with held(own_postgres.url, redis_url, tmp_path) as world:
        await world.say(*KO[:2])
        await until(lambda: len(world.shown) == 2)
        async with asyncio.timeout(60):  # a machine with others at work may take longer than PATIENCE_S
            while await world.recorded() != KO[:2]:
                await asyncio.sleep(0.05)
        pid = own_postgres.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await world.say(*KO[2:], *EN[:2])
        await until(lambda: len(world.shown) == 6)
        durable = [entry["durable"] for entry in world.out if entry["kind"] == "utterance"]
        # What a dying server still commits is durable; from the first that is not, nothing is.
        assert durable[2:] == sorted(durable[2:], reverse=True)
        assert not durable[-1]
        spool = list((tmp_path / "state" / "spool").iterdir())
        assert len(spool) == 1
        assert "second server" in (await world.ask("What did we decide about the second server?"))["text"]
        await own_postgres.stop()
        await own_postgres.start()
        await world.say(*EN[2:])
        await until(lambda: len(world.shown) == 8)
        await until(lambda: not spool[0].exists())
        assert await world.recorded() == KO + EN
    assert world.shown == KO + EN
    numbers = [entry["seq"] for entry in world.out]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_valkey_dies_in_the_middle_and_the_input_goes_on_where_it_stopped(
    postgres_server: EmbeddedPostgres, own_valkey: EmbeddedValkey, database: Any, tmp_path: Path
) -> None:
    async with held(database.url, own_valkey.url, tmp_path) as world:
        await world.say(*KO)
        await until(lambda: len(world.shown) == 4)
        await own_valkey.stop()
        await until(lambda: bool(world.shared.bus and world.shared.bus.away))
        await asyncio.sleep(1)
        await own_valkey.start()
        await world.say(*EN)
        await until(lambda: len(world.shown) == 8)
        assert await world.recorded() == KO + EN
        reply = await world.ask("출시일이 언제로 결정됐지?")
        assert "11월 20일" in reply["text"]
    assert world.shown == KO + EN


@pytest.mark.parametrize("trouble", ["down", "garbage", "errors"])
async def test_a_language_model_in_trouble_costs_style_not_answers(
    database: Any, redis_url: str, tmp_path: Path, trouble: str
) -> None:
    """One that hangs, and every other fault: `test_fault_matrix.py`."""
    async with ChatServer() as server:
        base_url = server.base_url if trouble != "down" else "http://127.0.0.1:1/v1"
        for _ in range(60):
            if trouble == "garbage":
                server.will("아무", fault="garbage")
            else:
                server.will(Status(500, retry_after="0"))
        model = server.settings | {"LLM_BASE_URL": base_url}
        async with held(database.url, redis_url, tmp_path, **model) as world:
            await world.say(*KO, *EN)
            await until(lambda: len(world.shown) == 8)
            for question, said in (
                ("출시일이 언제로 결정됐지?", "11월 20일"),
                ("What did we decide about the second server?", "second server"),
            ):
                reply = await world.ask(question, id_=question)
                assert said in reply["text"]
                assert reply["degraded"]
                assert reply["evidence"]
        if trouble != "down":
            assert server.requests
    assert any(entry["kind"] == "topic" for entry in world.out)


def _summary(body: dict[str, Any]) -> str:
    """A model that works: of its first lines it makes a summary that stands."""
    del body
    statement = {"text": "출시일은 11월 20일로 결정했습니다.", "evidence": [2]}
    lists = {"summary": [statement], "key_points": [statement], "decisions": [statement], "pending": []}
    return json.dumps({"topic_name": "출시일", **lists})


async def test_a_language_model_that_answers_with_nonsense_is_seen_until_it_works_again(
    database: Any, redis_url: str, tmp_path: Path
) -> None:
    """Every reply is a 200 with "ok": no request fails, and no summary is the model's."""
    async with ChatServer() as server:
        model = server.settings | {"CONTEXT_L1_UPDATE_TURN_THRESHOLD": "4"}
        async with held(database.url, redis_url, tmp_path, **model) as world:
            await world.say(*KO)
            await until(lambda: world.figure("moim_llm_calls_total", purpose="summary") == 2)
            assert not any("JSON" in part for part in world.degraded), "twice may be chance"
            await world.say(*EN)
            told = f"llm: {server.model}: its summaries are no valid JSON: its work is done without it"
            await until(lambda: told in world.degraded)
            await until(lambda: world.figure("moim_degraded", part="llm") == 1)
            of = {"purpose": "summary"}
            assert world.figure("moim_llm_useless_replies_total", fault="json", **of) >= 3
            assert world.figure("moim_llm_repairs_total", outcome="failed", **of) >= 1
            assert world.figure("moim_llm_repairs_total", outcome="repaired", **of) == 0
            assert world.figure("moim_llm_missed_total", reason="useless", **of) >= 1
            reply = await world.ask("출시일이 언제로 결정됐지?")
            assert "11월 20일" in reply["text"], "the record speaks for itself"
            assert world.figure("moim_llm_useless_replies_total", fault="evidence", purpose="answer") == 1
            server.writes = _summary
            await world.say(*KO)
            await until(lambda: not any(part.startswith("llm") for part in world.degraded))
            await until(lambda: world.figure("moim_degraded", part="llm") == 0)
