"""Looking up in three corpora: words, vectors, both; who may see what; parts that are away."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from context.budgets.tokens import EstimateTokenizer
from context.corpora.passage import Passage, Query
from context.corpora.sources import rewritten
from context.ports import Unavailable
from context.primitives.vectors import Vectors
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.passages import FakePassages
from worker.bootstrap.embedders import search_floor
from worker.passages.passage_store import Matches, Scope
from worker.passages.retrieving import CorporaRetriever

AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
TOKENS = EstimateTokenizer()
PRICES = {"corpus": "document", "page": 3, "title": "가격표"}


def said(source: str, text: str, position: int = 0, **more: object) -> Passage:
    of = {"source_id": source, "title": source, "prefix": source, "first": 1, "last": 4, "said_at": AT}
    return Passage.model_validate(of | {"position": position, "text": text} | more)


async def shelf(embedder: FakeEmbedder | None = None) -> FakePassages:
    store = FakePassages()
    passages = [
        said("m-now", "지금 회의: 배송 업체를 바꿉시다."),
        said("m-old", "마케팅 예산은 일억 팔천만 원으로 확정합니다."),
        said("m-old", "The rubber buttons are too expensive, so we take plastic.", 1),
        said("m-private", "급여 예산은 삼 퍼센트 올립니다.", access=("alice",)),
        said("price", "Rubber parts cost four euros. 고무 부품은 4유로입니다.", **PRICES),
    ]
    rows = await embedder.embed([each.searched for each in passages]) if embedder else None
    await store.put(passages, rows, embedder.name if embedder else "")
    return store


@pytest.mark.parametrize("with_vectors", [False, True])
async def test_earlier_meetings_and_documents_in_both_languages(with_vectors: bool) -> None:
    embedder = FakeEmbedder() if with_vectors else None
    retriever = CorporaRetriever(await shelf(embedder), TOKENS, embedder=embedder)
    english = await retriever.retrieve(Query(text="What did rubber buttons cost?", meeting_id="m-now"))
    assert {each.corpus for each in english.passages[:2]} == {"earlier", "document"}
    assert "가격표 p. 3" in [each.citation for each in english.passages]
    korean = await retriever.retrieve(Query(text="마케팅 예산을 얼마로 확정했지?", meeting_id="m-now"))
    assert korean.passages[0].id == "m-old:0"
    assert korean.tokens == sum(TOKENS.count(each.searched) for each in korean.passages)
    assert korean.degraded == ()


async def test_this_meeting_is_no_earlier_one() -> None:
    retriever = CorporaRetriever(await shelf(), TOKENS)
    here = await retriever.retrieve(Query(text="배송 업체는?", meeting_id="m-now", corpora=("meeting",)))
    assert [(each.corpus, each.source_id) for each in here.passages] == [("meeting", "m-now")]
    elsewhere = await retriever.retrieve(
        Query(text="배송 업체는?", meeting_id="m-now", corpora=("earlier", "document"))
    )
    assert "m-now" not in {each.source_id for each in elsewhere.passages}
    nowhere = await retriever.retrieve(Query(text="rubber", meeting_id="m-now", corpora=()))
    assert nowhere.passages == ()


async def test_a_private_meeting_is_its_participants() -> None:
    retriever = CorporaRetriever(await shelf(), TOKENS)
    bob = await retriever.retrieve(Query(text="급여 예산", meeting_id="m-now", asker="bob"))
    alice = await retriever.retrieve(Query(text="급여 예산", meeting_id="m-now", asker="alice"))
    assert "m-private" not in {each.source_id for each in bob.passages}
    assert alice.passages[0].source_id == "m-private"


async def test_bounds_hold() -> None:
    retriever = CorporaRetriever(await shelf(), TOKENS)
    one = await retriever.retrieve(Query(text="rubber buttons 예산", meeting_id="m-now"), k=1)
    assert len(one.passages) == len(one.scores) == 1
    assert (await retriever.retrieve(Query(text="rubber"), k=8, budget_tokens=1)).passages == ()


async def test_without_vectors_words_answer_and_it_says_so() -> None:
    embedder = FakeEmbedder()
    store = await shelf(embedder)
    embedder.trouble = Unavailable("the engine is down")
    found = await CorporaRetriever(store, TOKENS, embedder=embedder).retrieve(
        Query(text="rubber buttons", meeting_id="m-now")
    )
    assert found.degraded == ("embeddings",)
    assert found.passages


ASKED = {
    "ko": (
        "고무 부품은 한 개에 얼마야?",
        "고무 부품은 한 개에 4유로입니다.",
        "고무 부품은 한 개에 5유로로 정합시다.",
        "다음 회의는 한 시간 뒤에 합니다.",
    ),
    "en": (
        "What does a rubber button cost per piece?",
        "One rubber button costs four euros per piece.",
        "Let us say that a rubber button costs five euros per piece.",
        "The next meeting begins when the hall is free, per Anna.",
    ),
}
OTHERWISE = {"ko": "Plastic parts take two weeks.", "en": "플라스틱은 이 주 걸립니다."}


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("with_vectors", [False, True])
async def test_what_holds_too_little_of_the_question_stays_out(language: str, with_vectors: bool) -> None:
    asked, answer, here, unrelated = ASKED[language]
    embedder = FakeEmbedder() if with_vectors else None
    store = FakePassages()
    passages = [
        said("m-now", here),
        said("m-old", unrelated),
        said("price", answer, **PRICES),
        said("m-abroad", OTHERWISE[language]),
    ]
    rows = await embedder.embed([each.searched for each in passages]) if embedder else None
    await store.put(passages, rows, embedder.name if embedder else "")
    retriever = CorporaRetriever(store, TOKENS, embedder=embedder)
    found = await retriever.retrieve(Query(text=asked, meeting_id="m-now"))
    sources = {each.source_id for each in found.passages}
    assert {"m-now", "price"} <= sources
    assert "m-old" not in sources
    assert ("m-abroad" in sources) == with_vectors, "words tell nothing of another language"
    if with_vectors:  # what was decided here looks for what it may have changed
        query = Query(text=asked, meeting_id="m-now", is_question=False)
        assert "m-old" in {each.source_id for each in (await retriever.retrieve(query)).passages}


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_where_this_meeting_answers_others_have_to_hold_as_much(language: str) -> None:
    asked, answer, here, _ = ASKED[language]
    half = {"ko": "고무 공은 상자에 있습니다.", "en": "The rubber ball lies in a box."}[language]
    store = FakePassages()
    await store.put([said("m-now", here), said("m-old", half), said("price", answer, **PRICES)])
    retriever = CorporaRetriever(store, TOKENS)
    found = await retriever.retrieve(Query(text=asked, meeting_id="m-now"))
    assert [each.source_id for each in found.passages if each.corpus != "meeting"] == ["price"]
    alone = await retriever.retrieve(Query(text=asked, meeting_id="m-now", corpora=("earlier", "document")))
    assert "price" in {each.source_id for each in alone.passages}


class Away(FakePassages):
    async def matches(self, searches: object, *, k: int = 200) -> list[Matches]:
        raise Unavailable("Postgres is away")

    async def nearest(
        self, query: Vectors, encoder: str, scope: Scope, *, k: int = 50
    ) -> list[tuple[Passage, float]]:
        raise Unavailable("Postgres is away")


async def test_without_the_store_nothing_is_raised() -> None:
    found = await CorporaRetriever(Away(), TOKENS, embedder=FakeEmbedder()).retrieve(
        Query(text="rubber", meeting_id="m-now")
    )
    assert (found.passages, found.degraded) == ((), ("meeting", "earlier and document", "embeddings"))


@pytest.mark.parametrize(("mode", "asked"), [("bm25", 0), ("hybrid", 1), ("faiss", 1)])
async def test_modes(mode: str, asked: int) -> None:
    embedder = FakeEmbedder()
    retriever = CorporaRetriever(await shelf(embedder), TOKENS, embedder=embedder)
    query = Query.model_validate({"text": "rubber buttons 고무", "meeting_id": "m-now", "mode": mode})
    found = await retriever.retrieve(query)
    assert len(embedder.asked) == asked
    assert found.passages


def test_rewritings_add_what_is_known() -> None:
    mine = rewritten(Query(text="What did I promise?", asker_name="Ben Carter", topic="출시 일정"))
    assert "Ben Carter What did I promise?" in mine.rewritings
    short = rewritten(Query(text="그건 얼마야?", topic="마케팅 예산", asker_name="김민지"))
    assert short.rewritings[0] == "마케팅 예산 그건 얼마야?"
    mine = rewritten(Query(text="내가 맡은 일이 뭐야?", asker_name="김민지"))
    assert "김민지 내가 맡은 일이 뭐야?" in mine.rewritings
    assert rewritten(Query(text="예산?")).rewritings == ()


@pytest.mark.parametrize("encoder", ["multilingual-e5-small-q4", "another"])
@pytest.mark.parametrize("query", ["zzzzqqq", "김치찌개 끓이는 법", "how do black holes work"])
async def test_a_search_for_what_nobody_spoke_of_finds_nothing(query: str, encoder: str) -> None:
    embedder = FakeEmbedder(name=encoder)
    floor = search_floor(encoder)
    retriever = CorporaRetriever(await shelf(embedder), TOKENS, embedder=embedder, floor=floor)
    wish = Query(text=query, corpora=("earlier", "document"), is_search=True)
    assert (await retriever.retrieve(wish)).passages == ()
    as_question = wish.model_copy(update={"is_search": False})
    assert (await retriever.retrieve(as_question)).passages, "vectors alone always find something"


@pytest.mark.parametrize(("query", "found"), [("마케팅 예산", "m-old:0"), ("rubber buttons", "m-old:1")])
async def test_a_search_gives_its_hits_and_not_their_neighbours(query: str, found: str) -> None:
    embedder = FakeEmbedder()
    retriever = CorporaRetriever(await shelf(embedder), TOKENS, embedder=embedder)
    wish = Query(text=query, corpora=("earlier", "document"), is_search=True)
    ids = [each.id for each in (await retriever.retrieve(wish)).passages]
    assert ids[0] == found
    assert not {"m-old:0", "m-old:1"} <= set(ids)
    assert "m-private:0" not in ids
