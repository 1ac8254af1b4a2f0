"""A worker process that pushes is killed, and another goes on: every word arrives, in order."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from tests.conftest import Database
from tests.fakes.webhook import Webhook
from tests.integration.conftest import say, text_worker
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_pushes import PostgresPushes
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.redis_bus import RedisBus

KO, EN = "출시일은 11월 20일로 결정하겠습니다.", "We decided to buy the second server."

pytestmark = pytest.mark.postgres


async def test_a_killed_worker_loses_no_push(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path
) -> None:
    said = [KO if number % 2 else EN for number in range(12)]
    bus = RedisBus(redis_url)
    async with Webhook().running() as hook:
        await PostgresPushes(pool).open()  # a webhook that was there before the meeting gets all of it
        await PostgresRegistry(pool).want(None, meeting_id="m-killed")

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
        await say(bus, "m-killed", said[:6])
        await until(6)
        await say(bus, "m-killed", said[6:9], after=6)
        first.kill()
        await first.wait()
        second = await text_worker(database, redis_url, tmp_path / "b", **pushing)
        await say(bus, "m-killed", said[9:], after=9)
        await until(12)
        second.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(second.wait(), 30) == 0
    await bus.aclose()
    assert hook.forged == 0
    firsts = {body["id"]: body["utterance"]["text"] for body in reversed(hook.taken)}
    order = list(dict.fromkeys(body["id"] for body in hook.taken))
    assert [firsts[push_id] for push_id in order] == said
