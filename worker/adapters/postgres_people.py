"""Everything that the record has of one person, in Postgres.

What people said to being heard, in Postgres.

Who did what with a tenant's meetings, in Postgres: rows are added and read, never changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.sql import statements
from worker.audit import AuditEntry, Deed

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


_AUDIT: Final = statements("audit")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class PostgresAudit:
    """For the tenant of the pool. Times are the database's own."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    async def note(self, deed: Deed) -> None:
        """Add a row. Raises `PortError`."""
        await self._pool.run(
            _AUDIT["note"],
            *(deed.who[:400], deed.how, deed.action, deed.meeting_id),
            deed.subject[:400] if deed.subject else None,
        )

    async def newest(
        self,
        *,
        meeting_id: str | None = None,
        who: str | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> Sequence[AuditEntry]:
        """What was done last, the newest first."""
        rows = await self._pool.rows(
            _AUDIT["newest"], meeting_id, who, since or _EPOCH, limit, read_only=True
        )
        return [AuditEntry.model_validate(dict(row)) for row in rows]
