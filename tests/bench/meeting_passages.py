"""Passages of a bench's meetings in memory: what the product's retriever searches, without a database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from context.corpora.passage import Passage
from context.corpora.sources import passage_terms
from context.fold.meeting import Meeting
from context.plain.answer_inputs import QuestionVectors
from context.primitives.vectors import Vectors
from context.retrieval.bm25 import term_weight
from context.retrieval.ranker import per_utterance
from tests.bench.evidence_vectors import VectorMaker
from tests.fakes.passages import passages_of
from worker.configuration.setting_engines import LOCAL_ENCODER
from worker.passages.passage_store import Matches, Scope, Search, TextEmbedder


class KeptEmbedder:
    """The packaged model; passages that it has embedded before come from the bench's cache."""

    name = LOCAL_ENCODER

    def __init__(self, maker: VectorMaker) -> None:
        self._maker = maker

    async def embed(self, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
        """One row per text."""
        return self._maker.rows(texts, query=False)

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question, made as it is asked."""
        return self._maker.asked(text)


class MeetingPassages:
    """A `PassageSearch`, open to everybody: the passages of meetings that are over, and their vectors."""

    def __init__(self, meetings: Sequence[Meeting], embedder: TextEmbedder | None = None) -> None:
        self._embedder = embedder
        self._lengths = {meeting.meeting_id: len(meeting.utterances) for meeting in meetings}
        self._passages = [
            passage.model_copy(update={"corpus": "earlier"})
            for meeting in meetings
            for passage in passages_of(meeting.utterances, meeting.meeting_id)
        ]
        self._terms = [frozenset(passage_terms(passage)) for passage in self._passages]
        self._counts = Counter(term for terms in self._terms for term in terms)
        self._rows: Vectors = np.zeros((0, 0), dtype=np.float32)

    async def index(self) -> None:
        """Embed all passages, as a meeting's are before anybody asks. Without it nothing is near anything."""
        if self._embedder is not None:
            self._rows = await self._embedder.embed([passage.searched for passage in self._passages])

    async def matches(self, searches: Sequence[Search], *, k: int = 200) -> list[Matches]:
        """Up to `k` passages for each search, those first that hold the more telling of its terms."""
        return [self._matching(each, k) for each in searches]

    async def nearest(
        self, query: Vectors, encoder: str, scope: Scope, *, k: int = 50
    ) -> list[tuple[Passage, float]]:
        """The `k` passages closest to `query`, best first; all are of the one `encoder`."""
        del encoder
        if not len(self._rows):
            return []
        near = self._rows @ query
        places = sorted(self._within(scope), key=lambda place: -float(near[place]))[:k]
        return [(self._passages[place], float(near[place])) for place in places]

    async def question_vector(self, _meeting: Meeting, question: str) -> Vectors | None:
        """The vector of a question; None where no passage has one."""
        if self._embedder is None or not len(self._rows):
            return None
        return await self._embedder.embed_query(question)

    async def embed_lines(self, _meeting: Meeting, _wanted: Sequence[int]) -> None:
        """Do nothing: passages alone are embedded here."""

    def want_lines(self, _meeting: Meeting, _wanted: Sequence[int]) -> None:
        """Do nothing: passages alone are embedded here."""

    def meaning(self, meeting: Meeting, asked: Vectors) -> QuestionVectors:
        """The question's vector, and no line's."""
        return QuestionVectors(asked, np.zeros((len(meeting.utterances), len(asked)), dtype=np.float32))

    def closeness(self, meeting: Meeting, asked: Vectors) -> Vectors | None:
        """How close each utterance's passage is to a question, as `MeetingIndexers.closeness` tells it."""
        if not len(self._rows):
            return None
        near = self._rows @ asked
        own = self._within(Scope(sources=(meeting.meeting_id,)))
        spans = {
            place: ((self._passages[place].first or 1) - 1, (self._passages[place].last or 1) - 1)
            for place in own
        }
        similar = {place: float(near[place]) for place in own}
        return per_utterance(similar, spans, self._lengths[meeting.meeting_id])

    def _matching(self, search: Search, k: int) -> Matches:
        asked = set(search.terms)
        weights = {term: term_weight(self._counts[term], len(self._passages)) for term in asked}
        worth = {
            place: sum(weights[term] for term in asked & self._terms[place])
            for place in self._within(search.scope)
        }
        best = sorted((place for place in worth if worth[place]), key=lambda place: (-worth[place], place))
        found = {term: self._counts[term] for term in asked}
        return Matches([self._passages[place] for place in best[:k]], found, len(self._passages))

    def _within(self, scope: Scope) -> list[int]:
        return [
            place
            for place, passage in enumerate(self._passages)
            if "meeting" in scope.kinds
            and (scope.sources is None or passage.source_id in scope.sources)
            and passage.source_id not in scope.without
        ]
