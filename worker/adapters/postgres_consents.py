"""What people said to being heard, in Postgres."""

from __future__ import annotations

from typing import Final

from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.sql import statements

_SQL: Final = statements("consents")


class PostgresConsents:
    """For the tenant of the pool; written with the record's events, read here."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    async def of(self, meeting_id: str) -> dict[str, bool]:
        """Who agreed in a meeting (True), or did not."""
        async with self._pool.transaction(read_only=True) as connection:
            rows = await connection.fetch(_SQL["of"], self._pool.tenant, meeting_id)
        return {row["participant"]: row["agreed"] for row in rows}

    async def newest(self, participant: str) -> bool | None:
        """What somebody said last, in any meeting; None: nothing."""
        async with self._pool.transaction(read_only=True) as connection:
            agreed: bool | None = await connection.fetchval(_SQL["newest"], self._pool.tenant, participant)
        return agreed
