"""Passages and their vectors (`PassageStore`) and the list of documents (`DocumentStore`) in Postgres.

Where the database has no pgvector, passages are kept and found by their words, and vectors are not kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import asyncpg
import numpy as np

from context.corpora.passage import FIRST_NOTE, Passage
from context.corpora.sources import passage_terms
from context.primitives.text import clean_name, many_lines, one_line
from context.primitives.vectors import Vectors
from context.retrieval.bm25 import term_weight
from worker.adapters.postgres_pool import PostgresPool, Tables
from worker.adapters.postgres_store import storable_json
from worker.adapters.sql import statements
from worker.documents.library import DocumentRow
from worker.passages.passage_store import Kind, Matches, Scope, Search

if TYPE_CHECKING:
    from worker.adapters.postgres_pool import Connection

_SQL: Final = statements("passages")
_DOCUMENTS: Final = statements("documents")
_SEARCH_DEADLINE_S: Final = 5.0
_BATCH_PASSAGES: Final = 200
_COUNTED_DOCUMENTS: Final = 2000
"""The passages with a term are counted up to this number."""
_MAX_ORDERED_PASSAGES: Final = 1000
"""So many passages with one of the rarer terms are put in order: this bounds a search in a large table."""
_FINISH_RETRY_S: Final = 60.0
"""When a meeting whose passages were to be completed is due again, if that was not done."""
_LAST_POSITION: Final = 2**31 - 1
_SPARE_TIMES: Final = 2
"""This times the wanted number is looked at first: some passages may be out of the reader's sight."""


class PostgresPassages(Tables):
    """`PassageStore` for the pool's tenant."""

    def __init__(self, pool: PostgresPool) -> None:
        super().__init__(pool)
        self._schema: str | None = None

    async def keeps_vectors(self) -> bool:
        """Tell whether the database has pgvector; looked up until it has: it may be installed later."""
        return await self._vector_schema() is not None

    async def put(
        self, passages: Sequence[Passage], vectors: Vectors | None = None, encoder: str = ""
    ) -> None:
        """See `PassageStore.put`; vectors are dropped where the database has no pgvector."""
        schema = await self._vector_schema() if vectors is not None else None
        for start in range(0, len(passages), _BATCH_PASSAGES):
            batch = passages[start : start + _BATCH_PASSAGES]
            rows = await asyncio.to_thread(_rows, batch)  # their terms take a millisecond each
            # A meeting's are cut from its record: a successor cuts again what a crash took back.
            lasting = any(kind_of(passage) == "document" for passage in batch)
            async with self._pool.transaction(lasting=lasting) as connection:
                await connection.execute(_SQL["keep"], self._pool.tenant, rows)
                if schema is not None and vectors is not None:
                    vector_rows = self._vector_rows(batch, vectors[start : start + _BATCH_PASSAGES], encoder)
                    await connection.executemany(_SQL["keep_vector"], vector_rows)

    async def put_vectors(self, passages: Sequence[Passage], vectors: Vectors, encoder: str) -> None:
        """See `PassageStore.put_vectors`; they are dropped where the database has no pgvector."""
        if await self._vector_schema() is None:
            return
        async with self._pool.transaction(lasting=False) as connection:
            vector_rows = self._vector_rows(passages, vectors, encoder)
            await connection.executemany(_SQL["keep_vector"], vector_rows)

    def _vector_rows(
        self, passages: Sequence[Passage], vectors: Vectors, encoder: str
    ) -> list[tuple[Any, ...]]:
        tenant, width = self._pool.tenant, vectors.shape[1]
        return [
            (
                tenant,
                kind_of(passage),
                passage.source_id,
                passage.position,
                encoder,
                width,
                passage.digest,
                row.tolist(),
            )
            for passage, row in zip(passages, vectors, strict=True)
        ]

    async def of_source(self, kind: Kind, source_id: str) -> list[Passage]:
        """See `PassageStore.of_source`."""
        return list(map(_passage, await self._pool.rows(_SQL["of_source"], kind, source_id)))

    async def vectors(self, kind: Kind, source_id: str, encoder: str) -> dict[str, Vectors]:
        """See `PassageStore.vectors`; empty where the database has no pgvector."""
        if await self._vector_schema() is None:
            return {}
        rows = await self._pool.rows(_SQL["vectors"], kind, source_id, encoder)
        return {row["digest"]: np.array(row["embedding"], dtype=np.float32) for row in rows}

    async def nearest(
        self, query: Vectors, encoder: str, scope: Scope, *, k: int = 50
    ) -> list[tuple[Passage, float]]:
        """See `PassageSearch.nearest`; empty where the database has no pgvector."""
        schema = await self._vector_schema()
        if schema is None or not scope.kinds:
            return []
        looked_at = _SPARE_TIMES * k
        async with self._pool.transaction(deadline_s=_SEARCH_DEADLINE_S) as connection:
            while True:
                rows = await connection.fetch(
                    _SQL["nearest"].replace("{vector}", schema),
                    self._pool.tenant,
                    query.tolist(),
                    encoder,
                    len(query),
                    scope.kinds,
                    scope.reader,
                    scope.sources,
                    scope.without,
                    looked_at,
                    *_places(scope),
                )
                hits = [(_passage(row), float(row["score"])) for row in rows if row["corpus"]]
                if len(hits) >= k or len(rows) < looked_at:
                    return hits[:k]
                looked_at *= 8  # most of the closest are not for this reader

    async def readable(self, scope: Scope, *, limit: int = 20_000) -> list[Passage]:
        """See `PassageStore.readable`."""
        if not scope.kinds:
            return []
        wanted = (scope.kinds, scope.reader, scope.sources, scope.without, limit, *_places(scope))
        rows = await self._pool.rows(_SQL["readable"], *wanted, deadline_s=_SEARCH_DEADLINE_S)
        return list(map(_passage, rows))

    async def matches(self, searches: Sequence[Search], *, k: int = 200) -> list[Matches]:
        """See `PassageSearch.matches`: one transaction, every term counted once, as an asker waits for it.

        The cost grows with how common the rarest terms of each search are, not with the table.
        """
        terms = list(
            dict.fromkeys(term for search in searches if search.scope.kinds for term in search.terms)
        )
        if not terms:
            return [Matches([], {}, 0) for _ in searches]
        done: dict[Search, Matches] = {}
        async with self._pool.transaction(deadline_s=_SEARCH_DEADLINE_S) as connection:
            counted = await connection.fetch(
                _SQL["frequencies"], self._pool.tenant, terms, _COUNTED_DOCUMENTS
            )
            counts = {row["term"]: int(row["found"]) for row in counted}
            total = counts.pop(None)
            for term, times in counts.items():
                if times >= _COUNTED_DOCUMENTS:  # counted no further: it says little in any case
                    counts[term] = max(times, total // 5)
            for search in searches:
                if search not in done:
                    done[search] = await self._matching(connection, search, counts, total, k)
        return [done[search] for search in searches]

    async def _matching(
        self, connection: Connection, search: Search, counted: Mapping[str, int], total: int, k: int
    ) -> Matches:
        asked, scope = list(dict.fromkeys(search.terms)), search.scope
        if not asked or not scope.kinds:
            return Matches([], {}, 0)
        counts = {term: counted[term] for term in asked}
        must = _rarest(counts)
        if not must:  # none of them stands anywhere
            return Matches([], counts, total)
        rows = await connection.fetch(
            _SQL["matching"],
            self._pool.tenant,
            scope.kinds,
            scope.reader,
            scope.sources,
            scope.without,
            must,
            asked,
            [term_weight(counts[term], total) for term in asked],
            k,
            *_places(scope),
        )
        return Matches(list(map(_passage, rows)), counts, total)

    async def without_vector(self, encoder: str, *, limit: int = 200) -> list[Passage]:
        """See `PassageStore.without_vector`; empty where the database has no pgvector."""
        if await self._vector_schema() is None:
            return []
        return list(map(_passage, await self._pool.rows(_SQL["without_vector"], encoder, limit)))

    async def cut(self, kind: Kind, source_id: str, length: int = 0) -> None:
        """See `PassageStore.cut`; vectors go with their passages."""
        await self._pool.run(_SQL["cut"], kind, source_id, length)

    async def note_whole(self, meeting_id: str) -> None:
        """See `PassageStore.note_whole`."""
        await self._pool.run(_SQL["note_whole"], meeting_id)

    async def claim_unfinished(self, limit: int) -> list[str]:
        """See `PassageStore.claim_unfinished`."""
        rows = await self._pool.rows(_SQL["claim_unfinished"], limit, _FINISH_RETRY_S)
        return [row["id"] for row in rows]

    async def _vector_schema(self) -> str | None:
        """Return the schema that pgvector is installed in; None where it is not. Looked up until found."""
        if self._schema is None:
            async with self._pool.connection() as connection:
                self._schema = await connection.fetchval(_SQL["vector_schema"])
        return self._schema


def kind_of(passage: Passage) -> Kind:
    """Return what a passage is kept as: part of a document, or of a meeting."""
    return "document" if passage.corpus == "document" else "meeting"


def _places(scope: Scope) -> tuple[int, int, str | None]:
    """Return the last parameters of a search: from which position on and up to which, and the room."""
    first = FIRST_NOTE if scope.notes == "alone" else 0
    behind = FIRST_NOTE if scope.notes == "hidden" else _LAST_POSITION
    return first, behind, scope.room


def _rarest(counts: dict[str, int]) -> list[str]:
    """Return the rarest terms that stand anywhere: as many as match `_MAX_ORDERED_PASSAGES`, or one."""
    chosen: list[str] = []
    reached = 0
    for term in sorted(counts, key=lambda term: counts[term]):
        if chosen and reached + counts[term] > _MAX_ORDERED_PASSAGES:
            break
        if counts[term]:
            chosen.append(term)
            reached += counts[term]
    return chosen


def _rows(passages: Sequence[Passage]) -> str:
    return storable_json([_row(passage) for passage in passages])


def _row(passage: Passage) -> dict[str, Any]:
    fields = passage.model_dump(mode="json", exclude={"first", "last"})
    place = {"corpus": kind_of(passage), "first_id": passage.first, "last_id": passage.last}
    return fields | place | {"digest": passage.digest, "terms": sorted(set(passage_terms(passage)))}


def _passage(row: asyncpg.Record) -> Passage:
    corpus = "document" if row["corpus"] == "document" else "earlier"
    who = {"speakers": tuple(map(clean_name, row["speakers"])), "access": tuple(row["access"])}
    texts = {"title": one_line(row["title"]), "text": many_lines(row["text"])}  # older ones in any form
    place = {"corpus": corpus, "first": row["first_id"], "last": row["last_id"]}
    return Passage.model_construct(**{**row, **place, **who, **texts})


class PostgresDocuments(Tables):
    """`DocumentStore` for the pool's tenant: the documents that answers may cite."""

    async def same(self, origin: str, digest: str | None) -> DocumentRow | None:
        """See `DocumentStore.same`."""
        row = await self._pool.row(_DOCUMENTS["same"], origin, digest)
        return DocumentRow.model_validate(dict(row)) if row is not None else None

    async def keep(self, row: DocumentRow) -> None:
        """See `DocumentStore.keep`."""
        await self._pool.run(
            _DOCUMENTS["keep"],
            row.id,
            row.title,
            row.origin,
            row.kind,
            row.digest,
            row.bytes,
            row.pages,
            row.passages,
            list(row.access),
            row.added_at,
        )

    async def list_all(self) -> list[DocumentRow]:
        """See `DocumentStore.list_all`."""
        rows = await self._pool.rows(_DOCUMENTS["list_all"])
        return [DocumentRow.model_validate(dict(row)) for row in rows]

    async def remove(self, document_id: str) -> bool:
        """See `DocumentStore.remove`."""
        return await self._pool.value(_DOCUMENTS["remove"], document_id) is not None
