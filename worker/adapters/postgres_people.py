"""Everything that the record has of one person, in Postgres.

What people said to being heard, in Postgres.
"""

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


_CONSENTS: Final = statements("consents")


class PostgresConsents:
    """For the tenant of the pool; written with the record's events, read here."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    async def of(self, meeting_id: str) -> dict[str, bool]:
        """Who agreed in a meeting (True), or did not."""
        rows = await self._pool.rows(_CONSENTS["of"], meeting_id, read_only=True)
        return {row["participant"]: row["agreed"] for row in rows}

    async def newest(self, participant: str) -> bool | None:
        """What somebody said last, in any meeting; None: nothing."""
        agreed: bool | None = await self._pool.value(_CONSENTS["newest"], participant, read_only=True)
        return agreed
