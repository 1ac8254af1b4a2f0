"""Everything that the record has of one person, in Postgres."""

from __future__ import annotations

from typing import Any, Final

from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.sql import statements

_SQL: Final = statements("people")


class PostgresPeople:
    """For the tenant of the pool, over all of its meetings."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    async def everything(self, person: str) -> dict[str, Any]:
        """JSON-able: where they were, what they said and asked, what they agreed to, what was erased.

        Profiles and memories are made of these for each answer and kept nowhere. As of one moment.
        """
        found: dict[str, Any] = {"person": person}
        async with self._pool.transaction(read_only=True) as connection:
            for part, statement in _SQL.items():
                rows = await connection.fetch(statement, self._pool.tenant, person)
                found[part] = [
                    {
                        name: value.isoformat() if hasattr(value, "isoformat") else value
                        for name, value in row.items()
                    }
                    for row in rows
                ]
        return found
