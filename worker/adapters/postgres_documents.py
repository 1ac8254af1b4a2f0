"""The list of documents in Postgres: `DocumentStore`."""

from __future__ import annotations

from typing import Final

from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.sql import statements
from worker.documents.store import DocumentRow

_SQL: Final = statements("documents")


class PostgresDocuments:
    """For the tenant of the pool."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    async def same(self, origin: str, digest: str) -> DocumentRow | None:
        """What a file is there already as, by its path or else by its content."""
        async with self._pool.transaction() as connection:
            found = await connection.fetchrow(_SQL["same"], self._pool.tenant, origin, digest)
        return DocumentRow.model_validate(dict(found)) if found is not None else None

    async def keep(self, row: DocumentRow) -> None:
        """Keep it, in place of the one with its id."""
        async with self._pool.transaction() as connection:
            await connection.execute(
                _SQL["keep"],
                *(self._pool.tenant, row.id, row.title, row.origin, row.kind, row.digest, row.bytes),
                *(row.pages, row.passages, list(row.access), row.added_at),
            )

    async def list_all(self) -> list[DocumentRow]:
        """All of them, newest first."""
        async with self._pool.transaction() as connection:
            rows = await connection.fetch(_SQL["list_all"], self._pool.tenant)
        return [DocumentRow.model_validate(dict(row)) for row in rows]

    async def remove(self, document_id: str) -> bool:
        """Forget it; False where there is none."""
        async with self._pool.transaction() as connection:
            return await connection.fetchval(_SQL["remove"], self._pool.tenant, document_id) is not None
