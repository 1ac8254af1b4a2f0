"""Looking a question up in this meeting, earlier ones and documents: `context.corpora.passage.Retriever`.

Theory of operation. Passages lie in the store, which finds them by their terms and by their vectors; of
this meeting all but its newest minutes, which an answer sees anyway. Every wording of the question gives a
ranking by words, the question itself one by vectors, in this meeting and elsewhere apart; all are fused by
rank (RRF), passages of a source that is found often are raised, and the best are packed into the budget.

Who may see what: everything of the tenant that names nobody, and what names the asker (a private meeting
names its participants, a document `--only-for` its readers). A part that is away is named in `degraded`;
the others answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Sequence
from typing import Final, TypeVar

import structlog

from context.corpora.passage import Passage, Query, Retrieved
from context.corpora.sources import (
    Hits,
    asked_terms,
    chances,
    pack,
    ranked_by_words,
    rewritten,
    rrf_fusion,
    source_scores,
    with_sources,
)
from context.ports import PortError, Tokenizer
from worker.passages.store import Kind, Matches, PassageSearch, Scope, Search, TextEmbedder

log = structlog.get_logger(__name__)

_BY_WORDS: Final = 200
_BY_VECTOR: Final = 50
_RANKED: Final = 60
"""So many of each ranking are fused."""
_KINDS: Final[dict[str, Kind]] = {"earlier": "meeting", "document": "document"}

T = TypeVar("T")


class CorporaRetriever:
    """For one tenant: the store's."""

    def __init__(
        self,
        store: PassageSearch,
        tokenizer: Tokenizer,
        *,
        embedder: TextEmbedder | None = None,
    ) -> None:
        """Without an embedder there are words alone."""
        self._store, self._tokenizer, self._embedder = store, tokenizer, embedder

    async def retrieve(self, query: Query, *, k: int = 8, budget_tokens: int = 900) -> Retrieved:
        """At most `k` passages and `budget_tokens`, best first. Never raises for a part that is away."""
        wider = rewritten(query)
        search = _Search(query.text, (query.text, *wider.rewritings))
        vector = None
        if query.mode != "bm25" and self._embedder is not None:
            vector = await search.tried("embeddings", self._embedder.embed_query(query.text))
        scopes = _scopes(query)
        by_words = query.mode != "faiss" or vector is None
        found: Iterator[Matches] = iter(())
        if by_words:
            asked = [Search(terms, scope) for scope in scopes.values() for _, terms in search.asked]
            try:
                found = iter(await self._store.matches(asked, k=_BY_WORDS))
            except PortError as error:
                log.info("retrieval_without", part="words", error=str(error))
                search.away += scopes
                by_words = False
        for scope in scopes.values():
            for wording, terms in search.asked if by_words else ():
                search.rank_words(wording, terms, next(found))
            if vector is not None and self._embedder is not None:
                near = self._store.nearest(vector, self._embedder.name, scope, k=_BY_VECTOR)
                if closest := await search.tried("embeddings", near):
                    search.rank(closest)
        search.name_own(query.meeting_id)
        packed = pack(
            search.best(),
            k=k,
            budget_tokens=budget_tokens,
            count=self._tokenizer.count,
            known=search.passages,
        )
        return packed.model_copy(update={"degraded": tuple(dict.fromkeys(search.away))})


def _scopes(query: Query) -> dict[str, Scope]:
    """This meeting, and elsewhere, each by its name."""
    scopes: dict[str, Scope] = {}
    reader = query.asker or None
    if "meeting" in query.corpora and query.meeting_id:
        scopes["meeting"] = Scope(kinds=("meeting",), reader=reader, sources=(query.meeting_id,))
    if elsewhere := [corpus for corpus in query.corpora if corpus in _KINDS]:
        kinds = tuple(_KINDS[corpus] for corpus in elsewhere)
        scopes[" and ".join(elsewhere)] = Scope(kinds=kinds, reader=reader, without=(query.meeting_id,))
    return scopes


class _Search:
    """One query on its way: rankings as they come, and the passages behind them."""

    def __init__(self, question: str, wordings: Sequence[str]) -> None:
        self.asked = [(text, terms) for text in wordings if (terms := tuple(asked_terms(text)))]
        """Each wording with its terms; the question's own is the first, where it has any."""
        self._question = question
        self.passages: dict[str, Passage] = {}
        self.away: list[str] = []
        """Parts that could not be asked."""
        self._rankings: list[list[str]] = []
        self._scores: dict[str, float] = {}

    async def tried(self, part: str, work: Awaitable[T]) -> T | None:
        """What `work` gives; None where its part is away."""
        try:
            return await work
        except PortError as error:
            log.info("retrieval_without", part=part, error=str(error))
            self.away.append(part)
            return None

    def rank_words(self, wording: str, asked: Sequence[str], found: Matches) -> None:
        """By BM25; the question's own wording also tells which source is likely."""
        ranked = ranked_by_words(asked, found.passages, found.frequencies, found.total)
        self.rank([found.passages[place] for place, _ in ranked])
        if wording == self._question:
            hits = Hits(asked, found.passages, ranked, found.frequencies, found.total)
            for source, score in source_scores(wording, hits).items():
                self._scores[source] = max(score, self._scores.get(source, score))

    def rank(self, passages: Sequence[Passage]) -> None:
        """Rank the passages, best first."""
        best = passages[:_RANKED]
        self.passages.update({passage.id: passage for passage in passages})
        if best:
            self._rankings.append([passage.id for passage in best])

    def name_own(self, meeting_id: str) -> None:
        """What the store calls earlier is `meeting` where it is of this one."""
        for key, passage in self.passages.items():
            if passage.source_id == meeting_id and passage.corpus == "earlier":
                self.passages[key] = passage.model_copy(update={"corpus": "meeting"})

    def best(self) -> list[tuple[Passage, float]]:
        """Fuse all rankings into one."""
        sources = {key: passage.source_id for key, passage in self.passages.items()}
        raised = with_sources(rrf_fusion(self._rankings), sources, chances(self._scores))
        return [(self.passages[key], score) for key, score in raised]
