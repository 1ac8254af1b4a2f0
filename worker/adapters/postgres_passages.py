"""Passages and their vectors in Postgres, `PassageStore`, and the list of documents, `DocumentStore`.

Where the database has no pgvector, passages are kept and found by their words; vectors are let go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import asyncpg
import numpy as np

from context.corpora.passage import Passage
from context.corpora.sources import passage_terms, weight
from context.vectors import Vectors
from worker.adapters.postgres_pool import PostgresPool, Tables
from worker.adapters.postgres_store import storable_json
from worker.adapters.sql import statements
from worker.documents.library import DocumentRow
from worker.passages.store import Kind, Matches, Scope, Search

if TYPE_CHECKING:
    from worker.adapters.postgres_pool import Connection

_SQL: Final = statements("passages")
_DOCUMENTS: Final = statements("documents")
_SEARCH_DEADLINE_S: Final = 5.0
_BATCH: Final = 200
_COUNTED: Final = 2000
"""So far the passages with a term are counted."""
_MOST_ORDERED: Final = 1000
"""So many passages with one of the rarer terms are put in order: this bounds a search in a large table."""
_SPARE: Final = 2
"""Times as many as wanted are looked at first: some may be out of the reader's sight."""


class PostgresPassages(Tables):
    """What can be looked up, for the tenant of the pool."""

    def __init__(self, pool: PostgresPool) -> None:
        super().__init__(pool)
        self._home: str | None = None

    async def keeps_vectors(self) -> bool:
        """False where the database has no pgvector; asked again each time, as it may be installed later."""
        return await self._vectors_home() is not None

    async def put(
        self, passages: Sequence[Passage], vectors: Vectors | None = None, encoder: str = ""
    ) -> None:
        """Keep passages, and their vectors where there is a place for them."""
        home = await self._vectors_home() if vectors is not None else None
        for start in range(0, len(passages), _BATCH):
            batch = passages[start : start + _BATCH]
            rows = storable_json([_row(passage) for passage in batch])
            # A meeting's are cut from its record: a successor cuts again what a crash took back.
            lasting = any(kind_of(passage) == "document" for passage in batch)
            async with self._pool.transaction(lasting=lasting) as connection:
                await connection.execute(_SQL["keep"], self._pool.tenant, rows)
                if home is not None and vectors is not None:
                    kept = [
                        (
                            *(self._pool.tenant, kind_of(passage), passage.source_id, passage.position),
                            *(encoder, vectors.shape[1], passage.digest, vector.tolist()),
                        )
                        for passage, vector in zip(batch, vectors[start : start + _BATCH], strict=True)
                    ]
                    await connection.executemany(_SQL["keep_vector"], kept)

    async def of_source(self, kind: Kind, source_id: str) -> list[Passage]:
        """All of one source, by position."""
        return list(map(_passage, await self._pool.rows(_SQL["of_source"], kind, source_id)))

    async def vectors(self, kind: Kind, source_id: str, encoder: str) -> dict[str, Vectors]:
        """The vectors of one source by digest; none where the database keeps none."""
        if await self._vectors_home() is None:
            return {}
        rows = await self._pool.rows(_SQL["vectors"], kind, source_id, encoder)
        return {row["digest"]: np.array(row["embedding"], dtype=np.float32) for row in rows}

    async def nearest(self, query: Vectors, encoder: str, scope: Scope, *, k: int = 50) -> list[Passage]:
        """The closest passages, best first; none where the database keeps no vectors."""
        home = await self._vectors_home()
        if home is None or not scope.kinds:
            return []
        looked_at = _SPARE * k
        async with self._pool.transaction(deadline_s=_SEARCH_DEADLINE_S) as connection:
            while True:
                rows = await connection.fetch(
                    _SQL["nearest"].replace("{vector}", home),
                    *(self._pool.tenant, query.tolist(), encoder, len(query), scope.kinds),
                    *(scope.reader, scope.sources, scope.without, looked_at),
                )
                found = [_passage(row) for row in rows if row["corpus"]]
                if len(found) >= k or len(rows) < looked_at:
                    return found[:k]
                looked_at *= 8  # most of the closest are not for this reader

    async def readable(self, scope: Scope, *, limit: int = 20_000) -> list[Passage]:
        """Every passage in the scope, newest sources first."""
        if not scope.kinds:
            return []
        wanted = (scope.kinds, scope.reader, scope.sources, scope.without, limit)
        rows = await self._pool.rows(_SQL["readable"], *wanted, deadline_s=_SEARCH_DEADLINE_S)
        return list(map(_passage, rows))

    async def matching(self, terms: Sequence[str], scope: Scope, *, k: int = 200) -> Matches:
        """By the index of terms: work grows with how common the rarest of them are, not with the table."""
        return (await self.matches([Search(tuple(terms), scope)], k=k))[0]

    async def matches(self, searches: Sequence[Search], *, k: int = 200) -> list[Matches]:
        """All in one transaction, every term counted once: an asker waits for each way there and back."""
        terms = list(dict.fromkeys(term for each in searches if each.scope.kinds for term in each.terms))
        if not terms:
            return [Matches([], {}, 0) for _ in searches]
        done: dict[Search, Matches] = {}
        async with self._pool.transaction(deadline_s=_SEARCH_DEADLINE_S) as connection:
            counted = await connection.fetch(_SQL["frequencies"], self._pool.tenant, terms, _COUNTED)
            found = {row["term"]: int(row["found"]) for row in counted}
            total = found.pop(None)
            for term, times in found.items():
                if times >= _COUNTED:  # counted no further: it says little in any case
                    found[term] = max(times, total // 5)
            for each in searches:
                if each not in done:
                    done[each] = await self._matching(connection, each, found, total, k)
        return [done[each] for each in searches]

    async def _matching(
        self, connection: Connection, search: Search, counted: Mapping[str, int], total: int, k: int
    ) -> Matches:
        asked, scope = list(dict.fromkeys(search.terms)), search.scope
        if not asked or not scope.kinds:
            return Matches([], {}, 0)
        found = {term: counted[term] for term in asked}
        must = _rarest(found)
        if not must:  # none of them stands anywhere
            return Matches([], found, total)
        rows = await connection.fetch(
            _SQL["matching"],
            *(self._pool.tenant, scope.kinds, scope.reader, scope.sources, scope.without),
            *(must, asked, [weight(found[term], total) for term in asked], k),
        )
        return Matches(list(map(_passage, rows)), found, total)

    async def without_vector(self, encoder: str, *, limit: int = 200) -> list[Passage]:
        """Passages that still lack a vector of this encoder; none where the database keeps no vectors."""
        if await self._vectors_home() is None:
            return []
        return list(map(_passage, await self._pool.rows(_SQL["without_vector"], encoder, limit)))

    async def cut(self, kind: Kind, source_id: str, length: int = 0) -> None:
        """Forget what stands at `length` and beyond, vectors included."""
        await self._pool.run(_SQL["cut"], kind, source_id, length)

    async def _vectors_home(self) -> str | None:
        """The schema that pgvector lives in; once found it stays."""
        if self._home is None:
            async with self._pool.connection() as connection:
                self._home = await connection.fetchval(_SQL["vectors_home"])
        return self._home


def kind_of(passage: Passage) -> Kind:
    """Of what it is kept."""
    return "document" if passage.corpus == "document" else "meeting"


def _rarest(found: dict[str, int]) -> list[str]:
    """The rarest terms, as long as all that have one of them are not too many to be ordered."""
    chosen: list[str] = []
    reached = 0
    for term in sorted(found, key=lambda term: found[term]):
        if chosen and reached + found[term] > _MOST_ORDERED:
            break
        if found[term]:
            chosen.append(term)
            reached += found[term]
    return chosen


def _row(passage: Passage) -> dict[str, Any]:
    fields = passage.model_dump(mode="json", exclude={"first", "last"})
    place = {"corpus": kind_of(passage), "first_id": passage.first, "last_id": passage.last}
    return fields | place | {"digest": passage.digest, "terms": sorted(set(passage_terms(passage)))}


def _passage(row: asyncpg.Record) -> Passage:
    corpus = "document" if row["corpus"] == "document" else "earlier"
    who = {"speakers": tuple(row["speakers"]), "access": tuple(row["access"])}
    place = {"corpus": corpus, "first": row["first_id"], "last": row["last_id"]}
    return Passage.model_construct(**{**row, **place, **who})


class PostgresDocuments(Tables):
    """The documents that answers may cite, for the tenant of the pool."""

    async def same(self, origin: str, digest: str) -> DocumentRow | None:
        """What a file is there already as, by its path or else by its content."""
        found = await self._pool.row(_DOCUMENTS["same"], origin, digest)
        return DocumentRow.model_validate(dict(found)) if found is not None else None

    async def keep(self, row: DocumentRow) -> None:
        """Keep it, in place of the one with its id."""
        await self._pool.run(
            _DOCUMENTS["keep"],
            *(row.id, row.title, row.origin, row.kind, row.digest, row.bytes),
            *(row.pages, row.passages, list(row.access), row.added_at),
        )

    async def list_all(self) -> list[DocumentRow]:
        """All of them, newest first."""
        rows = await self._pool.rows(_DOCUMENTS["list_all"])
        return [DocumentRow.model_validate(dict(row)) for row in rows]

    async def remove(self, document_id: str) -> bool:
        """Forget it; False where there is none."""
        return await self._pool.value(_DOCUMENTS["remove"], document_id) is not None
