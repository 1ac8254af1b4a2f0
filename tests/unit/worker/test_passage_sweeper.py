"""Passages that were left without a vector get one later."""

from __future__ import annotations

import asyncio

import pytest

from context.ports import Refused, Unavailable
from tests.contracts.test_passage_store import EN, KO, page, said
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.passages import FakePassages
from worker.passages.store import Scope, Sweeper


async def test_what_was_left_without_a_vector_gets_one() -> None:
    store, embedder = FakePassages(), FakeEmbedder()
    await store.put(
        [said(KO), said(EN, 1), page("단가표: 삼천 원"), *(page(f"page {n}", n) for n in range(1, 20))]
    )
    sweeper = Sweeper(store, embedder)
    done = 0
    while count := await sweeper.step():
        assert count <= 8
        done += count
    assert done == 22
    found = await store.nearest(await embedder.embed_query("단가표: 삼천"), embedder.name, Scope(), k=1)
    assert found[0].passage.text == "단가표: 삼천 원"


async def test_another_encoders_vectors_are_made_anew() -> None:
    store = FakePassages()
    for encoder in (FakeEmbedder("one"), FakeEmbedder("two")):
        await store.put([said(KO)])
        assert await Sweeper(store, encoder).step() == 1
        assert await Sweeper(store, encoder).step() == 0


@pytest.mark.parametrize("trouble", [Unavailable("away"), Refused("wrong key")])
async def test_an_embedder_in_trouble_is_asked_again_unless_it_refuses(
    trouble: Unavailable | Refused,
) -> None:
    store, embedder = FakePassages(), FakeEmbedder(trouble=trouble)
    await store.put([said(KO)])
    running = asyncio.ensure_future(Sweeper(store, embedder, every_s=0.01, pause_s=0.01).run())
    await asyncio.sleep(0.05)
    assert running.done() == isinstance(trouble, Refused)
    embedder.trouble = None
    if isinstance(trouble, Unavailable):
        async with asyncio.timeout(5):
            while not store.embedded:
                await asyncio.sleep(0.01)
        running.cancel()
