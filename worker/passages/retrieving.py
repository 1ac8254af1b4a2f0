"""Retrieval of passages for a question from this meeting, earlier ones and documents (seed 002 §3.5).

Theory of operation. Passages lie in the store, which finds them by their terms and by their vectors; of this
meeting all but its newest minutes, which an answer sees anyway. Every wording of the question gives a ranking
by words, the question itself one by vectors, each in this meeting and elsewhere. All rankings are fused
(RRF), passages of a likely source are raised, those from elsewhere that hold too little of the question are
left out, and the best are packed into the budget.

An asker may see every passage of the tenant that names no readers, and those that name the asker (a private
meeting names its participants, a document `--only-for` its readers). A part that is away is named in
`degraded`; the others answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

import structlog

from context.budgets.cache_tiers import CACHE_LEVELS, CacheTier, TierRule
from context.budgets.topic_notes import in_view
from context.corpora.passage import Passage, Query, Retrieved
from context.corpora.search_hits import NO_MEANING, Floor, hits
from context.corpora.sources import (
    Hits,
    PassageTerms,
    asked_terms,
    chances,
    pack,
    ranked_by_words,
    rewritten,
    rrf_fusion,
    source_scores,
    unrelated,
    with_sources,
)
from context.ports import PortError, Tokenizer
from worker.passages.passage_store import Kind, Matches, PassageSearch, Scope, Search, TextEmbedder

log = structlog.get_logger(__name__)

_PASSAGES_BY_WORDS: Final = 200
"""Most passages of a search by words."""
_PASSAGES_BY_VECTOR: Final = 50
"""Most passages of a search by vector."""
_RANKED_PASSAGES: Final = 60
"""Most passages of a ranking that are fused."""
_KINDS: Final[dict[str, Kind]] = {"earlier": "meeting", "document": "document"}
"""The kind of passage in the store, by the corpora other than the present meeting."""

T = TypeVar("T")


class CorporaRetriever:
    """The `Retriever` over one tenant's passages, those of its store."""

    def __init__(
        self,
        store: PassageSearch,
        tokenizer: Tokenizer,
        *,
        embedder: TextEmbedder | None = None,
        floor: Floor = NO_MEANING,
        tiers: Mapping[CacheTier, TierRule] = CACHE_LEVELS,
    ) -> None:
        """`tokenizer` counts for the budget. Without an embedder passages are found by words alone.

        `floor`: from which of the embedder's cosines on passages are hits of a search. `tiers`: how long the
        notes of earlier meetings are told, and in what detail.
        """
        self._store, self._tokenizer, self._embedder = store, tokenizer, embedder
        self._floor, self._tiers = floor, tiers

    async def retrieve(self, query: Query, *, k: int = 8, budget_tokens: int = 900) -> Retrieved:
        """See `Retriever.retrieve`."""
        wider = rewritten(query)
        viewed = partial(in_view, at=query.notes_at, rules=self._tiers) if query.notes_at else list
        search = _Search(query.text, (query.text, *wider.rewritings), viewed)
        scopes = _scopes(query)
        # Side by side, as an asker waits: a search by words takes as long as those by vectors.
        async with asyncio.TaskGroup() as beside:
            words = beside.create_task(self._by_words(search, scopes)) if query.mode != "faiss" else None
            near = await self._by_vector(search, scopes) if query.mode != "bm25" else None
            matches_by_search = await words if words is not None else None
        if near is None and words is None:
            matches_by_search = await self._by_words(search, scopes)
        for name, scope in scopes.items():
            for wording, terms in search.asked:
                if matches_by_search is not None:
                    # Beside the event loop: two hundred passages take a tenth of a second.
                    matches = matches_by_search[Search(terms, scope)]
                    await asyncio.to_thread(search.rank_words, wording, terms, matches)
            if near is not None and near[name]:
                search.rank_near(near[name])
        search.name_own(query.meeting_id)
        if query.is_search:
            await asyncio.to_thread(search.leave_out_all_but_hits, self._floor)
        elif query.is_question:
            search.leave_out_unrelated()
        packed = pack(
            search.best(),
            k=k,
            budget_tokens=budget_tokens,
            count=self._tokenizer.count,
            known=None if query.is_search else search.passages,  # a hit's neighbour is none
        )
        return packed.model_copy(update={"degraded": tuple(dict.fromkeys(search.away))})

    async def _by_words(self, search: _Search, scopes: Mapping[str, Scope]) -> dict[Search, Matches] | None:
        """What matches each wording in each scope; None where the store is away."""
        asked = [Search(terms, scope) for scope in scopes.values() for _, terms in search.asked]
        try:
            return dict(zip(asked, await self._store.matches(asked, k=_PASSAGES_BY_WORDS), strict=True))
        except PortError as error:
            log.info("retrieval_without", part="words", error=str(error))
            search.away += scopes
            return None

    async def _by_vector(
        self, search: _Search, scopes: Mapping[str, Scope]
    ) -> dict[str, list[tuple[Passage, float]]] | None:
        """What is nearest to the question in each scope, by its name; None without the question's vector."""
        if self._embedder is None:
            return None
        vector = await search.tried("embeddings", self._embedder.embed_query(search.question))
        if vector is None:
            return None
        near = (
            search.tried(
                "embeddings", self._store.nearest(vector, self._embedder.name, scope, k=_PASSAGES_BY_VECTOR)
            )
            for scope in scopes.values()
        )
        nearest = await asyncio.gather(*near)
        return {name: list(closest or ()) for name, closest in zip(scopes, nearest, strict=True)}


def _scopes(query: Query) -> dict[str, Scope]:
    """The scopes that a query searches, by name: this meeting, and all other corpora together."""
    scopes: dict[str, Scope] = {}
    reader = query.asker or None
    if "meeting" in query.corpora and query.meeting_id:
        scopes["meeting"] = Scope(kinds=("meeting",), reader=reader, sources=(query.meeting_id,))
    if elsewhere := [corpus for corpus in query.corpora if corpus in _KINDS]:
        kinds = tuple(_KINDS[corpus] for corpus in elsewhere)
        scopes[" and ".join(elsewhere)] = Scope(
            kinds=kinds,
            reader=reader,
            without=(query.meeting_id,),
            notes="shown" if query.notes_at is not None else "hidden",
        )
    return scopes


class _Search:
    """The state of one retrieval: its rankings so far, and the passages in them."""

    def __init__(
        self,
        question: str,
        wordings: Sequence[str],
        viewed: Callable[[Iterable[Passage]], list[Passage]],
    ) -> None:
        """`viewed` leaves out the notes of topics that are told by other ones."""
        self._viewed = viewed
        self.asked = [(text, terms) for text in wordings if (terms := tuple(asked_terms(text)))]
        """The wordings that have terms, each with them; the question's own comes first."""
        self.question = question
        self.passages: dict[str, Passage] = {}
        self.away: list[str] = []
        """The names of the parts that could not be asked."""
        self._rankings: list[list[str]] = []
        self._left_out: frozenset[str] = frozenset()
        self._first: frozenset[str] = frozenset()
        """The passages that stand before all others."""
        self._frequencies: dict[str, int] = {}
        self._total = 0
        self._scores: dict[str, float] = {}
        self._likeness: dict[str, float] = {}
        self._terms = PassageTerms()

    async def tried(self, part: str, work: Awaitable[T]) -> T | None:
        """The result of `work`; None where it raises `PortError`: then `part` is noted as away."""
        try:
            return await work
        except PortError as error:
            log.info("retrieval_without", part=part, error=str(error))
            self.away.append(part)
            return None

    def rank_words(self, wording: str, asked: Sequence[str], found: Matches) -> None:
        """Rank what was found for a wording by BM25; the question's own also tells which source is likely."""
        found = replace(found, passages=self._viewed(found.passages))
        ranked = ranked_by_words(asked, found.passages, found.frequencies, found.total, self._terms)
        self.rank([found.passages[place] for place, _ in ranked])
        if wording == self.question:
            self._frequencies, self._total = found.frequencies, found.total
            hits = Hits(asked, found.passages, ranked, found.frequencies, found.total, self._terms)
            for source, score in source_scores(wording, hits).items():
                self._scores[source] = max(score, self._scores.get(source, score))

    def rank(self, passages: Sequence[Passage]) -> None:
        """Add a ranking of passages, best first."""
        best = passages[:_RANKED_PASSAGES]
        self.passages.update({passage.id: passage for passage in passages})
        if best:
            self._rankings.append([passage.id for passage in best])

    def name_own(self, meeting_id: str) -> None:
        """Name the corpus of this meeting's passages `meeting`: the store calls those of any `earlier`."""
        for key, passage in self.passages.items():
            if passage.source_id == meeting_id and passage.corpus == "earlier":
                self.passages[key] = passage.model_copy(update={"corpus": "meeting"})

    def rank_near(self, near: Sequence[tuple[Passage, float]]) -> None:
        """Rank passages by their vectors, each with its cosine."""
        self._likeness |= {passage.id: cosine for passage, cosine in near}
        self.rank(self._viewed(passage for passage, _ in near))

    def leave_out_unrelated(self) -> None:
        """Leave out what is from elsewhere and has nothing to do with the question."""
        self._left_out = unrelated(
            self.question,
            list(self.passages.values()),
            self._frequencies,
            self._total,
            likeness=self._likeness,
            terms=self._terms,
        )

    def leave_out_all_but_hits(self, floor: Floor) -> None:
        """Leave out what is no hit for somebody who searches (`search_hits`); first what holds all words."""
        hit_ids = hits(
            self.question,
            list(self.passages.values()),
            self._frequencies,
            self._total,
            likeness=self._likeness,
            floor=floor,
        )
        self._left_out = frozenset(self.passages) - hit_ids.keys()
        self._first = frozenset(id_ for id_, is_all in hit_ids.items() if is_all)

    def best(self) -> list[tuple[Passage, float]]:
        """Fuse all rankings into one: (passage, score), best first, without what was left out."""
        sources = {key: passage.source_id for key, passage in self.passages.items()}
        raised = with_sources(rrf_fusion(self._rankings), sources, chances(self._scores))
        ranked = [(self.passages[key], score) for key, score in raised if key not in self._left_out]
        return sorted(ranked, key=lambda passage_and_score: passage_and_score[0].id not in self._first)
