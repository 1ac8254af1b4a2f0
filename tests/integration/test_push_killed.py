"""A worker process that pushes is killed, and another goes on: every word arrives, in order."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import pytest
import redis.asyncio as redis

from tests.conftest import Database
from tests.fakes.webhook import Webhook
from tests.integration.conftest import text_worker
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry

KO, EN = "출시일은 11월 20일로 결정하겠습니다.", "We decided to buy the second server."

pytestmark = pytest.mark.postgres


async def test_a_killed_worker_loses_no_push(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path
) -> None:
    said = [KO if number % 2 else EN for number in range(12)]
    async with Webhook().running() as hook, redis.Redis.from_url(redis_url) as client:
        await PostgresRegistry(pool).want(None, meeting_id="m-killed")

        async def say(numbers: range) -> None:
            for number in numbers:
                times = {"start_ms": number * 1000, "end_ms": number * 1000 + 900}
                entry = {"id": f"s{number}", "speaker": "minji", "text": said[number], "final": True, **times}
                await client.xadd("moim:default:in:m-killed", {"json": json.dumps(entry)})

        async def until(count: int) -> None:
            async with asyncio.timeout(60):
                while len({body["id"] for body in hook.taken}) < count:
                    await asyncio.sleep(0.05)

        pushing = {
            "LLM_ENGINE": "extractive",
            "MOIM_WEBHOOK_URL": hook.url,
            "MOIM_WEBHOOK_SECRET": hook.secret,
        }
        first = await text_worker(database, redis_url, tmp_path / "a", **pushing)
        await say(range(6))
        await until(6)
        await say(range(6, 9))
        first.kill()
        await first.wait()
        second = await text_worker(database, redis_url, tmp_path / "b", **pushing)
        await say(range(9, 12))
        await until(12)
        second.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(second.wait(), 30) == 0
    assert hook.forged == 0
    firsts = {body["id"]: body["utterance"]["text"] for body in reversed(hook.taken)}
    order = list(dict.fromkeys(body["id"] for body in hook.taken))
    assert [firsts[push_id] for push_id in order] == said
