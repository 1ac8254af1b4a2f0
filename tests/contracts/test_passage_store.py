"""Passages and vectors: kept, found by nearness, seen only by whoever may read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime

import asyncpg
import numpy as np
import pytest

from context.corpora.passage import FIRST_NOTE
from context.corpora.sources import asked_terms
from context.primitives.vectors import Vectors
from tests.conftest import Database
from tests.contracts.passages import EN, KO, page, said
from tests.fakes.passages import FakePassages
from worker.adapters.migrations import migrate
from worker.adapters.postgres_passages import PostgresPassages
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.passages.passage_store import Matches, PassageStore, Scope, Search


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest) -> PassageStore:
    if request.param == "memory":
        return FakePassages()
    return PostgresPassages(request.getfixturevalue("pool"))


def towards(*angles: float) -> Vectors:
    """Unit vectors in a plane, by their angle from the first axis."""
    return np.array([[np.cos(a), np.sin(a), 0.0] for a in angles], dtype=np.float32)


EAST = towards(0.0)[0]


async def test_what_is_kept_comes_back_whole_and_in_order(store: PassageStore) -> None:
    passages = [said(KO), said(EN, 1), page("단가표: 3,000원", access=("minji",))]
    await store.put(list(reversed(passages)))
    assert await store.of_source("meeting", "m-1") == passages[:2]
    assert await store.of_source("document", "doc-1") == passages[2:]
    assert await store.of_source("meeting", "doc-1") == []
    assert (await store.of_source("meeting", "m-1"))[0].digest == passages[0].digest


async def test_a_vector_is_kept_only_for_a_passage_that_stands_as_it_was_embedded(
    store: PassageStore,
) -> None:
    await store.put([said(KO), said(EN, 1)])
    await store.put([said("고친 말입니다.", 1)])
    await store.put_vectors([said(KO), said(EN, 1), said("지운 말", 2)], towards(0.0, 0.2, 0.4), "e5")
    assert [each.text for each in await store.of_source("meeting", "m-1")] == [KO, "고친 말입니다."]
    assert list(await store.vectors("meeting", "m-1", "e5")) == [said(KO).digest]


async def test_the_closest_come_first_and_only_of_the_same_encoder(store: PassageStore) -> None:
    await store.put([said(KO), said(EN, 1)], towards(1.0, 0.2), "e5")
    await store.put([page("rubber", 0)], towards(0.6), "e5")
    await store.put([page("other encoder", 1)], towards(0.0), "ada")
    found = await store.nearest(EAST, "e5", Scope())
    assert [each.text for each, _ in found] == [EN, "rubber", KO]
    assert [each.corpus for each, _ in found] == ["earlier", "document", "earlier"]
    assert [cosine for _, cosine in found] == pytest.approx([math.cos(turn) for turn in (0.2, 0.6, 1.0)])
    assert [each.text for each, _ in await store.nearest(EAST, "e5", Scope(), k=1)] == [EN]


async def test_a_scope_keeps_out_what_it_leaves_out(store: PassageStore) -> None:
    await store.put([said(KO), said(EN, source="m-2")], towards(0.1, 0.2), "e5")
    await store.put([page("rubber")], towards(0.3), "e5")

    async def seen(scope: Scope) -> tuple[list[str], list[str]]:
        near = sorted(each.text for each, _ in await store.nearest(EAST, "e5", scope))
        return near, sorted(each.text for each in await store.readable(scope))

    for scope, expected in (
        (Scope(kinds=("document",)), ["rubber"]),
        (Scope(sources=("m-2",)), [EN]),
        (Scope(sources=()), []),
        (Scope(kinds=()), []),
        (Scope(without=("m-1", "doc-1")), [EN]),
        (Scope(), sorted([KO, EN, "rubber"])),
    ):
        assert await seen(scope) == (expected, expected), scope


async def test_only_who_may_read_it_finds_it(store: PassageStore) -> None:
    await store.put([said(KO, access=("minji", "ben")), said(EN, 1)], towards(0.1, 0.2), "e5")
    for reader, expected in ((None, [EN]), ("minji", [KO, EN]), ("stranger", [EN])):
        scope = Scope(reader=reader)
        assert [each.text for each, _ in await store.nearest(EAST, "e5", scope)] == expected
        assert [each.text for each in await store.readable(scope)] == expected


async def test_what_one_may_not_read_does_not_take_the_place_of_what_one_may(store: PassageStore) -> None:
    secret = [said(f"비밀 {number}", number, access=("minji",)) for number in range(40)]
    await store.put(secret, towards(*[0.001 * number for number in range(40)]), "e5")
    await store.put([page("open")], towards(1.0), "e5")
    assert [each.text for each, _ in await store.nearest(EAST, "e5", Scope(reader="ben"), k=2)] == ["open"]
    assert len(await store.nearest(EAST, "e5", Scope(reader="minji"), k=41)) == 41


async def test_a_changed_text_does_not_keep_the_vector_of_the_old_one(store: PassageStore) -> None:
    await store.put([said(KO), said(EN, 1)], towards(0.1, 0.2), "e5")
    await store.put([said(KO), said("Something else altogether.", 1)])
    assert [each.text for each, _ in await store.nearest(EAST, "e5", Scope())] == [KO]
    assert [each.text for each in await store.without_vector("e5")] == ["Something else altogether."]
    assert sorted(each.position for each in await store.without_vector("ada")) == [0, 1]


async def test_vectors_are_handed_on_by_what_they_were_made_of(store: PassageStore) -> None:
    await store.put([said(KO), said(EN, 1)], towards(0.1, 0.2), "e5")
    vectors = await store.vectors("meeting", "m-1", "e5")
    assert vectors[said(KO).digest] == pytest.approx(towards(0.1)[0], abs=1e-6)
    assert set(vectors) == {said(KO).digest, said(EN, 1).digest}
    assert await store.vectors("meeting", "m-1", "ada") == {}


async def test_a_shorter_version_forgets_its_end(store: PassageStore) -> None:
    await store.put([page("one"), page("two", 1), page("three", 2)], towards(0.1, 0.2, 0.3), "e5")
    await store.cut("document", "doc-1", 1)
    assert [each.text for each in await store.of_source("document", "doc-1")] == ["one"]
    assert [each.text for each, _ in await store.nearest(EAST, "e5", Scope())] == ["one"]
    await store.cut("document", "doc-1")
    assert await store.of_source("document", "doc-1") == []


async def test_the_newest_source_is_read_first(store: PassageStore) -> None:
    later = datetime(2026, 2, 1, tzinfo=UTC)
    await store.put([said("a", 0, "m-1"), said("b", 1, "m-1"), said("c", 0, "m-2", said_at=later)])
    assert [each.text for each in await store.readable(Scope())] == ["c", "a", "b"]
    assert [each.text for each in await store.readable(Scope(), limit=1)] == ["c"]


@pytest.mark.postgres
async def test_without_pgvector_passages_are_kept_all_the_same_until_it_is_there(
    database: Database, owner: asyncpg.Connection
) -> None:
    await owner.execute("DROP TABLE moim.passage_vectors; DROP EXTENSION vector")
    pool = PostgresPool(database.url)
    store = PostgresPassages(pool)
    try:
        assert not await store.keeps_vectors()
        await store.put([said(KO)], towards(0.1), "e5")
        assert [each.text for each in await store.readable(Scope())] == [KO]
        assert await store.nearest(EAST, "e5", Scope()) == []
        assert await store.vectors("meeting", "m-1", "e5") == {}
        assert await store.without_vector("e5") == []
        await owner.execute("CREATE SCHEMA elsewhere; CREATE EXTENSION vector SCHEMA elsewhere")
        assert await migrate(database.admin_url, database.url) == []
        assert await store.keeps_vectors()
        assert [each.text for each in await store.without_vector("e5")] == [KO]
        await store.put([said(KO)], towards(0.1), "e5")
        assert [each.text for each, _ in await store.nearest(EAST, "e5", Scope())] == [KO]
    finally:
        await pool.aclose()


async def matching(store: PassageStore, terms: Sequence[str], scope: Scope) -> Matches:
    return (await store.matches([Search(tuple(terms), scope)]))[0]


async def test_found_by_their_words(store: PassageStore) -> None:
    await store.put(
        [
            said(KO),
            said(EN, 1),
            page("고무 버튼은 얼마입니까? Rubber buttons cost two euros.", title="가격표"),
        ]
    )
    english = await matching(store, asked_terms("What about rubber buttons?"), Scope())
    assert {each.id for each in english.passages} == {"doc-1:0", "m-1:1"}
    assert english.total == 3
    assert english.frequencies == {"rubber": 2, "button": 2}
    korean = await matching(store, asked_terms("출시일이 언제로 결정됐지?"), Scope(kinds=("meeting",)))
    assert korean.passages[0].id == "m-1:0"
    assert (await matching(store, asked_terms("zebra 얼룩말"), Scope())).passages == []
    assert (await matching(store, [], Scope())).passages == []


async def test_several_searches_at_once_find_what_each_finds_alone(store: PassageStore) -> None:
    await store.put(
        [
            said(KO),
            said(EN, 1),
            page("고무 버튼은 얼마입니까? Rubber buttons cost two euros.", title="가격표"),
        ]
    )
    texts = ("What about rubber buttons?", "출시일이 언제로 결정됐지?", "zebra 얼룩말", "rubber buttons")
    scopes = (Scope(), Scope(kinds=("document",)), Scope(kinds=()))
    searches = [Search(tuple(asked_terms(text)), scope) for text in texts for scope in scopes]
    alone = [await matching(store, each.terms, each.scope) for each in searches]
    assert await store.matches(searches) == alone
    assert [len(each.passages) for each in alone[:3]] == [2, 1, 0]
    assert all(each.passages == [] for each in alone[6:9])
    assert await store.matches([]) == []


async def test_words_are_found_by_whoever_may_read_them(store: PassageStore) -> None:
    await store.put([said(EN, access=("alice",))])
    rubber = asked_terms("rubber buttons")
    assert not (await matching(store, rubber, Scope(reader="bob"))).passages
    assert len((await matching(store, rubber, Scope(reader="alice"))).passages) == 1
    assert not (await matching(store, rubber, Scope(reader="alice", without=("m-1",)))).passages


async def test_notes_of_topics_are_found_where_they_are_asked_for(
    store: PassageStore, request: pytest.FixtureRequest
) -> None:
    rooms = {"m-1": "weekly", "m-2": "daily"}
    if isinstance(store, FakePassages):
        store.rooms = rooms
    else:
        pool = request.getfixturevalue("pool")
        for meeting_id, room in rooms.items():
            await PostgresRegistry(pool).want(room, meeting_id=meeting_id)
    notes = [said(f"결정: {KO}", FIRST_NOTE + 2), said(f"결정: {KO}", FIRST_NOTE, "m-2")]
    rows = towards(0.0, 0.1, 0.2, 0.3)
    await store.put([said(KO), said(KO, source="m-2"), *notes], rows, "e")
    terms = tuple(asked_terms(KO))
    for scope, expected in [
        (Scope(), {"m-1:0", "m-2:0"}),
        (Scope(notes="shown"), {"m-1:0", "m-2:0", f"m-1:{FIRST_NOTE + 2}", f"m-2:{FIRST_NOTE}"}),
        (Scope(notes="alone"), {f"m-1:{FIRST_NOTE + 2}", f"m-2:{FIRST_NOTE}"}),
        (Scope(notes="alone", room="weekly"), {f"m-1:{FIRST_NOTE + 2}"}),
        (Scope(room="daily"), {"m-2:0"}),
        (Scope(room="none", notes="shown"), set()),
    ]:
        (found,) = await store.matches([Search(terms, scope)])
        near = await store.nearest(EAST, "e", scope)
        if near or isinstance(store, FakePassages):
            assert {each.id for each, _ in near} == expected
        assert {each.id for each in found.passages} == expected
        assert {each.id for each in await store.readable(scope)} == expected
    await store.cut("meeting", "m-1", FIRST_NOTE)
    assert [each.id for each in await store.of_source("meeting", "m-1")] == ["m-1:0"]
