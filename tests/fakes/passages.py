"""Passages in memory, as the table in Postgres keeps them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from context.corpora.passage import Corpus, Passage, PassageCutter
from context.corpora.sources import passage_terms
from context.models import Utterance
from context.primitives.vectors import Vectors
from context.retrieval.bm25 import term_weight
from worker.passages.passage_store import Kind, Matches, Scope, Search


def passages_of(
    utterances: Iterable[Utterance],
    source_id: str,
    title: str = "",
    corpus: Corpus = "meeting",
    topics: Mapping[str, str] | None = None,
) -> list[Passage]:
    """All passages of a meeting as far as it has come."""
    cutter = PassageCutter(source_id, title, corpus, topics)
    found = [passage for utterance in utterances for passage in cutter.add(utterance)]
    rest = cutter.rest()
    return [*found, rest] if rest is not None else found


def frequencies(passages: Iterable[Passage]) -> Counter[str]:
    """In how many passages each term stands."""
    return Counter(term for passage in passages for term in set(passage_terms(passage)))


LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass
class FakePassages:
    """One tenant's. `with_vectors=False`: a database without pgvector."""

    with_vectors: bool = True
    rows: dict[tuple[Kind, str, int], Passage] = field(default_factory=dict)
    embedded: dict[tuple[Kind, str, int], tuple[str, str, Vectors]] = field(default_factory=dict)
    """By key: encoder, digest, vector."""
    whole: set[str] = field(default_factory=set)
    """Meetings all of whose words are in their passages."""
    rooms: Mapping[str, str] = field(default_factory=dict)
    """The rooms of meetings, by id."""
    ended: Sequence[str] = ()
    """Meetings that are over and held by nobody."""

    async def keeps_vectors(self) -> bool:
        return self.with_vectors

    async def put(
        self, passages: Sequence[Passage], vectors: Vectors | None = None, encoder: str = ""
    ) -> None:
        for number, passage in enumerate(passages):
            key = _key(passage)
            kind = "document" if passage.corpus == "document" else "earlier"
            self.rows[key] = passage.model_copy(update={"corpus": kind})
            if vectors is not None and self.with_vectors:
                self.embedded[key] = (encoder, passage.digest, vectors[number])

    async def put_vectors(self, passages: Sequence[Passage], vectors: Vectors, encoder: str) -> None:
        for passage, vector in zip(passages, vectors, strict=True):
            key = _key(passage)
            if self.with_vectors and key in self.rows and self.rows[key].digest == passage.digest:
                self.embedded[key] = (encoder, passage.digest, vector)

    async def of_source(self, kind: Kind, source_id: str) -> list[Passage]:
        return [self.rows[key] for key in sorted(self.rows) if key[:2] == (kind, source_id)]

    async def vectors(self, kind: Kind, source_id: str, encoder: str) -> dict[str, Vectors]:
        return {
            digest: vector
            for key, (made_by, digest, vector) in self.embedded.items()
            if key[:2] == (kind, source_id) and made_by == encoder
        }

    async def nearest(
        self, query: Vectors, encoder: str, scope: Scope, *, k: int = 50
    ) -> list[tuple[Passage, float]]:
        found = [
            (-float(np.dot(vector, query)), key)
            for key, (made_by, digest, vector) in self.embedded.items()
            if made_by == encoder
            and digest == self.rows[key].digest
            and self._is_within(key, self.rows[key], scope)
        ]
        return [(self.rows[key], -away) for away, key in sorted(found)[:k]]

    async def readable(self, scope: Scope, *, limit: int = 20_000) -> list[Passage]:
        seen = {key: row for key, row in self.rows.items() if self._is_within(key, row, scope)}
        newest: dict[str, datetime] = {}
        for row in seen.values():
            newest[row.source_id] = max(newest.get(row.source_id, LONG_AGO), row.said_at or LONG_AGO)
        ordered = sorted(
            seen,
            key=lambda key: (
                -newest[key[1]].timestamp() if newest[key[1]] != LONG_AGO else 0,
                key[1],
                key[2],
            ),
        )
        return [seen[key] for key in ordered][:limit]

    async def matches(self, searches: Sequence[Search], *, k: int = 200) -> list[Matches]:
        return [self._matching(each.terms, each.scope, k) for each in searches]

    def _matching(self, terms: Sequence[str], scope: Scope, k: int) -> Matches:
        counts = frequencies(self.rows.values())
        asked = list(dict.fromkeys(terms))
        having = {
            key: sum(
                term_weight(counts[term], len(self.rows)) for term in asked if term in set(passage_terms(row))
            )
            for key, row in self.rows.items()
            if self._is_within(key, row, scope)
        }
        best = sorted((key for key in having if having[key]), key=lambda key: (-having[key], key))[:k]
        found = {term: counts[term] for term in asked}
        return Matches([self.rows[key] for key in best], found, len(self.rows) if asked else 0)

    async def without_vector(self, encoder: str, *, limit: int = 200) -> list[Passage]:
        if not self.with_vectors:
            return []
        return [
            row
            for key, row in self.rows.items()
            if self.embedded.get(key, ("", "", None))[:2] != (encoder, row.digest)
        ][:limit]

    async def cut(self, kind: Kind, source_id: str, length: int = 0) -> None:
        for key in [key for key in self.rows if key[:2] == (kind, source_id) and key[2] >= length]:
            del self.rows[key]
            self.whole.discard(source_id)
            self.embedded.pop(key, None)

    async def note_whole(self, meeting_id: str) -> None:
        self.whole.add(meeting_id)

    async def claim_unfinished(self, limit: int) -> list[str]:
        return [each for each in self.ended if each not in self.whole][:limit]

    def _is_within(self, key: tuple[Kind, str, int], row: Passage, scope: Scope) -> bool:
        return (
            key[0] in scope.kinds
            and (scope.sources is None or key[1] in scope.sources)
            and key[1] not in scope.without
            and (scope.room is None or self.rooms.get(key[1]) == scope.room)
            and scope.notes != ("hidden" if row.is_note else "alone")
            and (not row.access or scope.reader in row.access)
        )


def _key(passage: Passage) -> tuple[Kind, str, int]:
    return ("document" if passage.corpus == "document" else "meeting", passage.source_id, passage.position)
